"""What is cut out of a model answer, or made wrong in it, is what the scorer finds at fault."""

import re

import pytest

from interviewer.grounding.facts import ComputedFact, compute_facts
from interviewer.quantities import find_quantities
from questions.model import QuestionCard
from rubrics.scorecard import NumberFinding, Part
from tests.questions.test_cards_scored import CARDS, scored

PARTS = tuple(Part)
FIGURE = re.compile(r"\d[\d,]*(?:\.\d+)?")
each_card = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)


def paragraphs(card: QuestionCard) -> list[str]:
    return [text for text in card.model_answer.split("\n\n") if text.strip()]


def levels(card: QuestionCard, answer: str) -> dict[Part, int]:
    return {score.part: score.level or 0 for score in scored(card, answer).scores}


def times_eight(said: str) -> str:
    return FIGURE.sub(lambda m: f"{8 * float(m[0].replace(',', '')):,.10g}", said, count=1)


def main_number(card: QuestionCard) -> list[NumberFinding]:
    """The places where the answer states, in figures, the first key fact that it states.

    A story's own number is held against nobody; it stands at the end of its arithmetic.
    """
    found = [f for f in scored(card, card.model_answer).numbers if FIGURE.search(f.said)]
    for computed in compute_facts(card):
        stated = [f for f in found if states(f, computed)]
        if computed.fact.key and stated:
            return stated
    return []


def states(found: NumberFinding, computed: ComputedFact) -> bool:
    if not computed.fact.story:
        return found.verdict == "right" and found.fact == computed.fact.id
    (said,) = find_quantities(found.said)
    near = abs(said.base - computed.base) <= computed.fact.tolerance * computed.base
    return found.reason.startswith("the arithmetic holds") and near


@each_card
def test_a_model_answer_has_a_paragraph_for_each_part(card: QuestionCard) -> None:
    assert len(paragraphs(card)) == len(PARTS)


@each_card
@pytest.mark.parametrize("cut", PARTS, ids=lambda part: part.value)
def test_a_part_cut_out_drops_and_takes_no_other_with_it(card: QuestionCard, cut: Part) -> None:
    kept = [text for part, text in zip(PARTS, paragraphs(card), strict=True) if part is not cut]
    whole, rest = levels(card, card.model_answer), levels(card, "\n\n".join(kept))
    assert rest[cut] < whole[cut]
    assert {part: whole[part] - rest[part] for part in PARTS if part is not cut} == {
        part: pytest.approx(0, abs=1) for part in PARTS if part is not cut
    }


@each_card
def test_the_main_number_times_eight_is_called_wrong(card: QuestionCard) -> None:
    places = main_number(card)
    answer = card.model_answer
    for place in sorted(places, key=lambda finding: finding.start, reverse=True):
        answer = answer[: place.start] + times_eight(place.said) + answer[place.end :]
    wrong = {f.said for f in scored(card, answer).numbers if f.verdict in ("wrong", "slip")}
    assert places
    assert {times_eight(place.said) for place in places} & wrong
