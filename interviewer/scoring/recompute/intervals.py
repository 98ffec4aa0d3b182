"""Recomputes confidence intervals of a share that are stated aloud. Knows no card."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from math import sqrt

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import StatedSum

_Z = 1.96
_MARGIN = re.compile(
    r"(?:\bplus[ -](?:or[ -])?minus|±|\+/-|\bmargin (?:of error )?(?:of|is))"
    r"(?: about| around| roughly)?\s*\Z",
    re.IGNORECASE,
)
_INTERVAL = re.compile(r"\b(?:interval|wilson|confidence)\b[^.!?;]{0,60}\Z", re.IGNORECASE)
_TO = re.compile(r"\s*(?:%|percent)?\s*(?:to|-|–|and|up to)\s*\Z", re.IGNORECASE)
_OTHER_LEVEL = re.compile(
    r"\b(?:99|90|80|68|ninety|ninety[- ]nine|eighty)\b[^.!?;]{0,20}\b(?:interval|confidence)",
    re.IGNORECASE,
)
_NO_SHARE = re.compile(
    r"\b(?:difference|between (?:the )?(?:two|both|arms)|per arm|paired|score|latency|mean)\b",
    re.IGNORECASE,
)
_OF = re.compile(
    r"\s*(?:[a-z]+\s+)?(?:out )?of (?:(?:the|a|our|your|those|these|all) ){0,2}\Z", re.IGNORECASE
)
_ON = re.compile(
    r"[^.!?;\d]{0,40}?\b(?:on|of|over|from|with|in|at)\b[^.!?;\d]{0,12}\Z", re.IGNORECASE
)
_WORDS = ("nterval", "ilson", "onfidence", "minus", "±", "+/-", "argin of")
"""Without one of them no interval is spoken of; a plain look is faster than a pattern."""
_REACH = 200
_WIDER = 1.45
"""How many times too wide or narrow: of thirty cases or more the usual intervals differ by less."""
_LEAST_CASES = 30


def stated_margins(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every margin "plus or minus m" and interval "l to h" after "k of n" or "p percent of n"."""
    if not any(word in text for word in _WORDS):
        return
    for at, said in enumerate(quantities):
        high = quantities[at + 1] if at + 1 < len(quantities) else None
        if (half := _half(text, said, high)) is None:
            continue
        passage = text[max(0, said.start - _REACH) : said.end + 60]
        if _OTHER_LEVEL.search(passage) or _NO_SHARE.search(passage):
            continue
        samples = list(_samples(text, quantities[:at], said))
        if not samples:
            continue
        margins = [_Z * sqrt(share * (1 - share) / cases) for share, cases in samples]
        fits = any(1 / _WIDER < half / margin < _WIDER for margin in margins)
        told = said if high is None or _is_margin(text, said) else high
        share, cases = samples[0]
        holds = told is said or _fraction(said) <= share <= _fraction(told)
        if fits or len(samples) > 1 or not holds:
            continue
        centre = 0.0 if told is said else share
        value = (centre + margins[0]) * told.value / told.base
        if told.unit is None and told.value >= 1:
            value *= 100
        expression = f"95% of {share:.3g} on {cases:g}"
        yield StatedSum(told, value, expression, right=False)


def _half(text: str, said: Quantity, high: Quantity | None) -> float | None:
    """Half of a stated interval's width, as a share."""
    if not _is_share(said):
        return None
    if _is_margin(text, said):
        return _fraction(said)
    before = text[max(0, said.start - 80) : said.start]
    if high is None or not _is_share(high) or not _INTERVAL.search(before):
        return None
    if not _TO.match(text[said.end : high.start]) or _fraction(said) >= _fraction(high):
        return None
    return (_fraction(high) - _fraction(said)) / 2


def _samples(
    text: str, before: Sequence[Quantity], said: Quantity
) -> Iterator[tuple[float, float]]:
    """Each share with its number of cases that was said shortly before."""
    near = [other for other in before if said.start - other.end < _REACH]
    for first, second in pairwise(near):
        between = text[first.end : second.start]
        whole = second.unit is None or second.dimension == "count"
        if not whole or second.value < _LEAST_CASES or second.value != int(second.value):
            continue
        counts = first.unit is None or first.dimension == "count"
        if counts and 0 < first.value < second.value and first.value >= 1 and _OF.match(between):
            yield first.value / second.value, second.value
        elif first.dimension == "ratio" and 0 < first.base < 1 and _ON.match(between):
            yield first.base, second.value


def _is_margin(text: str, said: Quantity) -> bool:
    return _MARGIN.search(text[max(0, said.start - 34) : said.start]) is not None


def _is_share(said: Quantity) -> bool:
    if said.unit is not None:
        return said.unit.symbol in ("%", "points") and 0 < said.value < 100
    return 0 < said.value < 100


def _fraction(said: Quantity) -> float:
    """A bare 92 is a percentage; 0.92 is a share."""
    return said.base if said.unit is not None or said.value < 1 else said.value / 100
