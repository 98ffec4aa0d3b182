"""Every number that a card states is one of its facts, or an input that its question states."""

import pytest

from interviewer.grounding.card_faults import card_faults
from interviewer.grounding.facts import compute_facts
from questions.library import load
from questions.model import QuestionCard

CARDS = load().cards


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_each_number_of_a_card_rests_on_a_fact(card: QuestionCard) -> None:
    assert [*card_faults(card)] == []


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_each_fact_of_a_card_computes(card: QuestionCard) -> None:
    facts = compute_facts(card)
    assert [fact.fact.id for fact in facts] == [fact.id for fact in card.facts]
    assert all(fact.value > 0 for fact in facts)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_technical_card_has_at_least_three_key_numbers(card: QuestionCard) -> None:
    least = 3 if card.rubric == "technical" else 0
    assert sum(fact.key for fact in card.facts) >= least
