"""Recomputes parts of a whole that are stated aloud, by the share or by the count.

"2 percent of 40,000 claims is 800"; "225 of 250, which is 90 percent"; "three weeks of twelve, so
25 percent"; "30 sequences at 2.7 GB is 81 GB". Knows no card.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import log10

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.rates import IN_UNIT, seconds_of
from interviewer.scoring.recompute.sums import (
    RESULT,
    TOLERANCE,
    StatedSum,
    is_cut_off,
    is_percent,
    is_step,
)

_OF = re.compile(
    r"\s*(?:of|from|on) (?:(?:the|your|our|their|my|all|those|these|about|roughly|a|an) ){0,3}\Z",
    re.IGNORECASE,
)
_NOUNS = (
    r"(?:\s+(?!per\b|a\b|an\b|each\b|every\b|times\b|over\b|plus\b|minus\b|by\b)[a-z'’-]+){0,4}?"
)
_IS = re.compile(rf"{_NOUNS}\s*,?\s*(?:and\s+|so\s+)?{RESULT}\s*\Z", re.IGNORECASE)
_IS_PART = re.compile(
    rf"(?:\s+(?:a|per|each|every) [a-z]+)?{_NOUNS}\s*,?\s*(?:and\s+|so\s+)?{RESULT}\s*\Z",
    re.IGNORECASE,
)
_AT = re.compile(
    r"(?:\s+(?:of\s+)?[a-z]+){0,3}?\s+at (?:about |roughly |around )?\Z", re.IGNORECASE
)
_AT_BEFORE = re.compile(r"\b(?:at|of|with) \Z", re.IGNORECASE)
_GOES_ON = re.compile(
    r"\s*(?:[x×*·/÷+^]|(?:times|over|squared|divided|plus|minus)\b)", re.IGNORECASE
)
_NO_PART = re.compile(r"\s*(?:power|confidence|interval|level|chance)\b", re.IGNORECASE)
_TOGETHER = re.compile(r"(?:[^.!?;\d]|\.(?!\s)){0,60}")
_MANY = 1000
_WIDEST = 8
_LONG = ("days", "weeks", "months", "h", "years")
_PERIODS = (7.0, 12.0, 24.0, 30.0, 52.0, 60.0, 365.0, 3600.0, 86400.0)
_POWERS = (10.0, 100.0, 1000.0, 1e4, 1e6)
_TENS = 0.06
_PLAIN = (None, "count", "tokens", "parameters")
_SUMMED = ("bytes", "usd", "eur", "gbp", "time", "flop")
_REACH = 200
_EARLIER = 8
_SEVERAL = 40
_TAKES = re.compile(
    rf"\b(?:takes?|costs?|needs?|uses?|in)\b[^.!?;]{{0,16}}\Z|{RESULT}\s*\Z", re.IGNORECASE
)
_OUT_OF = re.compile(
    # "two waves of 132" are 264
    r"\s*(?!(?:wave|round|batch|group|set|row|run|pass|time|block|chunk)e?s? )"
    r"(?:[a-z]+ )?(?:out )?of (?:(?:the|your|our|their|my|these|those|all|same) ){0,2}\Z",
    re.IGNORECASE,
)
_IS_SHARE = re.compile(
    r"(?:[^.!?;:\d]{0,40}?\b(?:which|that|this|it) (?:is|makes|gives)|[^.!?;:\d]{0,40}?\bthat['’]s"
    r"|\s*=|(?:\s+[a-z]+){0,4},|(?:\s+[a-z]+){0,3} (?:is|are|or|so))"
    r"\s*(?:um |uh )?(?:about|around|roughly|nearly|only|just|like|a)?\s*\Z",
    re.IGNORECASE,
)
_RANGE = re.compile(r"\s*(?:to|-|–)\s*\w")
_POINTS = 1.5
"""Percentage points that a share may be off."""


def stated_parts(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "p percent of n is k"; of looser wordings those that are a power of ten off."""
    for share, whole, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        if is_percent(whole):
            share, whole = whole, share
        if not is_percent(share) or not _may_be_part(said, whole):
            continue
        last = max(share.end, whole.end)
        if not _TOGETHER.fullmatch(text[min(share.end, whole.end) : max(share.start, whole.start)]):
            continue
        if not _IS_PART.match(text[last : said.start]) or _is_otherwise(text, share, said):
            continue
        if _is_of_several(text, quantities, share, said.base / (share.base * whole.base)):
            continue
        part, rest = share.base * whole.base, (1 - share.base) * whole.base
        if whole.dimension == "count/time" and said.unit is None:
            part, rest = share.base * whole.value, (1 - share.base) * whole.value
        ways = [part, rest] if rest > 0 else [part]
        right = min(ways, key=lambda value: _from_ten(said.base / value))
        off = said.base / right
        allowed = max(TOLERANCE, 1.01 * said.precision / said.value)
        fits = abs(off - 1) <= allowed
        direct = share.start < whole.start and _OF.match(text[share.end : whole.start])
        tens = _is_power_of_ten(off) and whole.value >= _MANY
        if not fits and not tens:
            if not direct or _is_period(off) or _is_period(said.base / part):
                continue
            right = part
        expression = text[min(share.start, whole.start) : last]
        yield StatedSum(said, right * said.value / said.base, expression, fits)


def stated_shares(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "k of n ... is p percent"; p may also be the share of the rest."""
    for part, whole, share in zip(quantities, quantities[1:], quantities[2:], strict=False):
        if not is_percent(share) or is_percent(part):
            continue
        bare = None in (part.unit, whole.unit)  # "0.7 ms of 25.8" has the unit once
        some, of = (part.value, whole.value) if bare else (part.base, whole.base)
        alike = bare or part.dimension == whole.dimension
        if not alike or not 0 < some <= of or not _OUT_OF.match(text[part.end : whole.start]):
            continue
        if is_cut_off(text, part):  # "146 plus 22 out of 200"
            continue
        if not _IS_SHARE.match(text[whole.end : share.start]) or _RANGE.match(text, share.end):
            continue
        right = 100 * some / of
        off = min(abs(share.value - right), abs(share.value - (100 - right)))
        fits = off <= max(_POINTS, share.precision, 0.03 * right)
        yield StatedSum(share, right, text[part.start : whole.end], fits)


def stated_totals(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "n at s [each] is t", as in "4,096 tokens at 320 KB is 1.3 GB"."""
    for count, each, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        kind = (each.dimension or "").partition("/")
        if count.dimension not in _PLAIN or kind[0] not in _SUMMED or count.value < 2:
            continue
        if said.dimension != kind[0] or kind[2] == "time":
            continue
        if not _AT.match(text[count.end : each.start]) or is_cut_off(text, count):
            continue
        if _AT_BEFORE.search(text[max(0, count.start - 8) : count.start]):
            continue
        if not _IS.match(text[each.end : said.start]):
            continue
        if kind[0] == "bytes" and each.base <= _WIDEST:
            continue  # the bytes of one number of many: an operand before was not read
        right = count.base * each.base
        fits = abs(said.base / right - 1) <= max(TOLERANCE, 1.01 * said.precision / said.value)
        if not fits and not (kind[0] == "bytes" or _is_power_of_ten(said.base / right)):
            continue
        yield StatedSum(said, right * said.value / said.base, text[count.start : each.end], fits)


def stated_fractions(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "three weeks is 25 percent" where one other number of weeks, the whole, was said."""
    for at in range(1, len(quantities) - 1):
        part, share = quantities[at], quantities[at + 1]
        if not is_percent(share) or part.unit is None:
            continue
        if part.dimension != "count" and part.unit.symbol not in _LONG:
            continue
        if not re.fullmatch(rf"\s*,?\s*{RESULT}\s*", text[part.end : share.start], re.IGNORECASE):
            continue
        wholes = {
            other.base
            for other in quantities[max(0, at - 8) : at]
            if other.unit == part.unit
            and part.start - other.end < _REACH
            and other.base > part.base
        }
        if len(wholes) != 1:
            continue
        whole = wholes.pop()
        right = 100 * part.base / whole
        off = min(abs(share.value - right), abs(share.value - (100 - right)))
        fits = off <= max(_POINTS, share.precision, TOLERANCE * right)
        yield StatedSum(share, right, f"{part.text} of {whole / part.unit.factor:g}", fits)


def stated_multiples(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "x per thing ... with n things is t", and "a thing is x ... n things are t", where a
    power of ten was lost.
    """
    lowered = text.lower()
    for at, (count, said) in enumerate(pairwise(quantities)):
        if count.dimension not in (None, "count") or count.value < 2:
            continue
        kind = (said.dimension or "").partition("/")[0]
        if kind not in _SUMMED or not _IS.match(text[count.end : said.start]):
            continue
        thing = _thing(lowered, count)
        if not thing:
            continue
        for each in reversed(quantities[max(0, at - _EARLIER) : at]):
            if (each.dimension or "").partition("/")[0] != kind:
                continue
            if count.start - each.end > 2 * _REACH or not _is_of_one(lowered, each, thing):
                continue
            amount = said.value * said.unit.factor * _seconds(said) if said.unit else said.value
            right = count.value * each.base
            if _is_power_of_ten(amount / right) and abs(amount / right - 1) > TOLERANCE:
                expression = f"{count.text} times {each.text}"
                yield StatedSum(said, said.value * right / amount, expression, right=False)
            break


def stated_proportions(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "1,000 tokens take 142 ms, so 8,192 take 116 ms" where a power of ten was lost."""
    for at in range(len(quantities) - 3):
        first, cost, second, said = quantities[at : at + 4]
        kind = cost.dimension
        if kind not in _SUMMED or said.dimension != kind or said.start - first.end > _REACH:
            continue
        counts = first.dimension in ("tokens", "count") and second.dimension in (
            None,
            first.dimension,
        )
        if not counts:
            continue
        told = (
            _TAKES.search(text[first.end : cost.start]),
            _TAKES.search(text[second.end : said.start]),
        )
        right = cost.base * second.base / first.base
        if all(told) and _is_power_of_ten(said.base / right) and second.base != first.base:
            expression = f"{cost.text} for {first.text}, so for {second.text} it"
            yield StatedSum(said, right * said.value / said.base, expression, right=False)


def _is_otherwise(text: str, share: Quantity, said: Quantity) -> bool:
    """True where the result is calculated with further, or the share is none of an amount."""
    if _GOES_ON.match(text[said.end : said.end + 12]):
        return True
    return _NO_PART.match(text[share.end : share.end + 20]) is not None


def _is_of_several(text: str, quantities: Sequence[Quantity], share: Quantity, off: float) -> bool:
    """True where so many of it were named before: "eight B200 with 92% of 180 GB"."""
    before = [other for other in quantities if 0 <= share.start - other.end < _SEVERAL]
    counts = (other for other in before if other.dimension in _PLAIN and other.value >= 2)
    return any(
        abs(off / count.value - 1) <= TOLERANCE
        for count in counts
        if "." not in text[count.end : share.start]
    )


def _thing(lowered: str, count: Quantity) -> str:
    """What a number counts, in the singular: 'officer'."""
    inside = re.search(r"([a-z]{4,})s\Z", lowered[count.start : count.end])
    after = re.match(r"(?:\s+[a-z]+)?\s+([a-z]{3,})s\b", lowered[count.end : count.end + 40])
    found = inside or after
    return found.group(1) if found else ""


def _is_of_one(lowered: str, each: Quantity, thing: str) -> bool:
    after = lowered[each.start : each.end + 30]
    before = lowered[max(0, each.start - 45) : each.start]
    per = re.search(rf"\b(?:per|a|an|each|every)\s+{re.escape(thing)}\b", after)
    one = re.search(rf"\b(?:a|an|one|each|every)\s+{re.escape(thing)}\b[^.!?;]*\Z", before)
    return per is not None or one is not None


def _seconds(said: Quantity) -> float:
    """The length of the period in a unit, 1 where it has none."""
    period = IN_UNIT.search(said.unit.symbol) if said.unit else None
    return seconds_of(period.group(1)) if period else 1.0


def _may_be_part(said: Quantity, whole: Quantity) -> bool:
    if is_percent(said):
        return False
    if whole.dimension == "ratio":
        return False
    if whole.dimension == "count/time":
        return said.unit is None or said.unit == whole.unit
    return said.dimension == whole.dimension or (
        said.dimension in _PLAIN and whole.dimension in _PLAIN
    )


def _from_ten(ratio: float) -> tuple[bool, float]:
    """How far a ratio is from 1, and else from a power of ten."""
    off = log10(ratio)
    return abs(ratio - 1) > TOLERANCE, abs(off - round(off))


def _is_power_of_ten(ratio: float) -> bool:
    return is_step(ratio, _POWERS, _TENS)


def _is_period(ratio: float) -> bool:
    """True where the result is for another period than the whole."""
    return is_step(ratio, _PERIODS, TOLERANCE)
