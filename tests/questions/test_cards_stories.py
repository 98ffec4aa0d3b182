"""A behavioural card's figures are its own story's: another story is judged by itself alone."""

from datetime import UTC, datetime

import pytest

from evals.cases import RatedAnswer, read_cases
from evals.scoring_run import ANSWERS
from interviewer.grounding.facts import compute_facts
from interviewer.scoring.number_check import check_numbers
from interviewer.transcript import Turn
from questions.library import load
from questions.model import QuestionCard

LIBRARY = load()
MISCOUNTED = {"FDE-33-a", "BEH-CALM-d", "BEH-FAIL-g", "BEH-FAIL-i", "FDE-33-h"}
"""They call three of twelve weeks 12.5 percent, 90 minutes at 10 a minute 9,000, 4,000 x 40 pages
at 2 cents $320, 96 of 250 invoices 48 percent, and 80 hours a day for 21 days 168 hours."""
STORIES = tuple(card for card in LIBRARY.cards if card.rubric == "behavioural")
each_story = pytest.mark.parametrize("card", STORIES, ids=lambda card: card.id)


def wrong(card: QuestionCard, answer: str) -> list[str]:
    turn = Turn(1, "candidate", answer, datetime(2026, 10, 7, tzinfo=UTC), 1)
    found = check_numbers([turn], compute_facts(card))
    return [n.said for n in found if n.verdict in ("wrong", "slip")]


@each_story
def test_every_other_story_is_told_to_this_question_without_a_wrong_number(
    card: QuestionCard,
) -> None:
    others = [other for other in STORIES if other is not card]
    assert {other.id: wrong(card, other.model_answer) for other in others} == {
        other.id: [] for other in others
    }


def test_the_rated_stories_are_held_to_no_figure_of_a_card() -> None:
    rated = [(case, LIBRARY.get(case.card)) for case in read_cases(ANSWERS, RatedAnswer)]
    told = {case.id: wrong(card, case.answer) for case, card in rated if card in STORIES}
    assert len(told) >= 32
    assert {case for case, numbers in told.items() if numbers} <= MISCOUNTED


@pytest.mark.parametrize(
    ("told", "off"),
    [
        ("A ticket took us from 50 minutes to 20, so 60 percent less.", []),
        ("A ticket took us from 50 minutes to 20, so 40 percent less.", ["40 percent"]),
        ("I timed 416 minutes, and 45 of the 50 clerks, 90 percent, still use it.", []),
        ("I timed 416 minutes, and 45 of the 50 clerks, 72 percent, still use it.", ["72 percent"]),
    ],
)
def test_a_story_of_ones_own_is_wrong_only_where_it_contradicts_itself(
    told: str, off: list[str]
) -> None:
    assert wrong(LIBRARY.get("BEH-OWNERSHIP"), told) == off
