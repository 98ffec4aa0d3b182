"""Intervals and tests for rates, by SciPy and statsmodels, loaded when first asked.

No data is no evidence: an interval of nothing is (0, 1), and impossible counts raise.
"""

from collections.abc import Sequence
from math import comb
from typing import NamedTuple


class Interval(NamedTuple):
    """Both bounds of a confidence interval."""

    low: float
    high: float


def wilson(passed: int, total: int, level: float = 0.95) -> Interval:
    """Wilson's score interval of a rate; for reports. Raises ValueError for impossible counts."""
    return _of_binomial(passed, total, level, "wilson")


def clopper_pearson(passed: int, total: int, level: float = 0.95) -> Interval:
    """The exact interval, never too narrow: where something is claimed never to happen."""
    return _of_binomial(passed, total, level, "exact")


def newcombe(first: tuple[int, int], second: tuple[int, int], level: float = 0.95) -> Interval:
    """Newcombe's interval of the difference of two rates over different cases.

    Arms are (passed, total).
    """
    from statsmodels.stats.proportion import confint_proportions_2indep

    for passed, total in (first, second):
        _check(passed, total)
    if not first[1] or not second[1]:
        return Interval(-1.0, 1.0)
    low, high = confint_proportions_2indep(
        *first, *second, method="newcomb", compare="diff", alpha=1 - level
    )
    return Interval(float(low), float(high))


def mcnemar_p(only_first: int, only_second: int) -> float:
    """Two-sided exact p-value of McNemar's test from the cases that flipped."""
    from scipy.stats import binomtest

    flips = only_first + only_second
    return float(binomtest(min(only_first, only_second), flips, 0.5).pvalue) if flips else 1.0


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values adjusted for being several (Holm)."""
    from statsmodels.stats.multitest import multipletests

    return [float(p) for p in multipletests(p_values, method="holm")[1]] if p_values else []


def pass_hat_k(counts: Sequence[tuple[int, int]], k: int) -> float | None:
    """The chance that k repeats of a case all pass, over cases of (passed, repeats).

    None where there is no case, or one with fewer than k repeats.
    """
    if not counts or any(repeats < k for _, repeats in counts):
        return None
    return sum(comb(passed, k) / comb(repeats, k) for passed, repeats in counts) / len(counts)


def trials_needed(floor: float, level: float = 0.95) -> int:
    """How many cases, all passed, put Wilson's lower bound at a floor below 1."""
    total = 1
    while wilson(total, total, level).low < floor:
        total += 1
    return total


def _of_binomial(passed: int, total: int, level: float, method: str) -> Interval:
    from scipy.stats import binomtest

    _check(passed, total)
    if not total:
        return Interval(0.0, 1.0)
    found = binomtest(passed, total).proportion_ci(level, method=method)
    return Interval(float(found.low), float(found.high))


def _check(passed: int, total: int) -> None:
    if not 0 <= passed <= total:
        raise ValueError(f"passed={passed} of total={total}: give counts with 0 <= passed <= total")
