"""An axis of a figure: values to pixels, linear or logarithmic, and where its ticks go."""

from dataclasses import dataclass
from math import ceil, floor, log10


@dataclass(frozen=True)
class Scale:
    """Maps low..high to start..end pixels."""

    low: float
    high: float
    start: float
    end: float
    log: bool = False

    def at(self, value: float) -> float:
        """The pixel of a value; values beyond the ends are drawn at the ends."""
        low, high, here = self._curve(self.low), self._curve(self.high), self._curve(value)
        share = (here - low) / (high - low) if high > low else 0.5
        return self.start + (self.end - self.start) * min(1.0, max(0.0, share))

    def ticks(self) -> list[float]:
        """Round values between the ends: powers of ten if logarithmic, else about five steps."""
        if self.log:
            powers = range(ceil(log10(self.low) - 1e-9), floor(log10(self.high) + 1e-9) + 1)
            if len(powers) >= 2:
                return [10.0**power for power in powers]
            return [self.low, self.high]
        step = round_step(self.high - self.low)
        first = ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, floor(self.high / step + 1e-9) + 1)]

    def _curve(self, value: float) -> float:
        return log10(max(value, self.low)) if self.log else value


def round_step(span: float) -> float:
    """1, 2 or 5 times a power of ten, so that about five steps cover the span."""
    rough = span / 5 if span > 0 else 1.0
    power = 10.0 ** floor(log10(rough))
    return next(factor * power for factor in (1, 2, 5, 10) if factor * power >= rough * 0.999)


def linear(top: float, start: float, end: float, least: float = 0.0) -> Scale:
    """An axis from 0, or a round value at or under a negative `least`, to one at or over `top`."""
    step = round_step(max(top, 0.0) - min(least, 0.0))
    low = floor(least / step + 1e-9) * step if least < 0 else 0.0
    return Scale(low, max(low + step, ceil(max(top, 0.0) / step - 1e-9) * step), start, end)
