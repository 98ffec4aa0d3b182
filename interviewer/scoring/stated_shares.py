"""Recomputes shares and vector sizes that are stated aloud: "225 of 250, which is 90 percent"."""

import re
from collections.abc import Iterator, Sequence

from interviewer.quantities import Quantity
from interviewer.scoring.stated_sums import StatedSum, is_cut_off

_OF = re.compile(
    r"\s*(?:[a-z]+ )?(?:out )?of (?:(?:the|your|our|their|my|these|those|all|same) ){0,2}\Z",
    re.IGNORECASE,
)
_IS_SHARE = re.compile(
    r"(?:[^.!?;:\d]{0,40}?\b(?:which|that|this|it) (?:is|makes|gives)|[^.!?;:\d]{0,40}?\bthat['’]s"
    r"|\s*=|(?:\s+[a-z]+){0,4},|(?:\s+[a-z]+){0,3} (?:is|are|or|so))"
    r"\s*(?:um |uh )?(?:about|around|roughly|nearly|only|just|a)?\s*\Z",
    re.IGNORECASE,
)
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
        if share.unit is None or share.unit.symbol != "%" or not 0 < part.value <= whole.value:
            continue
        if part.unit is not None and part.unit.symbol == "%":
            continue
        if not _OF.match(text[part.end : whole.start]):
            continue
        if not _IS_SHARE.match(text[whole.end : share.start]):
            continue
        right = 100 * part.value / whole.value
        off = min(abs(share.value - right), abs(share.value - (100 - right)))
        fits = off <= max(_POINTS, share.precision, 0.03 * right)
        yield StatedSum(share, right, text[part.start : whole.end], fits)


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
