"""Recomputes sizes of weights and of the cache that are stated aloud: "70B in FP16 is 140 GB",
"80 layers x 8 KV heads x 128 x 2 bytes is 160 KB". Knows no card."""

import re
from collections.abc import Iterator, Sequence

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import StatedSum, stated_sums
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
