"""Lengths of answers by distribution: drawn from a seed, and the expected longest of a group."""

from collections.abc import Callable
from math import erf, exp, log, sqrt
from random import Random
from typing import Literal

Shape = Literal["fixed", "uniform", "geometric", "lognormal"]
LONGEST = 16
"""A length is at most this many means."""


def cumulative(shape: Shape, mean: float, spread: float) -> Callable[[int], float]:
    """P[length <= k] for whole k from 0; every length is at least 1 and at most 16 means."""
    top = int(LONGEST * mean)
    if shape == "fixed":
        return lambda k: float(k >= round(mean))
    if shape == "uniform":
        most = round(2 * mean) - 1
        return lambda k: min(1.0, k / most)
    if shape == "geometric":
        stay = 1 - 1 / mean
        return lambda k: 1.0 if k >= top else 1 - stay**k
    sigma = sqrt(log(1 + spread * spread)) or 1e-9
    middle = log(mean) - sigma * sigma / 2

    def normal(k: int) -> float:
        if k >= top or k < 1:
            return float(k >= top)
        return 0.5 * (1 + erf((log(k) - middle) / sigma / sqrt(2)))

    return normal


def expected_longest(shape: Shape, mean: float, spread: float, group: int) -> float:
    """Mean of the longest of `group` independent lengths: the sum over k of 1 - P^group."""
    below = cumulative(shape, mean, spread)
    total = 0.0
    for k in range(int(LONGEST * mean) + 1):
        left = 1 - below(k) ** group
        total += left
        if left < 1e-13:
            break
    return total


def draw_lengths(shape: Shape, mean: float, spread: float, count: int, seed: int) -> list[int]:
    """`count` lengths by inversion of uniform numbers."""
    chance, top = Random(seed), int(LONGEST * mean)
    sigma = sqrt(log(1 + spread * spread)) or 1e-9
    middle = log(mean) - sigma * sigma / 2

    def one() -> float:
        u = chance.random()
        if shape == "fixed":
            return round(mean)
        if shape == "uniform":
            return 1 + int(u * (round(2 * mean) - 1))
        if shape == "geometric":
            return 1 + int(log(1 - u) / log(1 - 1 / mean)) if mean > 1 else 1
        return -int(-exp(chance.gauss(middle, sigma)) // 1)

    return [max(1, min(top, int(one()))) for _ in range(count)]
