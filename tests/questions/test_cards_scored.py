"""The model answer of each card is what the scorer without a model calls a good answer."""

from datetime import UTC, datetime

import pytest

from interviewer.grounding.facts import compute_facts
from interviewer.scoring.material import Material
from interviewer.scoring.number_check import check_numbers
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.transcript import Turn
from questions.checks import walk
from questions.library import load
from questions.model import QuestionCard
from rubrics.library import load_rubrics
from rubrics.scorecard import Part, Scorecard

CARDS = load().cards
RUBRICS = load_rubrics()
each_card = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)


def scored(card: QuestionCard, answer: str) -> Scorecard:
    at = datetime(2026, 10, 7, tzinfo=UTC)
    turn = Turn(number=1, speaker="candidate", text=answer, at=at, seq=1)
    material = Material(card, compute_facts(card), RUBRICS[card.rubric], (turn,))
    return RuleScorer().assess(material)


@each_card
def test_the_model_answer_is_solid_in_each_part(card: QuestionCard) -> None:
    levels = {
        score.part.value: score.level or 0 for score in scored(card, card.model_answer).scores
    }
    assert {part: level for part, level in levels.items() if level < 3} == {}


@each_card
@pytest.mark.parametrize("answer", ["model_answer", "short_answer"])
def test_no_number_of_an_answer_is_called_wrong(card: QuestionCard, answer: str) -> None:
    numbers = scored(card, getattr(card, answer)).numbers
    assert [(n.said, n.fact, n.right) for n in numbers if n.verdict in ("wrong", "slip")] == []


@each_card
def test_no_number_of_a_good_reply_is_called_wrong(card: QuestionCard) -> None:
    at, facts = datetime(2026, 10, 7, tzinfo=UTC), compute_facts(card)
    for where, probe in walk(card.probes):
        found = check_numbers([Turn(1, "candidate", probe.good, at, 1)], facts)
        assert [(where, n.said, n.fact) for n in found if n.verdict in ("wrong", "slip")] == []


@each_card
def test_the_model_answer_raises_no_red_flag(card: QuestionCard) -> None:
    assert [flag.flag for flag in scored(card, card.model_answer).red_flags] == []


@each_card
def test_the_short_answer_is_at_least_a_pass(card: QuestionCard) -> None:
    assert (scored(card, card.short_answer).overall or 0) >= 3


WRONG = (
    "About 40 users with a BF16 cache, and the limit is memory, because the weights leave little."
)


def claim(*answers: str) -> int | None:
    card = load().get("INF-010")
    at = datetime(2026, 10, 7, tzinfo=UTC)
    turns = tuple(
        Turn(number=2 * index + 1, speaker="candidate", text=text, at=at, seq=index + 1)
        for index, text in enumerate(answers)
    )
    material = Material(card, compute_facts(card), RUBRICS[card.rubric], turns)
    return RuleScorer().assess(material).score(Part.CLAIM).level


def test_a_claim_that_opens_with_a_wrong_key_number_is_wrong() -> None:
    assert claim(WRONG) == 1


def test_a_claim_that_was_put_right_in_a_later_turn_is_not_held_down() -> None:
    right = "I forgot the values: with a BF16 cache 20.4 users fit, so about twenty users."
    assert (claim(WRONG, right) or 0) >= 3
