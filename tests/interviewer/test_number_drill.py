"""A number drill from the first number to the scorecard, as the card interviewer plays it."""

from collections.abc import Callable

import pytest

from interviewer.beginning import begin
from interviewer.events import (
    CandidateMovedOn,
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    NumberAsked,
    Recorded,
    RoundStarted,
)
from interviewer.grounding.facts import compute_facts
from interviewer.interviewers.numbers import next_turn
from interviewer.reckoning.outcomes import Outcome, outcomes
from interviewer.round import Phase, Round, replay
from interviewer.scoring.material import Material
from interviewer.scoring.number_scorer import NumberScorer
from questions.library import load
from rubrics.library import load_rubrics
from rubrics.scorecard import Part, Scorecard
from tests.interviewer.scenes import START

CARD = load().get("INF-010")
Say = Callable[[Outcome], str]


def state_of(events: list[Event]) -> Round:
    return replay([Recorded(seq=n, at=START, event=event) for n, event in enumerate(events, 1)])


def played(*replies: Say) -> list[Event]:
    """A drill in which each number is answered by the next reply."""
    events: list[Event] = [begin(CARD, "card", drill="number")]
    for n, reply in enumerate(replies):
        events.append(next_turn(state_of(events)))
        asked = outcomes(state_of(events).turns)[-1]
        events.append(CandidateSpoke(client_id=f"c{n}", text=reply(asked)))
    events.append(next_turn(state_of(events)))
    return events


def right(asked: Outcome) -> str:
    return f"That makes {asked.reckoning.shown}."


def slip(asked: Outcome) -> str:
    return f"{asked.reckoning.slips[0].value:.6g}"


def spoken(events: list[Event]) -> list[InterviewerSpoke]:
    return [event for event in events if isinstance(event, InterviewerSpoke)]


async def scorecard(events: list[Event]) -> Scorecard:
    facts = compute_facts(CARD)
    material = Material(CARD, facts, load_rubrics()[CARD.rubric], state_of(events).turns, "number")
    return await NumberScorer().score(material)


def test_ten_numbers_come_and_then_the_summary() -> None:
    events = played(*[right] * 10)
    turns = spoken(events)
    assert [turn.purpose for turn in turns] == ["question"] * 10 + ["closing"]
    assert "Number 1 of 10." in turns[0].text
    assert turns[-1].text.endswith("10 of 10 right. Your scorecard follows.")
    assert state_of(events).phase is Phase.CLOSING


def test_a_slip_is_named_at_once_with_the_right_value_as_a_figure() -> None:
    turn = spoken(played(slip))[-1]
    (figure,) = turn.figures
    assert turn.text.startswith(f"It is {figure.said}. A known slip: ")
    assert turn.text[figure.start : figure.end] == figure.said
    assert (figure.origin, figure.tool is not None) == ("tool", True)


def test_a_number_that_was_moved_on_from_is_told() -> None:
    events = played(right)
    moved = [*events, CandidateMovedOn(client_id="m")]
    assert next_turn(state_of(moved)).text.startswith("It is ")


def test_the_log_never_holds_the_answer_before_it_was_given() -> None:
    (first,) = spoken(played())
    asked = outcomes(state_of([begin(CARD, "card", drill="number"), first]).turns)[0]
    assert asked.reckoning.shown not in first.model_dump_json()


def test_the_same_number_comes_again_after_a_crash() -> None:
    events = played(right, right)
    assert next_turn(state_of(events[:-1])) == events[-1]


async def test_ten_right_numbers_are_outstanding_and_nothing_else_is_scored() -> None:
    made = await scorecard(played(*[right] * 10))
    assert made.scorer == "numbers/1"
    assert [score.level for score in made.scores] == [None, 4, None, None]
    assert {finding.verdict for finding in made.numbers} == {"right"}


@pytest.mark.parametrize(("good", "level"), [(9, 4), (7, 3), (5, 2), (2, 1)])
async def test_the_level_follows_from_the_share_that_is_right(good: int, level: int) -> None:
    made = await scorecard(played(*[right] * good, *[slip] * (10 - good)))
    assert made.score(Part.NUMBER).level == level
    assert [n.verdict for n in made.numbers].count("slip") == 10 - good


async def test_a_drill_left_after_a_few_numbers_has_no_level() -> None:
    made = await scorecard(played(right, right, slip))
    assert made.score(Part.NUMBER).level is None
    assert [n.verdict for n in made.numbers] == ["right", "right", "slip"]


def test_a_number_of_another_version_does_not_stop_the_round() -> None:
    unknown = NumberAsked(template="phrenology", arguments={})
    spoke = InterviewerSpoke(
        text="?", purpose="question", speaker="card", limit_s=60, number=unknown
    )
    started = begin(CARD, "card", drill="number")
    assert isinstance(started, RoundStarted)
    turn = next_turn(state_of([started, spoke, CandidateSpoke(client_id="c", text="4")]))
    assert turn.purpose == "question"


def test_the_first_answer_to_a_number_counts() -> None:
    events = played(right)
    twice = [*events[:-1], CandidateSpoke(client_id="again", text="17")]
    assert [
        outcome.checked.verdict for outcome in outcomes(state_of(twice).turns) if outcome.checked
    ] == ["right"]
