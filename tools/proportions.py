"""Intervals and tests for rates: Wilson, Newcombe, exact McNemar, sample size. Pure formulas."""

from math import ceil, sqrt
from statistics import NormalDist

NORMAL = NormalDist()


def z_value(level: float) -> float:
    """Two-sided normal quantile of a confidence level."""
    return NORMAL.inv_cdf(0.5 + level / 2)


def wilson(successes: int, trials: int, level: float = 0.95) -> tuple[float, float]:
    """Wilson score interval of a rate, without continuity correction (Wilson 1927)."""
    z = z_value(level)
    rate, z2 = successes / trials, z * z
    middle = (rate + z2 / (2 * trials)) / (1 + z2 / trials)
    half = z * sqrt(rate * (1 - rate) / trials + z2 / (4 * trials * trials)) / (1 + z2 / trials)
    low = 0.0 if successes == 0 else max(0.0, middle - half)
    high = 1.0 if successes == trials else min(1.0, middle + half)
    return low, high


def newcombe(
    first: tuple[int, int], second: tuple[int, int], level: float = 0.95
) -> tuple[float, float]:
    """Interval of the difference of two independent rates (Newcombe 1998, method 10).

    Arms are (successes, trials).
    """
    rate1, rate2 = first[0] / first[1], second[0] / second[1]
    low1, high1 = wilson(*first, level)
    low2, high2 = wilson(*second, level)
    difference = rate1 - rate2
    low = difference - sqrt((rate1 - low1) ** 2 + (high2 - rate2) ** 2)
    high = difference + sqrt((high1 - rate1) ** 2 + (rate2 - low2) ** 2)
    return max(-1.0, low), min(1.0, high)


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value of McNemar's test from the flipped cases: binomial with p = 1/2."""
    total, least = only_first + only_second, min(only_first, only_second)
    tail = term = 1
    for k in range(1, least + 1):
        term = term * (total - k + 1) // k
        tail += term
    return min(1.0, 2 * tail / (1 << total))


def trials_per_arm(p1: float, p2: float, level: float, power: float, *, pooled: bool) -> int:
    """Trials per arm to tell p1 from p2 by the two-sided normal test (Fleiss)."""
    z, power_z = z_value(level), NORMAL.inv_cdf(power)
    spread = p1 * (1 - p1) + p2 * (1 - p2)
    middle = (p1 + p2) / 2
    null = sqrt(2 * middle * (1 - middle)) if pooled else sqrt(spread)
    return ceil(((z * null + power_z * sqrt(spread)) / (p1 - p2)) ** 2)
