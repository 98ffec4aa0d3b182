"""Recomputes sizes of weights, of the cache and of vectors that are stated aloud.

"70B in FP16 is 140 GB", "80 layers x 8 KV heads x 128 x 2 bytes is 160 KB". Knows no card.
"""

import re
from collections.abc import Iterator, Sequence

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import StatedSum, is_cut_off, stated_sums
from interviewer.scoring.recompute.surroundings import normalise

_SHOWN = {"bf16": "16 bits", "fp8": "FP8", "int8": "INT8", "int4": "4 bits"}
_BYTES = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5}
_PRECISION = r"(?:in|at|with) (bf16|fp8|int8|int4)(?: weights)?,?"
_IS = (
    r"\s*(?:is|it['’]s|it is|that['’]s|that is|takes|weighs|=|are)"
    r"\s*(?:about|around|roughly|only|just)?\s*\Z"
)
_IS_SIZE = re.compile(rf"\s*(?:model |parameters? )?{_PRECISION}{_IS}")
_IS_OTHER_SIZE = re.compile(rf"(?: of weights)?,? (?:and|but) {_PRECISION}{_IS}")
# Scales, embeddings kept in 16 bits and the like: up to a third more is no mistake.
_SLACK = 1.35
_DIMENSIONS = re.compile(r"[ -]*dim(?:ension)?(?:s|al)?\b", re.IGNORECASE)
_IS_THAT = re.compile(
    r"[^.!?;\d]{0,25}?(?:=|\b(?:is|makes|gives|so)\b|that['’]s)"
    r"\s*(?:um |uh )?(?:about|around|roughly|nearly)?\s*\Z",
    re.IGNORECASE,
)
_TWO_VECTORS = "the attention layer, which keeps a K and a V vector for each KV head"


def stated_sizes(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every statement of how many bytes a number of parameters takes in one precision or two."""
    for at, parameters in enumerate(quantities):
        if parameters.dimension != "parameters":
            continue
        named, last = _IS_SIZE, parameters
        for size in quantities[at + 1 : at + 3]:
            between = named.match(normalise(text[last.end : size.start]))
            if between is None or size.unit is None or size.dimension != "bytes":
                break
            right = parameters.base * _BYTES[between.group(1)]
            expression = f"{parameters.text} in {_SHOWN[between.group(1)]}"
            fits = 1 / _SLACK < size.base / right < _SLACK
            yield StatedSum(size, right / size.unit.factor, expression, fits)
            named, last = _IS_OTHER_SIZE, size


def stated_caches(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every product of layers, heads, dimensions and bytes without the 2 for K and V."""
    if not re.search("layers", text, re.IGNORECASE):
        return
    for stated in stated_sums(text, quantities):
        kinds = {operand.unit.symbol for operand in stated.operands if operand.unit}
        plain = [operand.value for operand in stated.operands if operand.dimension != "bytes"]
        is_cache = {"layers", "heads"} <= kinds and len(plain) == 3 and 2 not in plain
        in_bytes = (stated.result.dimension or "").startswith("bytes")
        if is_cache and in_bytes and stated.right and set(stated.operators) == {"*"}:
            right, expression = 2 * stated.result.value, f"2 x {stated.expression}"
            yield StatedSum(stated.result, right, expression, False, source=_TWO_VECTORS)


def stated_vectors(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "n vectors of d dimensions at b bytes is s": n x d x b, spoken without the 'times'."""
    for at in range(len(quantities) - 3):
        count, width, each, size = quantities[at : at + 4]
        is_width = width.unit is None and _DIMENSIONS.match(text[width.end : width.end + 14])
        if not is_width or each.dimension != "bytes" or each.base > 8 or size.unit is None:
            continue
        if size.dimension != "bytes" or size.start - count.start > 160:
            continue
        if not _IS_THAT.match(text[each.end : size.start]) or is_cut_off(text, count):
            continue
        right = count.value * width.value * each.base
        expression = f"{count.text} x {width.text} x {each.text}"
        fits = 0.87 < size.base / right < 1.6  # an index takes up to half as much again
        yield StatedSum(size, right / size.unit.factor, expression, fits)
