"""Checks the candidate's numbers against the card's facts and their own stated arithmetic."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial

from interviewer.grounding.facts import ComputedFact
from interviewer.grounding.ledger import only_counts
from interviewer.quantities import Quantity, find_quantities
from interviewer.quantities.show import show
from interviewer.scoring.recompute.bits import (
    repeated_rates,
    restated_sizes,
    stated_samples,
    stated_steps,
)
from interviewer.scoring.recompute.capacity import Capacity, false_capacities
from interviewer.scoring.recompute.changes import stated_changes
from interviewer.scoring.recompute.consequences import Consequence, consequence
from interviewer.scoring.recompute.data_sheets import stated_hardware
from interviewer.scoring.recompute.facts import FactMatch, KnownFacts, best_match, known_facts
from interviewer.scoring.recompute.intervals import stated_margins
from interviewer.scoring.recompute.parts import (
    stated_fractions,
    stated_multiples,
    stated_parts,
    stated_proportions,
    stated_shares,
    stated_totals,
)
from interviewer.scoring.recompute.points import stated_points
from interviewer.scoring.recompute.powers import stated_chains, stated_drafts, stated_powers
from interviewer.scoring.recompute.rates import (
    stated_counts,
    stated_loads,
    stated_periods,
    stated_times,
    stated_work,
)
from interviewer.scoring.recompute.sizes import stated_caches, stated_sizes, stated_vectors
from interviewer.scoring.recompute.sums import TOLERANCE, StatedSum, is_sound, stated_sums
from interviewer.scoring.recompute.surroundings import Passage, Surroundings
from interviewer.transcript import Turn
from rubrics.scorecard import NumberFinding

RECOMPUTE = (
    stated_hardware,
    stated_points,
    stated_vectors,
    stated_changes,
    stated_shares,
    stated_sums,
    stated_sizes,
    stated_caches,
    stated_totals,
    stated_parts,
    stated_fractions,
    stated_multiples,
    stated_periods,
    stated_loads,
    stated_counts,
    stated_proportions,
    stated_powers,
    stated_drafts,
    stated_chains,
    stated_margins,
    repeated_rates,
    restated_sizes,
    stated_samples,
    stated_steps,
    stated_times,
    stated_work,
)
"""What is recomputed without a card; of two that speak of one number the later counts."""


Figure = tuple[float, str | None]
_NEXT, _BESIDE = 16, 90
_SAME, _ROUNDED = 0.005, 0.02
_REACH = 160
_LAST_DIGIT = 0.006
_RATES = ("tokens/time", "count/time")
_CARDS_SHARE = 0.45
_MEANT, _EXACT = 1.5, 0.015
"""With fewer words, and further off, a number may fit a fact by chance if its own sum is wrong."""


_ADDED_TO = re.compile(r"\s*(?:\+|(?:plus|minus)\b)", re.IGNORECASE)
"""After a number that is a part of a sum: it is no fact's whole, too large by what was added."""
AS_GIVEN = "as given with the question"


def check_numbers(
    turns: Sequence[Turn], facts: Sequence[ComputedFact], given: tuple[str, ...] = ()
) -> tuple[NumberFinding, ...]:
    """One finding for every quantity of the candidate's turns, in order.

    Small counting words without a unit are left out unless a fact or a sum speaks of them. `given`
    is what the candidate was told: a figure of it that no fact speaks of is said to be given.
    """
    known, told = known_facts(facts), _figures(given)
    return tuple(
        finding
        for turn in turns
        if turn.speaker == "candidate"
        for finding in _check_turn(turn, known, told)
    )


@lru_cache(maxsize=1024)
def _figures(texts: tuple[str, ...]) -> frozenset[Figure]:
    """The figures of a card's question and scenario, by value and dimension."""
    return frozenset(
        (said.base, said.dimension) for text in texts for said in find_quantities(text)
    )


def _check_turn(
    turn: Turn, facts: KnownFacts, given: Collection[Figure]
) -> Iterator[NumberFinding]:
    quantities = find_quantities(turn.text)
    sound = [said for said in quantities if is_sound(said)]
    sums = {
        stated.result.start: stated
        for recompute in RECOMPUTE
        for stated in recompute(turn.text, sound)
    }
    matches = _matches(turn, sound, facts, sums)
    told: dict[Figure, float] = {}
    right_bases: dict[int, float] = {}
    read: list[Quantity] = []
    for said in quantities:
        factor = told.get((said.base, said.dimension)) or told.get((said.value, _stem(said)))
        if factor is not None:  # a mistake is told once
            right_bases[said.start] = said.base / factor
            read.append(said)
            yield _unchecked(turn, said)
            continue
        match, stated = matches.get(said.start), sums.get(said.start)
        finding = _finding(turn, said, match, stated, read, right_bases)
        follows = None
        is_given = (said.base, said.dimension) in given
        if right_bases and not is_given and not _is_settled(finding):
            follows = consequence(turn.text, said, read, right_bases)
        if follows is not None:
            said = follows.read
            finding = _led_to(turn, said, follows)
        if finding.verdict in ("wrong", "slip"):
            if follows is not None:
                factor = said.value / follows.value
            else:
                factor = match.factor if match is not None else _factor(said, stated, right_bases)
            told |= {(said.base, said.dimension): factor, (said.value, _stem(said)): factor}
            told[said.value, None] = factor
            right_bases[said.start] = said.base / factor
        read.append(said)
        if finding.verdict == "unchecked" and only_counts(said):
            continue
        if is_given and not _is_settled(finding):
            finding = finding.model_copy(update={"reason": AS_GIVEN})
        yield finding
    if right_bases:
        yield from map(partial(_capacity, turn), false_capacities(turn.text, read, right_bases))


def _matches(
    turn: Turn,
    quantities: Sequence[Quantity],
    facts: KnownFacts,
    sums: Mapping[int, StatedSum],
) -> dict[int, FactMatch]:
    """The fact that each number states, by where it begins."""
    spoken = turn.answer is not None and turn.answer.mode == "spoken"
    passage = Passage(turn.text, spoken=spoken)
    found: dict[int, FactMatch] = {}
    befores, afters = (None, *quantities), (*quantities[1:], None)
    for before, said, after in zip(befores, quantities, afters, strict=False):
        match = best_match(said, Surroundings(passage, said), facts)
        if match is None:
            continue
        if match.verdict != "right" and (
            _ADDED_TO.match(turn.text, said.end)
            or _is_step_of(match, said, before, after)
            or _stands_by_right(match, said, quantities)
            or _is_by_chance(match, said, sums.get(said.start))
        ):
            continue
        found[said.start] = match
    if _follows_card(found.values(), quantities):
        return found
    return {
        at: match
        for at, match in found.items()
        if match.verdict == "right" or match.meant >= _MEANT
    }


def _follows_card(found: Iterable[FactMatch], quantities: Sequence[Quantity]) -> bool:
    """Whether at least so much of what is measured is the card's: else it is another set-up, in
    which a number may be a slip of a fact by chance.
    """
    measured = sum(not only_counts(said) for said in quantities)
    return sum(match.verdict == "right" for match in found) >= _CARDS_SHARE * measured


def _finding(
    turn: Turn,
    said: Quantity,
    match: FactMatch | None,
    stated: StatedSum | None,
    read: Sequence[Quantity],
    right_bases: Mapping[int, float],
) -> NumberFinding:
    """What a fact says of a number goes first, then its arithmetic, then what a slip led to."""
    by_chance = (
        match is not None
        and match.verdict == "right"
        and match.meant < _MEANT
        and match.distance > _EXACT
    )
    if match is not None and not (by_chance and stated is not None and not stated.right):
        return _of_fact(turn, said, match)
    if stated is None or _holds_with_the_right(said, stated, read, right_bases):
        return _unchecked(turn, said)
    follows = stated.corrected(right_bases)
    return _of_sum(turn, said, stated) if follows is None else _follows(turn, said, stated, follows)


def _is_step_of(
    match: FactMatch, said: Quantity, before: Quantity | None, after: Quantity | None
) -> bool:
    """Whether a slip only leads to the right number, "1.9, so 2.9 with the last", or is the rate of
    another step than the fact's: "30 ms, so 33 tokens a second".
    """
    right = match.known.computed
    if after is not None and after.start - said.end < _NEXT:
        stated = after.base / right.base if after.unit else after.value / right.value
        if abs(stated - 1) <= _EXACT:
            return True
    if before is None or before.dimension != "time" or said.dimension not in _RATES:
        return False
    return abs(said.base * before.base - 1) <= _EXACT


def _holds_with_the_right(
    said: Quantity, stated: StatedSum, read: Sequence[Quantity], right_bases: Mapping[int, float]
) -> bool:
    """Whether a result that its figures do not give is what a wrong one of them should have given:
    only that one is held against the candidate.
    """
    if stated.right or stated.value <= 0:
        return False
    return any(
        abs(said.value / (stated.value * factor) - 1) <= TOLERANCE
        for cause in read
        if cause.start in right_bases and said.start - cause.end < _REACH
        for factor in (right_bases[cause.start] / cause.base, cause.base / right_bases[cause.start])
    )


def _stands_by_right(match: FactMatch, said: Quantity, quantities: Sequence[Quantity]) -> bool:
    """Whether the right value itself is said nearby: "2,207 in each arm, so 4,400"."""
    right = match.known.computed
    value = right.value if match.bare else right.base
    near = (q for q in quantities if said.start - _BESIDE < q.start < said.end + _BESIDE)
    alike = (q for q in near if q is not said and q.dimension == said.dimension and q.value > 0)
    return any(
        abs(other.base / value - 1) <= max(_SAME, min(_ROUNDED, other.precision / other.value))
        for other in alike
    )


def _is_by_chance(match: FactMatch, said: Quantity, stated: StatedSum | None) -> bool:
    """Whether a slip's value is met in another meaning, being missed by more than the last digit:
    in what the speaker's own sum gives, or in "25.1 left", which is seldom a count of users.
    """
    unit = match.known.computed.unit
    counts = unit is not None and unit.dimension == "count"
    own = stated is not None and stated.right
    odd = match.bare and counts and said.value % 1 > 0
    return (own or odd) and match.distance > max(_LAST_DIGIT, said.precision / said.value)


def _is_settled(finding: NumberFinding) -> bool:
    return finding.verdict != "unchecked" or bool(finding.reason)


def _stem(said: Quantity) -> str | None:
    """The symbol of a unit without what it is per: 256 KB/s goes on as 256 KB."""
    return said.unit.symbol.partition("/")[0] if said.unit else None


def _factor(said: Quantity, stated: StatedSum | None, right_bases: Mapping[int, float]) -> float:
    """Of a wrong result: stated over right."""
    if stated is None:
        return 1.0
    right = stated.corrected(right_bases) or stated.value
    return said.value / right if right else 1.0


def _unchecked(turn: Turn, said: Quantity) -> NumberFinding:
    return NumberFinding(
        said=said.text, turn=turn.number, start=said.start, end=said.end, verdict="unchecked"
    )


def _of_sum(turn: Turn, said: Quantity, stated: StatedSum) -> NumberFinding:
    """A stated result; that the arithmetic holds does not make its inputs right."""
    finding = _unchecked(turn, said)
    if stated.right:
        return finding.model_copy(update={"reason": f"the arithmetic holds: {stated.expression}"})
    right = show(stated.value, said.unit.symbol if said.unit else "")
    update = {
        "verdict": "wrong",
        "right": right,
        "reason": f"{stated.expression} is {right}, not {said.text}",
        "formula": f"{stated.expression} = {right}",
        "source": stated.source,
    }
    return finding.model_copy(update=update)


def follows_from(cause: str) -> str:
    """The reason of a figure that is wrong because another one, or a sum, is."""
    return f"follows from {cause}"


def _follows(turn: Turn, said: Quantity, stated: StatedSum, right: float) -> NumberFinding:
    shown = show(right, said.unit.symbol if said.unit else "")
    update = {"verdict": "wrong", "right": shown, "reason": follows_from(stated.expression)}
    return _unchecked(turn, said).model_copy(update=update)


def _led_to(turn: Turn, said: Quantity, follows: Consequence) -> NumberFinding:
    shown = show(follows.value, said.unit.symbol if said.unit else "")
    update = {"verdict": "wrong", "right": shown, "reason": follows_from(follows.cause.text)}
    return _unchecked(turn, said).model_copy(update=update)


def _capacity(turn: Turn, claim: Capacity) -> NumberFinding:
    size, room = show(claim.right / 1e9, "GB"), show(claim.room / 1e9, "GB")
    return NumberFinding(
        said=turn.text[claim.start : claim.end],
        turn=turn.number,
        start=claim.start,
        end=claim.end,
        verdict="wrong",
        right=f"{size} against {room}",
        reason=follows_from(claim.cause.text),
    )


def _of_fact(turn: Turn, said: Quantity, match: FactMatch) -> NumberFinding:
    computed = match.known.computed
    result = computed.result
    return _unchecked(turn, said).model_copy(
        update={
            "verdict": match.verdict,
            "right": computed.shown,
            "fact": computed.fact.id,
            "reason": match.reason,
            "tool": computed.fact.tool,
            "arguments": dict(computed.fact.arguments),
            "formula": result.formula if result else "",
            "source": computed.source,
        }
    )
