"""Figures that the judge doubts: decided by id, reasoned, in the place of what code found."""

import json
from typing import Any

import anyio
import pytest

from interviewer.grounding.ledger import Ledger
from interviewer.llm.scripted import ScriptedLLM
from interviewer.prompts import PromptLibrary
from interviewer.scoring.doubts import MOST_ASKED, UNSHOWN, agreed, decided
from interviewer.scoring.panel import judge_of
from interviewer.scoring.verdicts import Decided, NumberDecision
from rubrics.scorecard import NumberFinding, Part, Scorecard
from tests.interviewer.scoring_cases import WHOLE, levels, material
from tests.interviewer.test_judge import asked_of, doubting, judged

HOURS = "12 hours a week"
WHY = "It leaves the hand-over out."


SLIP = NumberFinding(said="160 KiB", turn=2, start=0, end=7, verdict="slip", right="320 KiB")
NOTHING = Ledger(())


def decision(verdict: Decided) -> NumberDecision:
    return NumberDecision(why="", verdict=verdict)


def doubted(answer: str = WHOLE, **why: str) -> Scorecard:
    """The scorecard of an answer by a judge that holds the figures with these ids to be wrong."""
    round_ = material(answer)
    return judged(ScriptedLLM(doubting(round_, **why)), round_)


def doubts_in(card: Scorecard) -> list[NumberFinding]:
    return [found for found in card.numbers if found.verdict == "doubted"]


def told(answer: str = WHOLE) -> dict[str, Any]:
    """The judge's user message about an answer."""
    message: dict[str, Any] = json.loads(asked_of(material(answer)))
    return message


def test_every_figure_that_code_did_not_find_wrong_is_decided_among_its_words() -> None:
    figures = told()["figures"]
    assert list(figures) == [f"n{place}" for place in range(1, 13)]
    assert (
        figures["n7"] == "8 times 40 is 720 minutes, which is [12 hours a week]. Over six heads t"
    )


def test_the_schema_asks_for_the_reason_then_the_verdict_of_every_figure_with_an_id() -> None:
    round_ = material(WHOLE)
    llm = ScriptedLLM(doubting(round_))
    judged(llm, round_)
    schema = llm.requests[0].response_schema
    assert schema is not None
    numbers = schema["properties"]["numbers"]
    assert numbers["required"] == list(told()["figures"])
    assert list(numbers["properties"]["n7"]["properties"]) == ["why", "verdict"]


def test_what_code_found_wrong_is_told_and_not_asked_again() -> None:
    answer = WHOLE.replace("720", "900")
    message = told(answer)
    assert [(f["said"], f["verdict"]) for f in message["number_findings"]] == [
        ("900 minutes", "wrong")
    ]
    assert not [words for words in message["figures"].values() if "[900 minutes]" in words]
    card = doubted(answer, n6=WHY)
    assert [found.said for found in card.numbers if found.verdict == "wrong"] == ["900 minutes"]
    assert [found.said for found in doubts_in(card)] == [HOURS]


def test_a_doubted_figure_stands_in_its_place_with_the_reason() -> None:
    sure, unsure = doubted(), doubted(n7=WHY)
    found = doubts_in(unsure)[0]
    assert (found.said, found.reason, found.right) == (HOURS, WHY, None)
    assert WHOLE[found.start : found.end] == HOURS
    assert [f.said for f in unsure.numbers] == [f.said for f in sure.numbers]


def test_a_doubt_holds_the_number_at_2_and_no_other_part() -> None:
    card = doubted(n7=WHY)
    assert list(levels(card).values()) == [4, 2, 4, 4]
    assert card.score(Part.NUMBER).reason == f"The judge holds “{HOURS}” to be wrong: {WHY}"
    assert card.score(Part.NUMBER).evidence
    assert card.overall == 3


def test_figures_that_nobody_asked_about_are_left_out() -> None:
    assert doubts_in(doubted(n0="No.", n13="No.", claim="No.")) == []


@pytest.mark.parametrize("verdict", ["holds", "cannot_tell"])
def test_only_what_is_held_to_be_wrong_is_doubted(verdict: str) -> None:
    round_ = material(WHOLE)
    reply = json.loads(doubting(round_, n7=WHY))
    reply["numbers"]["n7"]["verdict"] = verdict
    assert doubts_in(judged(ScriptedLLM(json.dumps(reply)), round_)) == []


def test_an_answer_of_many_figures_asks_for_no_more_than_a_reply_holds() -> None:
    many = " ".join(f"Then it takes {value} ms." for value in range(100, 160))
    assert list(told(many)["figures"])[-1] == f"n{MOST_ASKED}"
    assert len(doubted(many).numbers) == 60


def test_a_wrong_value_that_is_said_again_is_doubted_once() -> None:
    twice = f"{WHOLE} So it is 12 hours a week for the team."
    again = list(told(twice)["figures"])[-1]
    assert len(doubts_in(doubted(twice, **{again: WHY}))) == 1
    assert [found.start for found in doubts_in(doubted(twice, n7=WHY, **{again: WHY}))] == [
        twice.index(HOURS)
    ]


@pytest.mark.parametrize(
    ("verdict", "left"), [("holds", "unchecked"), ("wrong", "slip"), ("cannot_tell", "slip")]
)
def test_a_slip_is_one_unless_the_judge_lets_it_stand(verdict: Decided, left: str) -> None:
    after = decided((SLIP,), {"n1": decision(verdict)}, NOTHING)
    assert [found.verdict for found in after] == [left]


def test_what_follows_from_a_slip_that_stands_stands_too() -> None:
    then = {"start": 20, "end": 26, "verdict": "wrong"}
    half = SLIP.model_copy(update={**then, "said": "80 KiB", "reason": "follows from 160 KiB"})
    other = SLIP.model_copy(update={**then, "start": 40, "end": 46, "reason": "follows from 9 ms"})
    last = half.model_copy(update={"start": 60, "end": 66, "reason": "follows from 80 KiB"})
    cases: tuple[tuple[Decided, str], ...] = (("holds", "unchecked"), ("wrong", "wrong"))
    for verdict, left in cases:
        after = decided((SLIP, half, other, last), {"n1": decision(verdict)}, NOTHING)
        assert [found.verdict for found in after[1:]] == [left, "wrong", left]


def test_what_was_computed_to_be_wrong_is_not_for_the_judge_to_decide() -> None:
    wrong = SLIP.model_copy(update={"verdict": "wrong"})
    assert decided((wrong,), {"n1": decision("holds")}, NOTHING) == (wrong,)


@pytest.mark.parametrize(("letting", "left"), [(1, "slip"), (2, "unchecked")])
def test_a_panel_lets_a_slip_stand_where_more_than_half_of_it_does(letting: int, left: str) -> None:
    stands = decided((SLIP,), {"n1": decision("holds")}, NOTHING)
    card = judged(ScriptedLLM(doubting(material(WHOLE))), material(WHOLE))
    votes = [stands] * letting + [(SLIP,)] * (3 - letting)
    cards = [card.model_copy(update={"numbers": numbers}) for numbers in votes]
    assert [found.verdict for found in agreed(cards)] == [left]
    assert [found.verdict for found in agreed(cards[:1] + cards[2:])] == ["slip"]


def test_two_findings_that_begin_at_one_place_are_both_kept() -> None:
    whole = SLIP.model_copy(update={"end": 30, "verdict": "wrong"})
    card = judged(ScriptedLLM(doubting(material(WHOLE))), material(WHOLE))
    cards = [card.model_copy(update={"numbers": (SLIP, whole)})] * 3
    assert agreed(cards) == (SLIP, whole)
    assert decided((SLIP, whole), {"n1": decision("holds")}, NOTHING)[1] == whole


def test_a_number_that_nothing_grounds_is_left_out_of_the_reason() -> None:
    found = doubts_in(doubted(n7="It should be 17 hours. The hand-over is left out."))
    assert found[0].reason == "The hand-over is left out."


def test_a_reason_that_is_all_ungrounded_figures_says_so_instead() -> None:
    assert doubts_in(doubted(n7="It should be 17 hours."))[0].reason == UNSHOWN


@pytest.mark.parametrize(("doubting_judges", "shown"), [(1, 0), (2, 1), (3, 1)])
def test_a_panel_shows_the_doubts_of_more_than_half(doubting_judges: int, shown: int) -> None:
    round_ = material(WHOLE)
    unsure = [ScriptedLLM(doubting(round_, n7=WHY)) for _ in range(doubting_judges)]
    sure = [ScriptedLLM(doubting(round_)) for _ in range(3 - doubting_judges)]
    card = anyio.run(judge_of([*sure, *unsure], PromptLibrary()).score, round_)
    assert [found.said for found in doubts_in(card)] == [HOURS] * shown
    places = [(found.turn, found.start) for found in card.numbers]
    assert places == sorted(set(places))
    assert [found.said for found in card.numbers] == [found.said for found in doubted().numbers]
