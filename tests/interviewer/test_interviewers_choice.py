"""What is asked next, rule by rule."""

import pytest

from interviewer.events import Event
from interviewer.interviewers.choice import CLOSING, STOPPED, Move, next_move
from questions.model import Trigger
from rubrics.scorecard import Scorecard
from tests.interviewer.scenes import (
    MOVE_ON,
    PROBES,
    QUESTION,
    asked,
    card,
    finding,
    follow_up,
    probe,
    said,
    scene,
    scored,
    stopped,
)

OPENED = asked(limit_s=180)
ANSWER = said("Twenty-four users fit on the card, I think.")


def move(*events: Event, scorecard: Scorecard | None = None, **how: object) -> Move:
    return next_move(scene(*events, **how), scorecard or scored())  # type: ignore[arg-type]


def test_the_opening_is_the_cards_question_with_the_cards_limit() -> None:
    opening = next_move(scene(), None)
    assert (opening.text, opening.limit_s, opening.purpose) == (QUESTION, 180, "question")


def test_a_drill_asks_only_for_its_part_within_a_minute() -> None:
    opening = next_move(scene(part="tradeoff"), None)
    assert opening.text == f"Only the trade-off: {QUESTION}"
    assert (opening.limit_s, opening.part) == (60, "tradeoff")


def test_moving_on_from_the_opening_closes_the_round() -> None:
    closing = next_move(scene(OPENED, MOVE_ON), None)
    assert (closing.purpose, closing.text, closing.limit_s) == ("closing", STOPPED, None)


def test_a_wrong_number_is_probed_before_anything_else() -> None:
    scorecard = scored(
        {"claim": 1, "tradeoff": 1}, (finding(2, "slip"), finding(2, "right", "users"))
    )
    chosen = move(OPENED, said("Paged attention makes 160 KiB."), scorecard=scorecard)
    assert chosen.probe is PROBES[0]
    assert (chosen.purpose, chosen.limit_s, chosen.part) == ("probe", 60, "number")


def test_the_aim_of_a_probe_names_the_wrong_number_never_the_right_one() -> None:
    scorecard = scored(numbers=(finding(2, "wrong"),))
    aim = move(OPENED, ANSWER, scorecard=scorecard).aim
    assert "160 KiB" in aim
    assert "cache per token" in aim
    assert "320" not in aim


def test_a_number_put_right_in_the_same_answer_is_not_probed() -> None:
    numbers = (finding(2, "wrong"), finding(2, "right"), finding(2, "right", "users"))
    chosen = move(OPENED, ANSWER, scorecard=scored({"nextstep": 1}, numbers))
    assert chosen.probe is not None
    assert chosen.probe.id == "next"


def test_a_wrong_number_of_an_earlier_answer_is_not_probed_again() -> None:
    scorecard = scored(numbers=(finding(2, "wrong"), finding(4, "right", "users")))
    chosen = move(OPENED, ANSWER, follow_up("claim"), said("So be it then."), scorecard=scorecard)
    assert chosen.probe is not PROBES[0]


def test_a_phrase_that_was_said_is_followed_up() -> None:
    chosen = move(OPENED, said("With Paged  Attention it fits."), scorecard=scored({"tradeoff": 2}))
    assert chosen.probe is not None
    assert chosen.probe.id == "paging"


def test_a_phrase_inside_another_word_was_not_said() -> None:
    chosen = move(OPENED, said("Unpaged attentional load."), scorecard=scored({"tradeoff": 2}))
    assert chosen.probe is not None
    assert chosen.probe.id == "tradeoff"


def test_a_missing_part_comes_before_what_was_said() -> None:
    chosen = move(OPENED, said("With paged attention it fits."), scorecard=scored({"nextstep": 1}))
    assert chosen.probe is not None
    assert chosen.probe.id == "next"


def test_the_weakest_part_comes_first() -> None:
    chosen = move(OPENED, ANSWER, scorecard=scored({"tradeoff": 2, "nextstep": 1}))
    assert chosen.probe is not None
    assert chosen.probe.id == "next"


def test_a_part_that_was_not_assessed_counts_as_missing() -> None:
    chosen = move(OPENED, ANSWER, scorecard=scored({"number": None, "claim": 1}))
    assert chosen.probe is not None
    assert chosen.probe.id == "number"


def test_a_part_that_is_only_generic_comes_before_what_always_fits() -> None:
    numbers = (finding(2, "right", "users"),)
    chosen = move(OPENED, ANSWER, scorecard=scored({"nextstep": 2}, numbers))
    assert chosen.probe is not None
    assert chosen.probe.id == "next"


def test_a_number_that_was_never_stated_is_asked_for() -> None:
    chosen = move(OPENED, ANSWER, scorecard=scored(numbers=(finding(2, "right"),)))
    assert chosen.probe is not None
    assert chosen.probe.id == "users"


def test_a_strong_answer_still_gets_the_probe_that_always_fits() -> None:
    chosen = move(OPENED, ANSWER, scorecard=scored())
    assert chosen.probe is not None
    assert chosen.probe.id == "always"


def test_a_nested_probe_drills_deeper_on_the_reply() -> None:
    chosen = move(
        OPENED, ANSWER, follow_up("per-token"), said("320 KiB."), scorecard=scored({"claim": 1})
    )
    assert chosen.probe is not None
    assert chosen.probe.id == "heads"


def test_after_moving_on_nothing_drills_deeper_on_the_declined_part() -> None:
    chosen = move(OPENED, ANSWER, follow_up("per-token"), MOVE_ON, scorecard=scored({"number": 1}))
    assert chosen.part != "number"


def test_the_second_nested_step_waits_for_what_is_missing_elsewhere() -> None:
    deepest = probe("deepest", "number", "And for MLA?", Trigger(always=True))
    deeper = probe("deeper", "number", "Why?", Trigger(always=True), deepest)
    top = probe("top", "number", "Where?", Trigger(always=True), deeper)
    nested = card(probes=(top, *PROBES[1:]))
    events = (OPENED, ANSWER, follow_up("deeper"), said("Because of groups."))
    assert move(*events, scorecard=scored({"claim": 1}), of=nested).part == "claim"
    chosen = move(*events, scorecard=scored(), of=nested)
    assert chosen.probe is deepest


def test_no_probe_is_asked_twice() -> None:
    chosen = move(
        OPENED,
        ANSWER,
        follow_up("next", "nextstep"),
        said("Hm."),
        scorecard=scored({"nextstep": 1}),
    )
    assert chosen.probe is not None
    assert chosen.probe.id != "next"


def test_a_question_stopped_in_the_middle_is_not_asked_again() -> None:
    events = (OPENED, ANSWER, stopped("Who waits"), said("The last one in the queue waits."))
    assert move(*events, of=card(probes=PROBES[1:])).purpose == "closing"


def test_who_misses_nothing_is_asked_what_stands_below_a_needless_probe() -> None:
    leaning = probe("leaning", "number", "And why that one?", Trigger(always=True))
    needless = PROBES[2].model_copy(update={"then": (leaning, *PROBES[0].then)})
    asks = card(probes=(needless,))
    assert move(OPENED, ANSWER, of=asks).probe == PROBES[0].then[0]
    weak = move(OPENED, ANSWER, scorecard=scored({"number": 2}), of=asks)
    assert weak.probe == needless


def test_moving_on_while_a_question_is_being_asked_declines_its_part() -> None:
    weak = scored({"nextstep": 1, "tradeoff": 2})
    assert move(OPENED, ANSWER, scorecard=weak).part == "nextstep"
    waved_off = move(OPENED, ANSWER, stopped("What"), MOVE_ON, scorecard=weak)
    assert waved_off.part == "tradeoff"
    again = move(
        OPENED, ANSWER, stopped("What"), MOVE_ON, stopped("What does"), MOVE_ON, scorecard=weak
    )
    assert again.part not in ("nextstep", "tradeoff")


def test_three_follow_ups_and_then_the_closing() -> None:
    events: list[Event] = [OPENED, ANSWER]
    for name in ("claim", "next", "users"):
        events += [follow_up(name), said(f"Something about {name}.")]
    assert move(*events, scorecard=scored({"tradeoff": 1})).text == CLOSING


def test_a_nudge_is_no_follow_up() -> None:
    nudge = asked("That is time.", "nudge", limit_s=None)
    events: list[Event] = [OPENED, nudge, ANSWER]
    for name in ("claim", "next"):
        events += [follow_up(name), said(f"Something about {name}.")]
    assert move(*events, scorecard=scored({"tradeoff": 1})).purpose == "probe"


def test_a_drill_probes_its_own_part_at_most_twice() -> None:
    drilled = asked("Only the number: How many?", part="number")
    events = (drilled, ANSWER)
    scorecard = scored({"number": 1, "claim": None, "tradeoff": None, "nextstep": None})
    assert move(*events, scorecard=scorecard, part="number").part == "number"
    twice = (*events, follow_up("number"), ANSWER, follow_up("users"), ANSWER)
    assert move(*twice, scorecard=scorecard, part="number").purpose == "closing"


@pytest.mark.parametrize("kind", ["design", "decomposition"])
def test_a_design_cards_curveball_is_the_last_follow_up(kind: str) -> None:
    turned = card(kind=kind, curveball="Now the context doubles. What survives?")
    events: list[Event] = [OPENED, ANSWER, follow_up("claim"), ANSWER]
    assert move(*events, scorecard=scored({"tradeoff": 1}), of=turned).purpose == "probe"
    events += [follow_up("next"), ANSWER]
    chosen = move(*events, scorecard=scored({"tradeoff": 1}), of=turned)
    assert (chosen.purpose, chosen.limit_s, chosen.text) == ("curveball", 90, turned.curveball)


def test_a_curveball_comes_earlier_where_no_probe_is_called_for() -> None:
    turned = card(curveball="Now the context doubles. What survives?", probes=PROBES[:5])
    assert move(OPENED, ANSWER, of=turned).purpose == "curveball"


def test_after_the_curveball_comes_the_closing() -> None:
    turned = card(kind="design", curveball="Now the context doubles. What survives?")
    events = (OPENED, ANSWER, asked("Now?", "curveball", limit_s=90), ANSWER)
    assert move(*events, scorecard=scored({"tradeoff": 1}), of=turned).purpose == "closing"


def test_no_curveball_in_a_drill() -> None:
    turned = card(
        kind="design", curveball="Now the context doubles. What survives?", probes=PROBES[:2]
    )
    drilled = asked("Only the trade-off: How many?", part="tradeoff")
    assert move(drilled, ANSWER, of=turned, part="tradeoff").purpose == "closing"
