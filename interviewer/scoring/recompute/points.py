"""Recomputes results whose digits are right and whose decimal point is not.

"50M records of 1,024 dimensions as 4-byte floats are 20.5 GB", in whatever words the factors stand.
Knows no card.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from math import log10, prod

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.rates import IN_UNIT, seconds_of
from interviewer.scoring.recompute.sums import CONTINUES, RESULT, TOLERANCE, StatedSum

_IS = re.compile(rf"{RESULT}\s*\Z", re.IGNORECASE)
_TAKEN_BACK = re.compile(r"[\s.,;…]*(?:no|wait|sorry|hmm)\b", re.IGNORECASE)
_ENDS = re.compile(r"[.!?;](?=\s)")
_SMALL_COUNT = 10
_REACH = 200
_FACTORS = 4
_MOST_STEPS = 3
_SAME_DIGITS = 0.03
_SCALARS = ("count", "tokens", "ratio", "parameters")
_COUNTED = ("days", "weeks", "months", "years")
"""Spans that are also counted, and for which rates are given: 80 hours a day for 21 days."""


@dataclass(frozen=True, slots=True)
class _Reading:
    """A value in base units, and the powers of its dimensions; counts and ratios have none."""

    value: float
    powers: tuple[tuple[str, int], ...]


def stated_points(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every result that is a power of ten off the product or quotient of what stands before it."""
    for at, said in enumerate(quantities):
        before = [
            other
            for other in quantities[max(0, at - _FACTORS) : at]
            if said.start - other.end < _REACH
        ]
        if not before or not _is_result(text, before[-1], said):
            continue
        found = _lost_point(text, before, said)
        if found is not None and not _is_explained(before, said):
            factors, ratio = found
            expression = text[factors[0].start : factors[-1].end]
            yield StatedSum(said, said.value / ratio, expression, right=False)


def _is_result(text: str, last: Quantity, said: Quantity) -> bool:
    """Whether a number is said to be what the last one before it comes to, in the same sentence."""
    if said.dimension == "count" or _is_small_count(said):
        return False  # so many pages are counted, and no share of two sizes
    if not _IS.search(text, last.end, said.start) or _ENDS.search(text, last.end, said.start):
        return False
    return not CONTINUES.match(text, said.end) and not _TAKEN_BACK.match(text, said.end)


def _is_small_count(said: Quantity) -> bool:
    return said.unit is None and said.value <= _SMALL_COUNT and said.value == int(said.value)


def _lost_point(
    text: str, before: Sequence[Quantity], said: Quantity
) -> tuple[Sequence[Quantity], float] | None:
    """The factors right before a result of which it is a power of ten off, and how far."""
    for count in range(2, len(before) + 1):
        factors = before[-count:]
        if _IS.search(text, factors[0].end, factors[1].start):
            return None  # "five percent of them, so 300 at 8 minutes": the 300 hold the share
        if not any(reading.powers for factor in factors for reading in _readings(factor)):
            continue  # bare numbers and counts: too many go together by chance
        ratios = (ratio for signs in _signs(count) for ratio in _ratios(factors, signs, said))
        lost = next(filter(_has_same_digits, ratios), None)
        if lost is not None:
            return factors, lost
    return None


def _has_same_digits(ratio: float) -> bool:
    power = log10(ratio)
    same = abs(power - round(power)) < log10(1 + _SAME_DIGITS)
    return same and 1 <= abs(round(power)) <= _MOST_STEPS


def _signs(count: int) -> Sequence[tuple[int, ...]]:
    """A product; of two also either quotient."""
    return [(1, 1), (1, -1), (-1, 1)] if count == 2 else [(1,) * count]


def _is_explained(before: Sequence[Quantity], said: Quantity) -> bool:
    """Whether any of what stands before it comes to the result."""
    allowed = max(TOLERANCE, 1.01 * said.precision / said.value)
    return any(
        abs(ratio - 1) <= allowed
        for count in range(1, len(before) + 1)
        for factors in combinations(before, count)
        for signs in product((1, -1), repeat=count)
        for ratio in _ratios(factors, signs, said)
    )


def _ratios(factors: Sequence[Quantity], signs: Sequence[int], said: Quantity) -> Iterator[float]:
    """Stated over computed, for every way to read the quantities in which the dimensions agree."""
    for readings in product(*map(_readings, factors)):
        computed = prod(r.value**sign for r, sign in zip(readings, signs, strict=True))
        powers = _powers(
            (name, power * sign)
            for reading, sign in zip(readings, signs, strict=True)
            for name, power in reading.powers
        )
        yield from (r.value / computed for r in _readings(said) if r.powers == powers)


def _readings(said: Quantity) -> Iterator[_Reading]:
    """As it stands; without the period that it is for; and a span as so many days."""
    over, _, under = (said.dimension or "").partition("/")
    powers = [(over, 1), *((name, -1) for name in under.split("/"))]
    yield _Reading(said.base if said.unit else said.value, _powers(powers))
    if said.unit is None:
        return
    if said.unit.symbol in _COUNTED:
        yield _Reading(said.value, ())
    if (own := IN_UNIT.search(said.unit.symbol)) and own.group(1) not in ("s", "min"):
        yield _Reading(said.base * seconds_of(own.group(1)), _powers([*powers, ("time", 1)]))


def _powers(named: Iterable[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    found: dict[str, int] = {}
    for name, power in named:
        if name and name not in _SCALARS:
            found[name] = found.get(name, 0) + power
    return tuple(sorted((name, power) for name, power in found.items() if power))
