"""A company's loop: which questions stand for its stages, and how its time and order go."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from interviewer.events import (
    Event,
    LoopBegun,
    LoopEnded,
    LoopRoundBegun,
    PlannedStage,
    Recorded,
    StageBegun,
)
from interviewer.loops import LoopRun, plan, round_of, run_of
from questions.library import load
from questions.model import AskedBy
from tests.interviewer.scenes import card
from tools.market.loops import Loop, loops

CARDS = load().cards
AT = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)
PLAN = LoopBegun(
    loop="acme",
    company="Acme",
    kind="published",
    role="engineers",
    source="Acme's page",
    read="2026-10-07",
    ai_rule="none stated",
    stages=(
        PlannedStage(name="Review", ai="unstated"),
        PlannedStage(name="Screen", minutes=(20, 30), ai="banned", cards=("A", "B", "C")),
        PlannedStage(name="Offer talk", ai="unstated"),
        PlannedStage(name="Final", ai="unstated", cards=("D",)),
    ),
)


def run(*events: tuple[int, Event]) -> LoopRun:
    """The loop after these events, each so many minutes after its beginning."""
    timed = [(0, PLAN), *events]
    log = [
        Recorded(seq=seq, at=AT + timedelta(minutes=minute), event=event)
        for seq, (minute, event) in enumerate(timed, start=1)
    ]
    folded = run_of("x", log)
    assert folded is not None
    return folded


def at(minute: int) -> datetime:
    return AT + timedelta(minutes=minute)


def played(card_id: str, stage: int = 1) -> LoopRoundBegun:
    return LoopRoundBegun(stage=stage, card=card_id, round=f"r-{card_id}")


def test_the_first_stage_with_questions_comes_first() -> None:
    assert run().next_stage() == 1


def test_the_questions_of_a_stage_come_in_order() -> None:
    begun = (5, StageBegun(stage=1))
    assert run(begun).next_card(at(5)) == "A"
    assert run(begun, (6, played("A"))).next_card(at(10)) == "B"


def test_no_question_begins_once_the_stages_time_is_up() -> None:
    screen = run((5, StageBegun(stage=1)), (6, played("A")))
    assert screen.next_card(at(34)) == "B"
    assert screen.next_card(at(35)) is None
    assert screen.next_stage() == 3


def test_a_break_does_not_use_up_the_next_stages_time() -> None:
    late = run((5, StageBegun(stage=1)), (600, StageBegun(stage=3)))
    assert late.next_card(at(601)) == "D"


def test_a_stage_without_stated_minutes_has_no_limit() -> None:
    assert run((5, StageBegun(stage=3))).next_card(at(100_000)) == "D"


def test_after_the_last_stage_nothing_is_left() -> None:
    last = run((5, StageBegun(stage=3)), (6, played("D", 3)))
    assert (last.next_card(at(7)), last.next_stage()) == (None, None)


def test_nothing_more_is_asked_once_it_was_left() -> None:
    left = run((5, StageBegun(stage=1)), (6, LoopEnded(reason="left")))
    assert left.next_card(at(7)) is None


def test_rounds_belong_to_the_stage_that_was_at_hand() -> None:
    two = run((5, StageBegun(stage=1)), (6, played("A")), (9, StageBegun(stage=3)))
    assert [one.card for one in two.of_stage(1)] == ["A"]
    assert two.of_stage(3) == ()


def test_a_stage_beyond_the_plan_is_passed_over() -> None:
    strange = run((1, StageBegun(stage=1)), (2, StageBegun(stage=10**15)), (3, played("A", 10**15)))
    assert strange.stage == 1
    assert strange.next_card(at(4)) == "A"


def test_a_log_of_something_else_is_no_loop() -> None:
    assert run_of("x", [Recorded(seq=1, at=AT, event=StageBegun(stage=0))]) is None


@pytest.mark.parametrize("loop", loops().loops, ids=lambda loop: loop.id)
def test_every_loop_gets_a_question_for_each_round_that_stands_for_a_stage(loop: Loop) -> None:
    made = plan(loop, CARDS, {}, Random(1))
    drawn = [card_id for stage in made.stages for card_id in stage.cards]
    assert [len(stage.cards) for stage in made.stages] == [len(s.asks) for s in loop.stages]
    assert len(set(drawn)) == len(drawn) > 0
    by_id = {one.id: one for one in CARDS}
    asked = [name for stage in loop.stages for name in stage.asks]
    assert [round_of(by_id[card_id]) for card_id in drawn] == asked


def test_a_question_that_the_company_is_known_for_comes_first() -> None:
    loop = next(loop for loop in loops().loops if loop.id == "meta")
    plain = card(id="PLAIN", kind="coding", round="coding")
    known = card(
        id="KNOWN",
        kind="coding",
        round="coding",
        asked_by=AskedBy(companies=("Meta",), corroboration="two reports"),
    )
    made = plan(loop, (plain, known), {"KNOWN": 5}, Random(1))
    assert made.stages[0].cards == ("KNOWN",)


def test_of_equal_questions_the_one_tried_least_comes() -> None:
    loop = next(loop for loop in loops().loops if loop.id == "meta")
    some = [card(id=f"C{n}", kind="coding", round="coding") for n in range(5)]
    tries = {one.id: 1 for one in some} | {"C3": 0}
    assert plan(loop, some, tries, Random(1)).stages[0].cards == ("C3",)


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"round": "recruiter or hiring-manager screen"}, "recruiter screen"),
        ({"round": "phone chat", "theme": "motivation"}, "recruiter screen"),
        ({"round": "phone chat", "kind": "decomposition"}, "system design"),
        ({"round": "phone chat"}, "technical screen"),
    ],
)
def test_a_card_that_names_another_round_is_placed_by_theme_or_kind(
    changes: dict[str, str], expected: str
) -> None:
    assert round_of(card(**changes)) == expected


def test_every_card_of_the_bank_has_its_round() -> None:
    for one in CARDS:
        round_of(one)
