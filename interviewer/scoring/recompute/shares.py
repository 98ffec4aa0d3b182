"""Recomputes shares and vector sizes that are stated aloud: "225 of 250, which is 90 percent"."""

import re
from collections.abc import Iterator, Sequence

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import StatedSum, is_cut_off

_OF = re.compile(
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
_DIMENSIONS = re.compile(r"[ -]*dim(?:ension)?(?:s|al)?\b", re.IGNORECASE)
_IS_SIZE = re.compile(
    r"[^.!?;\d]{0,25}?(?:=|\b(?:is|makes|gives|so)\b|that['’]s)"
    r"\s*(?:um |uh )?(?:about|around|roughly|nearly)?\s*\Z",
    re.IGNORECASE,
)


def stated_shares(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "k of n ... is p percent"; p may also be the share of the rest."""
    for part, whole, share in zip(quantities, quantities[1:], quantities[2:], strict=False):
        if not _is_percent(share) or _is_percent(part):
            continue
        bare = None in (part.unit, whole.unit)  # "0.7 ms of 25.8" has the unit once
        some, of = (part.value, whole.value) if bare else (part.base, whole.base)
        alike = bare or part.dimension == whole.dimension
        if not alike or not 0 < some <= of or not _OF.match(text[part.end : whole.start]):
            continue
        if is_cut_off(text, part):  # "146 plus 22 out of 200"
            continue
        if not _IS_SHARE.match(text[whole.end : share.start]) or _RANGE.match(text, share.end):
            continue
        right = 100 * some / of
        off = min(abs(share.value - right), abs(share.value - (100 - right)))
        fits = off <= max(_POINTS, share.precision, 0.03 * right)
        yield StatedSum(share, right, text[part.start : whole.end], fits)


def _is_percent(said: Quantity) -> bool:
    return said.unit is not None and said.unit.symbol == "%"


def stated_vectors(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "n vectors of d dimensions at b bytes is s": n x d x b, spoken without the 'times'."""
    for at in range(len(quantities) - 3):
        count, width, each, size = quantities[at : at + 4]
        is_width = width.unit is None and _DIMENSIONS.match(text[width.end : width.end + 14])
        if not is_width or each.dimension != "bytes" or each.base > 8 or size.unit is None:
            continue
        if size.dimension != "bytes" or size.start - count.start > 160:
            continue
        if not _IS_SIZE.match(text[each.end : size.start]) or is_cut_off(text, count):
            continue
        right = count.value * width.value * each.base
        expression = f"{count.text} x {width.text} x {each.text}"
        fits = 0.87 < size.base / right < 1.6  # an index takes up to half as much again
        yield StatedSum(size, right / size.unit.factor, expression, fits)
