"""Figures that a judge holds to be wrong where code found nothing: they are shown as doubted.

They hold the number at 2, as what code found wrong does, and take from the overall level.
"""

from collections.abc import Iterable, Sequence

from interviewer.grounding.ledger import Ledger
from interviewer.quantities import find_quantities
from interviewer.scoring.grounded import grounded
from interviewer.scoring.quotes import find_quote
from interviewer.scoring.sentences import Stretch
from interviewer.scoring.verdicts import Doubt
from interviewer.transcript import Turn
from rubrics.scorecard import WRONG, NumberFinding, Scorecard

Findings = tuple[NumberFinding, ...]
UNSHOWN = "The judge worked out another figure; it is not shown, because no tool computed it."


def doubted(
    doubts: Iterable[Doubt],
    answers: Sequence[Turn],
    without: Sequence[Sequence[Stretch]],
    ledger: Ledger,
) -> Findings:
    """Those whose words were said and hold a figure; their reasons without ungrounded numbers."""
    found: list[NumberFinding] = []
    for doubt in doubts:
        quote = find_quote(doubt.quote, answers, without)
        if quote is None or not find_quantities(quote.quote):
            continue
        found.append(
            NumberFinding(
                said=quote.quote,
                turn=quote.turn,
                start=quote.start,
                end=quote.end,
                verdict="doubted",
                reason=grounded(doubt.why, ledger) or UNSHOWN,
            )
        )
    return tuple(found)


def beside(findings: Findings, doubts: Iterable[NumberFinding]) -> Findings:
    """Code's findings and the doubts in the order in which they were said.

    What code found wrong needs no doubt; a doubt takes the place of what nothing had checked.
    """
    kept: list[NumberFinding] = []
    wrong = [found for found in findings if found.verdict in WRONG]
    for doubt in doubts:
        if not any(_meet(doubt, other) for other in (*wrong, *kept)):
            kept.append(doubt)
    stand = (
        found
        for found in findings
        if found.verdict != "unchecked" or not any(_meet(found, doubt) for doubt in kept)
    )
    return tuple(sorted((*stand, *kept), key=lambda found: (found.turn, found.start)))


def agreed(cards: Sequence[Scorecard]) -> Findings:
    """What code found, and the doubts that more than half of the judgements of a round share."""
    by_card = [[found for found in card.numbers if found.verdict == "doubted"] for card in cards]
    shared = [
        doubt
        for doubts in by_card
        for doubt in doubts
        if 2 * sum(any(_meet(doubt, other) for other in others) for others in by_card) > len(cards)
    ]
    by_place = {
        (found.turn, found.start, found.end): found
        for card in cards
        for found in card.numbers
        if found.verdict != "doubted"
    }
    return beside(tuple(by_place.values()), shared)


def _meet(one: NumberFinding, other: NumberFinding) -> bool:
    return one.turn == other.turn and one.start < other.end and other.start < one.end
