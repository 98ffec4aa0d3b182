"""Figures that a judge holds to be wrong where code found nothing: they are shown as doubted.

They hold the number at 2, as what code found wrong does, and take from the overall level.
"""

from collections.abc import Mapping, Sequence

from interviewer.grounding.ledger import Ledger
from interviewer.quantities import find_quantities
from interviewer.scoring.grounded import grounded
from interviewer.scoring.number_check import follows_from
from interviewer.scoring.verdicts import NumberDecision
from rubrics.scorecard import WRONG, NumberFinding, Scorecard, Verdict

Findings = tuple[NumberFinding, ...]
Place = tuple[int, int, int]
"""Turn, start and end: a claim that something fits may begin where its figure does."""
MOST_ASKED = 40
"""Figures that a judge is asked about: as many as the longest rated answers have, and a reply that
stays within its bound."""
UNDECIDED = NumberDecision(why="", verdict="cannot_tell")
UNSHOWN = "The judge worked out another figure; it is not shown, because no tool computed it."


def asked_about(findings: Findings) -> dict[str, NumberFinding]:
    """What code did not compute to be wrong, by the ids under which a judge decides it, in order.

    A slip is decided too: code knows it by its value alone.
    """
    open_ones = [found for found in findings if found.verdict != "wrong"]
    return {f"n{place}": found for place, found in enumerate(open_ones[:MOST_ASKED], start=1)}


def decided(
    findings: Findings, decisions: Mapping[str, NumberDecision], ledger: Ledger
) -> Findings:
    """The findings, doubted where the judge holds them to be wrong; a slip that it lets stand is
    none, nor is what code found wrong for following from it. What is said again is doubted once.
    """
    names = {_place(found): name for name, found in asked_about(findings).items()}
    after: list[NumberFinding] = []
    wrong: set[float] = set()
    standing: set[str] = set()
    for found in findings:
        decision = decisions.get(names.get(_place(found), ""), UNDECIDED)
        if _stands(found, decision, standing):
            standing.add(follows_from(found.said))
            after.append(_instead(found, "unchecked"))
        elif _is_doubted(found, decision) and not wrong & _values(found):
            after.append(_instead(found, "doubted", grounded(decision.why, ledger) or UNSHOWN))
        else:
            after.append(found)
        if after[-1].is_wrong:
            wrong |= _values(found)
    return tuple(after)


def _stands(found: NumberFinding, decision: NumberDecision, standing: set[str]) -> bool:
    if found.verdict == "wrong":
        return found.reason in standing
    return found.verdict == "slip" and decision.verdict == "holds"


def _is_doubted(found: NumberFinding, decision: NumberDecision) -> bool:
    return found.verdict not in WRONG and decision.verdict == "wrong"


def _instead(found: NumberFinding, verdict: Verdict, reason: str = "") -> NumberFinding:
    """The figure without the fact whose value it has: the judge says that it means another."""
    return NumberFinding(
        said=found.said,
        turn=found.turn,
        start=found.start,
        end=found.end,
        verdict=verdict,
        reason=reason,
    )


def _values(found: NumberFinding) -> set[float]:
    return {quantity.value for quantity in find_quantities(found.said)}


def agreed(cards: Sequence[Scorecard]) -> Findings:
    """The findings of a round's judgements as more than half of them have it, else as code has."""
    by_place: dict[Place, list[NumberFinding]] = {}
    for found in (found for card in cards for found in card.numbers):
        by_place.setdefault(_place(found), []).append(found)
    return tuple(_of_most(by_place[place]) for place in sorted(by_place))


def _of_most(votes: Sequence[NumberFinding]) -> NumberFinding:
    verdicts = [vote.verdict for vote in votes]
    for vote in votes:
        if 2 * verdicts.count(vote.verdict) > len(votes):
            return vote
    of_code = [vote for vote in votes if vote.verdict != "doubted"]
    return next((vote for vote in of_code if vote.verdict == "slip"), of_code[0])


def _place(found: NumberFinding) -> Place:
    return found.turn, found.start, found.end
