"""Number formats bit by bit: rounding, encoding, decoding, grids; knows nothing of tools."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from math import copysign, floor, frexp, inf, isinf, isnan, ldexp, nan
from random import Random
from typing import Literal

Rounding = Literal["nearest_even", "toward_zero", "stochastic"]
Specials = Literal["ieee", "one_nan", "none"]


@dataclass(frozen=True)
class Format:
    """A binary float. `ieee`: infinities and NaNs at the top exponent; `one_nan`: only all ones."""

    name: str
    exponent: int
    mantissa: int
    bias: int
    specials: Specials
    signed: bool = True
    source: str = ""

    @property
    def bits(self) -> int:
        """All of them."""
        return self.signed + self.exponent + self.mantissa

    @cached_property
    def lowest_exponent(self) -> int:
        """Of the smallest normal value (and of all subnormals)."""
        return 1 - self.bias if self.mantissa else -self.bias

    @cached_property
    def largest(self) -> float:
        """Largest finite value."""
        codes = (1 << (self.exponent + self.mantissa)) - 1
        if self.specials == "ieee":
            return self.decode(codes - (1 << self.mantissa))
        return self.decode(codes - (self.specials == "one_nan"))

    @cached_property
    def smallest_normal(self) -> float:
        """Least value with a whole significand."""
        return ldexp(1.0, self.lowest_exponent)

    @cached_property
    def smallest(self) -> float:
        """Least value above 0: subnormal where there are any."""
        return ldexp(1.0, self.lowest_exponent - self.mantissa)

    @property
    def epsilon(self) -> float:
        """Distance from 1 to the next value."""
        return ldexp(1.0, -self.mantissa)

    def ulp(self, value: float) -> float:
        """Distance to the next value of larger size."""
        power = frexp(value)[1] - 1 if value else self.lowest_exponent
        return ldexp(1.0, max(power, self.lowest_exponent) - self.mantissa)

    def round(
        self,
        value: float,
        mode: Rounding = "nearest_even",
        *,
        saturate: bool = True,
        random: Random | None = None,
    ) -> float:
        """The value that the format holds; too large ones saturate, or become inf or NaN."""
        if mode == "nearest_even" and self.smallest_normal <= abs(value) < self.largest:
            # Beside so large a number a double is as coarse as the format and rounds to it.
            coarse = ldexp(1.5, frexp(value)[1] + 51 - self.mantissa)
            return (value + coarse) - coarse if self.signed or value > 0 else nan
        if isnan(value) or (value < 0 and not self.signed):
            return nan
        size = abs(value)
        if size > 2 * self.largest:
            rounded = inf
        else:
            quantum = self.ulp(size)
            rounded = _to_whole(size / quantum, mode, random) * quantum
        if not self.mantissa:
            rounded = max(rounded, self.smallest)
        if rounded > self.largest:
            rounded = self.largest if saturate or mode == "toward_zero" else self._over()
        return copysign(rounded, value)

    def _over(self) -> float:
        return {"ieee": inf, "one_nan": nan, "none": self.largest}[self.specials]

    def encode(self, value: float) -> int:
        """Bits of a value that the format holds."""
        sign = int(copysign(1.0, value) < 0) << (self.exponent + self.mantissa)
        top = ((1 << self.exponent) - 1) << self.mantissa
        if isnan(value):
            return top | ((1 << self.mantissa) - 1)
        size = abs(value)
        if isinf(size):
            return sign | top
        if self.mantissa and size < self.smallest_normal:
            return sign | int(size / self.smallest)
        power = frexp(size)[1] - 1
        fraction = int((ldexp(size, -power) - 1) * (1 << self.mantissa))
        return sign | (power + self.bias) << self.mantissa | fraction

    def decode(self, code: int) -> float:
        """Value of the bits."""
        sign = -1.0 if self.signed and code >> (self.exponent + self.mantissa) & 1 else 1.0
        power = code >> self.mantissa & ((1 << self.exponent) - 1)
        fraction = code & ((1 << self.mantissa) - 1)
        top = power == (1 << self.exponent) - 1
        if top and self.specials == "ieee":
            return nan if fraction else sign * inf
        if top and self.specials == "one_nan" and fraction == (1 << self.mantissa) - 1:
            return nan
        if power == 0 and self.mantissa:
            return sign * ldexp(fraction, self.lowest_exponent - self.mantissa)
        significand = 1 + fraction / (1 << self.mantissa)
        return sign * ldexp(significand, power - self.bias)

    def values(self) -> list[float]:
        """Finite values from 0 up, in order; for formats of 8 bits or fewer."""
        found = {self.decode(code) for code in range(1 << (self.exponent + self.mantissa))}
        return sorted(value for value in found if value == value and not isinf(value))


def _to_whole(value: float, mode: Rounding, random: Random | None) -> float:
    if mode == "nearest_even":
        return float(round(value))
    low = floor(value)
    if mode == "toward_zero":
        return float(low)
    return float(low + ((random or Random(0)).random() < value - low))


IEEE, OCP, MX = "IEEE 754", "OCP OFP8 1.0", "OCP MX 1.0"
FORMATS: Mapping[str, Format] = {
    found.name: found
    for found in (
        Format("fp32", 8, 23, 127, "ieee", source=IEEE),
        Format("tf32", 8, 10, 127, "ieee", source="NVIDIA A100 whitepaper"),
        Format("bf16", 8, 7, 127, "ieee", source="bfloat16: the top half of fp32"),
        Format("fp16", 5, 10, 15, "ieee", source=IEEE),
        Format("e5m2", 5, 2, 15, "ieee", source=OCP),
        Format("e4m3", 4, 3, 7, "one_nan", source=OCP),
        Format("e3m2", 3, 2, 3, "none", source=MX),
        Format("e2m3", 2, 3, 1, "none", source=MX),
        Format("e2m1", 2, 1, 1, "none", source=MX),
        Format("e8m0", 8, 0, 127, "one_nan", signed=False, source=MX),
    )
}
FloatName = Literal["fp32", "tf32", "bf16", "fp16", "e5m2", "e4m3", "e3m2", "e2m3", "e2m1", "e8m0"]
