"""Recomputes sizes of weights that are stated aloud: "70B in FP16 is 140 GB". Knows no card."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import StatedSum
from interviewer.scoring.recompute.surroundings import normalise

_SHOWN = {"bf16": "16 bits", "fp8": "FP8", "int8": "INT8", "int4": "4 bits"}
_BYTES = {"bf16": 2.0, "fp8": 1.0, "int8": 1.0, "int4": 0.5}
_IS_SIZE = re.compile(
    r"\s*(?:model |parameters? )?(?:in|at|with) (bf16|fp8|int8|int4)(?: weights)?,?"
    r"\s*(?:is|that['’]s|that is|takes|weighs|=|are)\s*(?:about|around|roughly|only|just)?\s*\Z"
)
# Scales, embeddings kept in 16 bits and the like: up to a third more is no mistake.
_SLACK = 1.35


def stated_sizes(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every statement of how many bytes a number of parameters takes in a precision."""
    for parameters, size in pairwise(quantities):
        if parameters.dimension != "parameters" or size.dimension != "bytes":
            continue
        between = _IS_SIZE.match(normalise(text[parameters.end : size.start]))
        if between is None or size.base <= 0 or size.unit is None:
            continue
        right = parameters.base * _BYTES[between.group(1)]
        expression = f"{parameters.text} in {_SHOWN[between.group(1)]}"
        fits = 1 / _SLACK < size.base / right < _SLACK
        yield StatedSum(size, right / size.unit.factor, expression, fits)
