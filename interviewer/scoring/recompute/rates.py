"""Recomputes rates that are stated in two periods, and the load that a rate means.

"1,650 a day, which is 602,000 a year"; by Little's law, "20 a second for 8 seconds is 160 in
flight"; how long an amount takes at a rate, and the work of a model. Knows no card.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from math import log10

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import RESULT, TOLERANCE, StatedSum, is_step

_LENGTHS = {
    "second": 1.0, "minute": 60.0, "hour": 3600.0, "day": 86400.0, "week": 604800.0,
    "month": 2629800.0, "year": 31557600.0,
}  # fmt: skip
# How many of the shorter period people count in the longer one: from working hours to all of them.
_IN = {
    ("second", "minute"): (60.0, 60.0), ("second", "hour"): (3600.0, 3600.0),
    ("second", "day"): (28_800.0, 86_400.0), ("second", "week"): (144_000.0, 604_800.0),
    ("second", "month"): (576_000.0, 2_592_000.0), ("second", "year"): (6.9e6, 31_536_000.0),
    ("minute", "hour"): (60.0, 60.0), ("minute", "day"): (420.0, 1440.0),
    ("minute", "month"): (9_600.0, 43_200.0), ("hour", "day"): (7.0, 24.0),
    ("hour", "week"): (35.0, 168.0), ("hour", "month"): (140.0, 720.0),
    ("hour", "year"): (1_700.0, 8_760.0), ("day", "week"): (5.0, 7.0),
    ("day", "month"): (19.0, 30.0), ("day", "year"): (200.0, 365.0), ("week", "month"): (4.0, 4.35),
    ("week", "year"): (40.0, 52.0), ("month", "year"): (10.0, 12.0),
}  # fmt: skip
_SHORT = {"s": "second", "sec": "second", "min": "minute", "h": "hour", "hr": "hour"}
_PERIOD = re.compile(
    r"(?:\s+[a-z]+){0,2}?\s*(?:/|\b(?:a|an|per|each|every)\s+)"
    r"(second|sec|s|minute|min|hour|hr|h|day|week|month|year)\b"
    r"|(?:\s+[a-z]+){0,2}?\s+(daily|weekly|monthly|yearly)\b",
    re.IGNORECASE,
)
_ADVERBS = {"daily": "day", "weekly": "week", "monthly": "month", "yearly": "year"}
IN_UNIT = re.compile(r"/(s|min|h|days?|weeks?|months?|years?)\Z")
_SAME = re.compile(rf"\s*[,;:(]?\s*(?:and |i\.e\. |or )?{RESULT}\s*\Z", re.IGNORECASE)
_SEVERAL = re.compile(
    r"\s*(?:(?:[a-z]+ ){0,2}(?:at|for|with)|x|×|\*|times)\s*(?:about |roughly )?[$€£]?\Z",
    re.IGNORECASE,
)
"""'ten servers at' four dollars an hour."""
_SLACK = 1.1
_AT_ONCE = re.compile(
    r"\s*(?:[a-z]+\s+){0,2}?(?:in flight|in the system|at once|at the same time"
    r"|at any (?:one )?time|concurrent(?:ly)?|in parallel|simultaneous(?:ly)?)\b",
    re.IGNORECASE,
)
_EACH_TAKES = re.compile(
    r"[^.!?;]{0,30}?\b(?:takes?|lasts?|runs?|stays?|latency|times|at|for|of)\b[^.!?;\d]{0,24}\Z",
    re.IGNORECASE,
)
_THERE_ARE = re.compile(
    rf"(?:{RESULT}|\b(?:have|got|had|there are)"
    r"(?: um| uh| about| around| roughly)*)\s*\Z",
    re.IGNORECASE,
)
_FOR = re.compile(
    r"\s*,?\s*(?:at|for|over|with|times|x|in)\s*(?:about |roughly )?\Z", re.IGNORECASE
)
_NEAR_TEN = 0.03
_NEAR = 90
_OFF = 0.15

_TOGETHER = re.compile(r"(?:[^.!?;]|\.(?!\s)){0,60}")
"""No sentence ends between the quantities."""
_STEPS = (10.0, 100.0, 1000.0, 1e6)
_CLOSE = 0.05
_OPERATIONS = 2.0
"""FLOPs of a parameter for each token: multiply and add (Kaplan et al. 2020, section 2.1)."""


@dataclass(frozen=True, slots=True)
class Rate:
    """An amount for a period: '1,650 a day'."""

    said: Quantity
    amount: float
    """In the base of what is counted; a bare number stands for itself."""
    kind: str | None
    period: str
    end: int
    """Where its words end, the period included."""


def stated_periods(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every rate that is said again for another period."""
    rates = [rate for said in quantities if (rate := rate_of(text, said)) is not None]
    for first, second in pairwise(rates):
        if first.period == second.period or not _SAME.match(text[first.end : second.said.start]):
            continue
        if not _comparable(first, second) or _is_of_several(text, quantities, first.said):
            continue
        shorter, longer = sorted((first, second), key=lambda rate: _LENGTHS[rate.period])
        least, most = _IN.get((shorter.period, longer.period), (0.0, float("inf")))
        ratio = longer.amount / shorter.amount
        fits = least / _SLACK <= ratio <= most * _SLACK
        right = first.amount * most if second is longer else first.amount / most
        value = second.said.value * right / second.amount
        yield StatedSum(second.said, value, text[first.said.start : first.end], fits)


def stated_loads(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Little's law: in the system is the rate of arrivals times the time that each takes."""
    for at, (rate, stay) in enumerate(pairwise(quantities)):
        if rate.dimension != "count/time" or stay.dimension != "time":
            continue
        if not _EACH_TAKES.match(text[rate.end : stay.start]):
            continue
        for said in quantities[at + 2 : at + 4]:
            bare = said.unit is None or said.dimension == "count"
            if not bare or said.start - stay.end > _NEAR:
                continue
            stated = _THERE_ARE.search(text[max(0, said.start - 30) : said.start])
            if stated and _AT_ONCE.match(text[said.end : said.end + 40]):
                right, expression = rate.base * stay.base, f"{rate.text} x {stay.text}"
                off = abs(said.value / right - 1)
                fits = off <= max(_OFF, 1.01 * said.precision / said.value)
                yield StatedSum(said, right, expression, fits)


def stated_counts(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "90 minutes at 10 a minute is 900", either way round, that is a power of ten off."""
    for first, second, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        span, rated = (first, second) if first.dimension == "time" else (second, first)
        rate = rate_of(text, rated) if span.dimension == "time" else None
        if rate is None or rate.kind not in (None, "count", "tokens"):
            continue
        last = rate.end if rated is second else second.end
        if not _FOR.match(text[rate.end if rated is first else first.end : second.start]):
            continue
        if said.dimension not in (None, rate.kind) or not _SAME.match(text[last : said.start]):
            continue
        right = rate.amount * span.base / _LENGTHS[rate.period]
        power = log10(said.base / right)
        if round(power) and abs(power - round(power)) < _NEAR_TEN:
            yield StatedSum(said, right, text[first.start : last], right=False)


def stated_times(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every amount, its rate and the time that it takes, the amount and the rate in any order."""
    for first, second, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        if said.unit is None or (said.dimension or "").partition("/")[0] != "time":
            continue
        if not _is_said_together(text, first, second, said):
            continue
        right = _time(first, second) or _time(second, first)
        if (
            right is not None
            and not _fits(said, right)
            and is_step(said.base / right, _STEPS, _CLOSE)
        ):
            shown = f"{first.text} and {second.text}"
            yield StatedSum(said, right / said.unit.factor, shown, right=False)


def stated_work(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "a 70B model needs 140 TFLOP per token", a thousand times two for each parameter."""
    for model, said in pairwise(quantities):
        if model.dimension != "parameters" or said.dimension not in ("flop", "flop/tokens"):
            continue
        if said.unit is None or not _is_said_together(text, model, said):
            continue
        right = _OPERATIONS * model.base
        if is_step(said.base / right, (1000.0, 1e6), _CLOSE):
            yield StatedSum(
                said, right / said.unit.factor, f"two for each of {model.text}", right=False
            )


def rate_of(text: str, said: Quantity) -> Rate | None:
    """A number with the period that it is for, in its unit or in the words after it."""
    if said.unit is not None and (own := IN_UNIT.search(said.unit.symbol)):
        period = _SHORT.get(own.group(1)) or own.group(1).removesuffix("s")
        kind = said.unit.dimension.removesuffix("/time")
        return Rate(said, said.base * _LENGTHS[period], kind, period, said.end)
    after = _PERIOD.match(text, said.end, said.end + 40)
    if after is None or (said.dimension or "").endswith("/time"):
        return None
    word = (after.group(1) or _ADVERBS[after.group(2).lower()]).lower()
    return Rate(said, said.base, said.dimension, _SHORT.get(word, word), after.end())


def seconds_of(symbol: str) -> float:
    """The length of a period by its unit's symbol."""
    return _LENGTHS[_SHORT.get(symbol) or symbol.removesuffix("s")]


def _is_of_several(text: str, quantities: Sequence[Quantity], rate: Quantity) -> bool:
    """Whether the rate is that of each of several things."""
    before = next((said for said in reversed(quantities) if said.end <= rate.start), None)
    return before is not None and _SEVERAL.match(text[before.end : rate.start]) is not None


def _comparable(first: Rate, second: Rate) -> bool:
    """True where both count the same; a bare number counts what the other one does."""
    plain = (None, "count", "tokens", "usd", "eur")
    return first.kind == second.kind or (
        None in (first.kind, second.kind) and first.kind in plain and second.kind in plain
    )


def _time(amount: Quantity, rate: Quantity) -> float | None:
    """Seconds of an amount at a rate, or of so many tokens at so long each."""
    kind = amount.dimension
    if kind in ("bytes", "flop", "tokens") and rate.dimension == f"{kind}/time":
        return amount.base / rate.base
    if kind == "tokens" and (rate.dimension or "").startswith("time/tokens"):
        return amount.base * rate.base
    return None


def _fits(said: Quantity, right: float) -> bool:
    return abs(said.base / right - 1) <= max(TOLERANCE, 1.01 * said.precision / said.value)


def _is_said_together(text: str, *said: Quantity) -> bool:
    return all(_TOGETHER.fullmatch(text[a.end : b.start]) for a, b in pairwise(said))
