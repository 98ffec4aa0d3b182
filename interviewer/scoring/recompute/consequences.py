"""Numbers that a speaker worked out from a wrong one: "so that's 16 ms, and 18 in all"."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from math import floor

from interviewer.quantities import Quantity, Unit
from interviewer.scoring.recompute.rates import rate_of
from interviewer.scoring.recompute.sums import is_sound

REACH = 230
"""Characters within which a number still follows from another one."""
_TOLERANCE = 0.025
_ROUNDED = 0.1
_COUNTED = 10
"""The least number of things that fit; 'eight GPUs' are often a choice."""
_OTHERS = 6
"""The nearest numbers that a wrong one may have been multiplied with, divided by or added to."""
_STRONG = (
    r"\b(?:so|is|are|makes?|gives?|equals|leaves|takes?|costs?|needs?|gets?|holds?|means|with|fits?"
    r"|have|got|then|up to|(?:end up|looking) (?:at|with)|comes? to)"
)
_WEAK = (
    r"\b(?:was|saves?|produces?|becomes?|reach(?:es)?|carries|add up to|buys?|lose[sn]?|after"
    r"|waits?|and|at|to|of|for|or|like|can|says?|up)"
)
_FILLED = (
    r"(?: (?:um|uh|it|it's|its|a|an|the|i|i'd|we|you|you'd|that|that's|that is|is|are|at|like"
    r"|in all|about|around|roughly|nearly|almost|only|just|or|get|have|need|all|total of|user|each"
    r"|maybe|even|over|perhaps|some|basically|already|this|so)\b)* *\Z"
)
_FOLLOWS = re.compile(rf"(?:{_STRONG}|{_WEAK}|['’](?:s|ve|re)|[=,:→≈]){_FILLED}", re.IGNORECASE)
_BARE_FOLLOWS = re.compile(rf"(?:{_STRONG}|['’](?:s|ve)){_FILLED}", re.IGNORECASE)
"""Of a bare number: weaker words and commas stand before any number, and '=' gives what its own
sum does."""
_FITTING = re.compile(r"\b(?:fits?|holds?|have|got|room|hundreds?|serves?|fill)\b", re.IGNORECASE)
_OF_THINGS = re.compile(r" (?:[a-z-]+ )?[a-z-]+s\b", re.IGNORECASE)
"""'two all-reduces' are no two gigabytes."""
_TWICE = re.compile(r"\b(?:two|2|both|double|twice)\b", re.IGNORECASE)
_PERIODS = {
    ("second", "minute"): (60.0,), ("second", "hour"): (3600.0,), ("second", "day"): (86400.0,),
    ("minute", "hour"): (60.0,), ("hour", "day"): (24.0, 8.0), ("hour", "month"): (720.0, 730.0),
    ("hour", "year"): (8760.0,), ("day", "week"): (7.0, 5.0), ("day", "month"): (30.0, 20.0, 22.0),
    ("day", "year"): (365.0, 250.0), ("week", "year"): (52.0, 50.0), ("month", "year"): (12.0,),
}  # fmt: skip
_FACTORS = (None, "ratio", "tokens", "count", "tokens/count")
_HALF = re.compile(r"\bhalf\b", re.IGNORECASE)
_PLAIN = (None, "count", "tokens", "parameters")
Step = Callable[[float, float], float]
"""What a number is by two others: the cause and the one beside it."""
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
    follows = _FOLLOWS if said.unit else _BARE_FOLLOWS
    if not is_sound(said) or not follows.search(text[max(0, said.start - 50) : said.start]):
        return None
    vague = said.dimension == "ratio" and said.precision / said.value > _ROUNDED
    if vague:
        return None
    near = [other for other in earlier if said.start - other.end <= REACH and is_sound(other)]
    causes = [other for other in reversed(near) if other.start in right_bases]
    found = (
        Consequence(cause, read, said.value * fixed / read.base)
        for cause in causes
        for read in _readings(text, said, cause, near[-1])
        for stated, fixed in _worked_out(cause, right_bases, near, read, text)
        if _is_stated(stated, read, cause, text)
        and fixed > 0
        and abs(fixed / stated - 1) > _TOLERANCE
    )
    return next(found, None)


def _readings(text: str, said: Quantity, cause: Quantity, last: Quantity) -> Iterator[Quantity]:
    yield said
    if said.unit is not None and said.unit.dimension.endswith("/count"):  # '131 ms per step'
        symbol, _, _ = said.unit.symbol.rpartition("/")
        of_one = Unit(symbol, said.unit.dimension.removesuffix("/count"), said.unit.factor)
        yield replace(said, unit=of_one)
    if said.unit is not None or said.value < 1:  # 'a quarter' is one of something
        return
    if said.value <= _COUNTED and _OF_THINGS.match(text, said.end):
        return
    if said.text[-1:] not in "kKmMbB":  # '2K' is a length
        yield replace(said, unit=cause.unit)
        if last.unit not in (None, cause.unit):
            yield replace(said, unit=last.unit)


def _worked_out(
    cause: Quantity,
    right_bases: Mapping[int, float],
    near: Sequence[Quantity],
    said: Quantity,
    text: str,
) -> Iterator[tuple[float, float]]:
    """Each way to the number, with the wrong cause and with the right one, in base units."""
    wrong, right, kind = cause.base, right_bases[cause.start], said.dimension
    if kind == cause.dimension and _HALF.search(text, cause.end, said.start):
        yield wrong / 2, right / 2
    if (
        kind == cause.dimension
        and kind not in _PLAIN
        and _TWICE.search(text, cause.end, said.end + 30)
    ):
        yield 2 * wrong, 2 * right
    if cause.dimension == "time" and kind in ("tokens/time", "count/time"):
        yield 1 / wrong, 1 / right
    if cause.dimension in _FACTORS and kind in _FACTORS and cause.unit != said.unit:
        yield wrong, right  # 4.2 tokens a step are 4.2 times as fast
    for times in _periods(text, cause, said):
        yield wrong * times, right * times
    counted = (
        kind == "ratio"
        or said.value >= _COUNTED
        or (said.value >= 2 and _is_of_fitting(said, text))
    )
    for other in [other for other in near if other is not cause][-_OTHERS:]:
        beside = right_bases.get(other.start, other.base)
        for step in _steps(cause, other, kind, counted):
            yield step(wrong, other.base), step(right, beside)


def _is_stated(worked_out: float, said: Quantity, cause: Quantity, text: str) -> bool:
    """Whether a number is what was worked out, or as many whole things as fit."""
    of_cause = _TOLERANCE + min(_TOLERANCE, cause.precision / cause.value)
    rounded = min(_ROUNDED, said.precision / said.value) if said.text[-1:].isalpha() else 0.0
    if abs(worked_out / said.base - 1) <= max(of_cause, rounded):
        return True
    whole = said.dimension in _PLAIN and said.value >= 2 and floor(worked_out) == said.base
    return whole and _is_of_fitting(said, text)


def _is_of_fitting(said: Quantity, text: str) -> bool:
    return _FITTING.search(text, max(0, said.start - 40), said.end + 20) is not None


def _periods(text: str, cause: Quantity, said: Quantity) -> Iterator[float]:
    """How many of the cause's period the number's has, where both are named."""
    of_cause, of_said = rate_of(text, cause), rate_of(text, said)
    if of_cause is None or of_said is None or of_cause.kind != of_said.kind:
        return
    unit = of_said.said.base / of_said.amount * of_cause.amount / cause.base
    for times in _PERIODS.get((of_cause.period, of_said.period), ()):
        yield times * unit


def _steps(cause: Quantity, other: Quantity, kind: str | None, counted: bool) -> Iterator[Step]:
    """What the dimensions allow to be done to the cause with another number."""
    yield from _scaled(cause, other, kind)
    if counted:
        yield from _fitting(cause, other, kind)
    yield from _over_time(cause, other, kind)


def _scaled(cause: Quantity, other: Quantity, kind: str | None) -> Iterator[Step]:
    """So many times it, or a part of it, or more than it."""
    of, its = cause.dimension or "", other.dimension
    each = of in (f"{kind}/count", f"{kind}/tokens")
    if ((each or kind == of) and its in _PLAIN) or (kind, its) == (f"{of}/time", "count/time"):
        yield lambda value, amount: value * amount
    if kind == of and its in _PLAIN:
        yield lambda value, amount: value / amount
    if all(plain in _PLAIN for plain in (kind, cause.dimension, its)) and other.base >= 2:
        yield lambda value, amount: value * amount
        yield lambda value, amount: value / amount
    if kind == of and of not in _PLAIN and its in (of, None):
        factor = 1.0 if its else cause.base / cause.value  # a bare number has the cause's unit
        yield lambda value, amount: value + amount * factor
        yield lambda value, amount: value - amount * factor
        yield lambda value, amount: amount * factor - value
    if kind == its and its not in _PLAIN and cause.dimension in (*_PLAIN, "ratio"):
        yield lambda value, amount: amount * value
        if cause.dimension in _PLAIN:
            yield lambda value, amount: amount / value
    if of == "bytes" and its == "usd/bytes" and kind in ("usd", "usd/time"):
        yield lambda value, amount: amount * value


def _fitting(cause: Quantity, other: Quantity, kind: str | None) -> Iterator[Step]:
    """How often one of the two goes into the other."""
    of, its = cause.dimension or "", other.dimension
    if its == of and of not in _PLAIN and kind in (*_PLAIN, "ratio"):
        yield lambda value, amount: amount / value
        yield lambda value, amount: value / amount
    if its is None and of.partition("/")[0] == "bytes" and kind in _PLAIN:
        yield lambda value, amount: amount * cause.base / cause.value / value


def _over_time(cause: Quantity, other: Quantity, kind: str | None) -> Iterator[Step]:
    """An amount, its rate and its time: each from the other two."""
    of, its = cause.dimension or "", other.dimension or ""
    if (its, of, kind) in _QUOTIENTS:
        yield lambda value, amount: amount / value
    if (of, its, kind) in _QUOTIENTS:
        yield lambda value, amount: value / amount
    if (kind, of, its) in _QUOTIENTS:
        yield lambda value, amount: value * amount
    if kind in ("tokens/time", "count/time") and (of, its) == ("bytes/time", "bytes"):
        yield lambda value, amount: value / amount  # each token reads all of it
    if kind in ("tokens/time", "count/time") and (of, its) == ("bytes", "bytes/time"):
        yield lambda value, amount: amount / value
