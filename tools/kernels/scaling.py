"""Quantisation with scales: elements, block and tensor scales, and the errors they leave."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import floor, frexp, log2
from typing import Literal

from tools.kernels.floats import FORMATS

Element = Literal["e2m1", "e2m3", "e3m2", "e4m3", "e5m2", "int8", "int4"]
ScaleFormat = Literal["e8m0", "e4m3", "bf16", "fp16", "fp32"]
INTEGERS: Mapping[str, float] = {"int8": 127.0, "int4": 7.0}
"""Largest values of the symmetric integer formats."""


CLIP = 1.001
"""Times the largest element from which a value is clipped; less is the scale's rounding."""


@dataclass(frozen=True)
class Scheme:
    """How a block of elements shares a scale."""

    element: Element
    scale: ScaleFormat
    block: int
    tensor_scale: bool = False
    """One more fp32 for the whole tensor, as NVFP4 has."""

    @property
    def bits(self) -> float:
        """Per element, with its share of the block's scale."""
        width = 8.0 if self.element == "int8" else 4.0 if self.element == "int4" else 0.0
        return (width or FORMATS[self.element].bits) + FORMATS[self.scale].bits / self.block


SCHEMES: Mapping[str, Scheme] = {
    "mxfp4": Scheme("e2m1", "e8m0", 32),
    "nvfp4": Scheme("e2m1", "e4m3", 16, tensor_scale=True),
    "mxfp6": Scheme("e2m3", "e8m0", 32),
    "mxfp8": Scheme("e4m3", "e8m0", 32),
    "fp8_b128": Scheme("e4m3", "fp32", 128),
    "int8_g128": Scheme("int8", "fp16", 128),
    "int4_g128": Scheme("int4", "fp16", 128),
}


def largest(element: str) -> float:
    """Largest value of an element."""
    return INTEGERS[element] if element in INTEGERS else FORMATS[element].largest


def stored(element: str, values: Sequence[float], scale: float) -> list[float]:
    """What elements under one scale hold for the values: each the next one; saturates."""
    if element in INTEGERS:
        top = INTEGERS[element]
        return [max(-top, min(top, round(value / scale))) * scale for value in values]
    rounded = FORMATS[element].round
    return [rounded(value / scale) * scale for value in values]


def scale_for(peak: float, scheme: Scheme, tensor: float = 1.0) -> float:
    """Scale of a block with this peak: a power of two by the OCP rule, else peak / largest.

    The OCP rule takes the exponents' difference, so that the largest value may be clipped.
    """
    if not peak:
        return tensor
    if scheme.scale == "e8m0":
        reach = floor(log2(largest(scheme.element)))
        return float(2.0 ** (frexp(peak)[1] - 1 - reach))
    wanted = peak / largest(scheme.element) / tensor
    form = FORMATS[scheme.scale]
    return max(form.round(wanted), form.smallest) * tensor


def quantise(values: Sequence[float], scheme: Scheme) -> tuple[list[float], int]:
    """What the scheme makes of the values, and how many were clipped."""
    peak = max((abs(value) for value in values), default=0.0)
    tensor = 1.0
    if scheme.tensor_scale and peak:
        tensor = peak / (largest(scheme.element) * FORMATS[scheme.scale].largest)
    found: list[float] = []
    clipped = 0
    top = largest(scheme.element)
    for start in range(0, len(values), scheme.block):
        block = values[start : start + scheme.block]
        scale = scale_for(max(abs(value) for value in block), scheme, tensor)
        found += stored(scheme.element, block, scale)
        clipped += sum(abs(value) / scale > top * CLIP for value in block)
    return found, clipped


def relative_rms(found: Sequence[float], true: Sequence[float]) -> float:
    """Root mean square of the error over that of the values."""
    size = sum(value * value for value in true)
    error = sum((a - b) ** 2 for a, b in zip(found, true, strict=True))
    return float((error / size) ** 0.5) if size else 0.0
