"""Numbers that a speaker worked out from a wrong one: "so that's 16 ms, and 18 in all"."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from interviewer.quantities import Quantity

REACH = 230
"""Characters within which a number still follows from another one."""
_TOLERANCE = 0.025
_COUNTED = 10
"""The least number of things that fit; 'eight GPUs' are often a choice."""
_OTHERS = 6
"""The nearest numbers that a wrong one may have been multiplied with, divided by or added to."""
_FOLLOWS = re.compile(
    r"(?:\b(?:so|is|makes|gives|equals|leaves|takes?|costs?|needs?|gets?|holds?|means|with"
    r"|(?:end up|looking) (?:at|with)|comes? to)|['’]s|=|,)"
    r"(?: (?:um|uh|it|it's|its|a|an|the|i|i'd|we|you|you'd|that|that's|that is|is|are|at|like"
    r"|in all|about|around|roughly|nearly|only|just|or|get|have|need|all|total of|user|each)\b)*"
    r" *\Z",
    re.IGNORECASE,
)
_HALF = re.compile(r"\bhalf\b", re.IGNORECASE)
_PLAIN = (None, "count", "tokens", "parameters")
_QUOTIENTS = {("bytes", "bytes/time", "time"), ("flop", "flop/time", "time")}
"""An amount over its rate is a time."""


@dataclass(frozen=True, slots=True)
class Consequence:
    """What a number follows from, and what it would have been."""

    cause: Quantity
    read: Quantity
    """The number with its unit, said or understood."""
    value: float
    """In the stated unit."""


def consequence(
    text: str, said: Quantity, earlier: Sequence[Quantity], right_bases: Mapping[int, float]
) -> Consequence | None:
    """The wrong number that `said` was worked out from, if there is one nearby.

    A bare number, as in "so about eighteen", may have its cause's unit.
    """
    if said.base <= 0 or not _FOLLOWS.search(text[max(0, said.start - 40) : said.start]):
        return None
    near = [other for other in earlier if said.start - other.end <= REACH and other.base > 0]
    causes = [other for other in reversed(near) if other.start in right_bases]
    found = (
        Consequence(cause, read, said.value * fixed / read.base)
        for cause in causes
        for read in _readings(said, cause)
        for stated, fixed in _worked_out(cause, right_bases[cause.start], near, read, text)
        if abs(stated / read.base - 1) <= max(_TOLERANCE, said.precision / said.value)
    )
    return next(found, None)


def _readings(said: Quantity, cause: Quantity) -> Iterator[Quantity]:
    yield said
    if said.unit is None and said.text[-1:] not in "kKmMbB":  # '2K' is a length
        yield replace(said, unit=cause.unit)


def _worked_out(
    cause: Quantity, right: float, near: Sequence[Quantity], said: Quantity, text: str
) -> Iterator[tuple[float, float]]:
    """Each way to the number, with the wrong cause and with the right one, in base units."""
    wrong, kind = cause.base, said.dimension
    if kind == cause.dimension and _HALF.search(text, cause.end, said.start):
        yield wrong / 2, right / 2
    if cause.dimension == "time" and kind in ("tokens/time", "count/time"):
        yield 1 / wrong, 1 / right
    for other in [other for other in near if other is not cause][-_OTHERS:]:
        for step in _steps(cause, other, kind, said.value):
            yield step(wrong), step(right)


def _steps(
    cause: Quantity, other: Quantity, kind: str | None, said: float
) -> Iterator[Callable[[float], float]]:
    """What the dimensions allow to be done to the cause with another number."""
    amount, of, its = other.base, cause.dimension or "", other.dimension
    each = of in (f"{kind}/count", f"{kind}/tokens")
    if ((each or kind == of) and its in _PLAIN) or (kind, its) == (f"{of}/time", "count/time"):
        yield lambda value: value * amount
    if kind == of and its in _PLAIN:
        yield lambda value: value / amount
    if kind == of and of not in _PLAIN and its in (of, None):
        factor = 1.0 if its else cause.base / cause.value  # a bare number has the cause's unit
        yield lambda value: value + amount * factor
    if its == of and of not in _PLAIN and kind in _PLAIN and said >= _COUNTED:
        yield lambda value: amount / value
        yield lambda value: value / amount
    if (its, of, kind) in _QUOTIENTS:
        yield lambda value: amount / value
    if (of, its, kind) in _QUOTIENTS:
        yield lambda value: value / amount
    if (kind, of, its) in _QUOTIENTS:
        yield lambda value: value * amount
