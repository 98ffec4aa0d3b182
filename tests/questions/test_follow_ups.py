"""What a candidate is told and asked: in plain words, without what only the answer may tell."""

import re

import pytest

from interviewer.grounding.facts import compute_facts
from interviewer.quantities import Quantity, find_quantities
from questions.library import load
from questions.model import QuestionCard

CARDS = load().cards
OF_VIVA = re.compile(
    r"\b(?:by this card|(?:the|this) card's own|gives no inputs|(?:story|log|incident) below)\b",
    re.I,
)
TAKEN_FOR_GIVEN = re.compile(r"\byour (?:figure|number|factor|\d)|\bthat figure\b", re.I)
BY_CHANCE = {("FDE-11", "chance"), ("INF-090", "split"), ("INF-118", "top")}
"""Follow-ups that state a value of their own, or of a format, which a key fact has too."""


def figures(text: str) -> list[Quantity]:
    return [found for found in find_quantities(text) if any(map(str.isdigit, found.text))]


def same(one: float, other: float) -> bool:
    return abs(one - other) <= 0.01 * abs(other)


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_what_is_given_does_not_speak_of_the_card(card: QuestionCard) -> None:
    assert not [line for line in card.scenario if OF_VIVA.search(line)]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_question_for_a_missing_part_does_not_take_it_for_given(card: QuestionCard) -> None:
    missing = [probe for probe in card.probes if probe.when.missing == probe.part]
    assert not [probe.ask for probe in missing if TAKEN_FOR_GIVEN.search(probe.ask)]


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_question_for_a_missing_part_tells_no_key_number(card: QuestionCard) -> None:
    keys = [fact.value for fact in compute_facts(card) if fact.fact.key]
    given = [found.value for found in figures(" ".join((card.question, *card.scenario)))]
    told = [
        (card.id, probe.id)
        for probe in card.probes
        if probe.when.missing or probe.when.weak
        for found in figures(probe.ask)
        if not any(same(found.value, known) for known in given)
        if any(same(found.value, key) for key in keys)
    ]
    assert not set(told) - BY_CHANCE
