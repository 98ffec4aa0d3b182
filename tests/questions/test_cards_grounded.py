"""Every number that a card states is one of its facts, or an input that its question states."""

from collections.abc import Iterator

import pytest

from interviewer.grounding.facts import compute_facts
from interviewer.grounding.ledger import Ledger
from questions.checks import walk
from questions.library import load
from questions.model import QuestionCard

CARDS = load().cards


def inputs_only(card: QuestionCard) -> QuestionCard:
    """The card without the texts to be checked: a text must not be its own ground."""
    empty = {"model_answer": "", "short_answer": "", "probes": (), "red_flags": ()}
    return card.model_copy(update=empty)


def texts(card: QuestionCard) -> Iterator[tuple[str, str]]:
    yield "model answer", card.model_answer
    yield "short answer", card.short_answer
    for _, probe in walk(card.probes):
        yield f"{probe.id}: ask", probe.ask
        yield f"{probe.id}: good", probe.good
    for part in type(card.key_points).model_fields:
        for point in getattr(card.key_points, part):
            yield f"key point of {part}", point.point
    for rule in card.red_flags:
        yield "red flag", f"{rule.flag}. {rule.why}"


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_each_number_of_a_card_rests_on_a_fact(card: QuestionCard) -> None:
    ledger = Ledger.of(inputs_only(card), compute_facts(card))
    loose = {
        (where, quantity.text)
        for where, text in texts(card)
        for quantity in ledger.ground(text).ungrounded
    }
    assert loose == set()


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_each_fact_of_a_card_computes(card: QuestionCard) -> None:
    facts = compute_facts(card)
    assert [fact.fact.id for fact in facts] == [fact.id for fact in card.facts]
    assert all(fact.value > 0 for fact in facts)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_technical_card_has_at_least_three_key_numbers(card: QuestionCard) -> None:
    least = 3 if card.rubric == "technical" else 0
    assert sum(fact.key for fact in card.facts) >= least
