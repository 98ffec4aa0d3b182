"""How far two raters agree: confusion matrix, quadratic-weighted kappa with an interval over
questions, sensitivity and specificity, and the rate that a biased scorer's rate stands for.
"""

import warnings
from collections.abc import Sequence
from math import isnan, sqrt
from statistics import NormalDist
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import BaseModel, ConfigDict

from evals.proportions import Interval, wilson

if TYPE_CHECKING:
    import numpy as np

LEVELS = (1, 2, 3, 4)
SOLID = 3
"""A part is there from this level on."""
RESAMPLES = 2_000
SEED = 20_260_101


class Pair(NamedTuple):
    """One answer's level by the reference and by the scorer; `group` is its question."""

    group: str
    expected: int
    found: int


class Rate(BaseModel):
    """A rate, never without its n and its interval (Wilson, 95 %)."""

    model_config = ConfigDict(frozen=True)

    passed: int
    total: int
    low: float
    high: float

    @classmethod
    def of(cls, passed: int, total: int) -> "Rate":
        """The rate of these counts."""
        low, high = wilson(passed, total)
        return cls(passed=passed, total=total, low=low, high=high)

    @property
    def value(self) -> float | None:
        """None where there is no data."""
        return self.passed / self.total if self.total else None


class Agreement(BaseModel):
    """How a scorer agrees with a reference on one part."""

    model_config = ConfigDict(frozen=True)

    answers: int
    groups: int
    """Questions: answers to one question are not independent, so the interval resamples these."""
    kappa: float | None
    """Quadratic-weighted; None where it is undefined, because nothing varies."""
    low: float | None
    high: float | None
    matrix: list[list[int]]
    """Rows: the reference's level 1 to 4; columns: the scorer's."""
    exact: Rate
    sensitivity: Rate
    """Of the parts that are there (reference at 3 or 4), those that the scorer sees."""
    specificity: Rate
    """Of the parts that are not there, those that the scorer sees missing."""


def agreement(pairs: Sequence[Pair]) -> Agreement:
    """Everything that these pairs say about agreement."""
    interval = kappa_interval(pairs)
    there = [pair for pair in pairs if pair.expected >= SOLID]
    absent = [pair for pair in pairs if pair.expected < SOLID]
    return Agreement(
        answers=len(pairs),
        groups=len({pair.group for pair in pairs}),
        kappa=weighted_kappa([p.expected for p in pairs], [p.found for p in pairs]),
        low=interval.low if interval else None,
        high=interval.high if interval else None,
        matrix=matrix(pairs),
        exact=Rate.of(sum(p.expected == p.found for p in pairs), len(pairs)),
        sensitivity=Rate.of(sum(p.found >= SOLID for p in there), len(there)),
        specificity=Rate.of(sum(p.found < SOLID for p in absent), len(absent)),
    )


def matrix(pairs: Sequence[Pair]) -> list[list[int]]:
    """Counts by expected level (rows) and found level (columns)."""
    counts = [[0 for _ in LEVELS] for _ in LEVELS]
    for pair in pairs:
        counts[pair.expected - 1][pair.found - 1] += 1
    return counts


def weighted_kappa(first: Sequence[int], second: Sequence[int]) -> float | None:
    """Cohen's kappa with quadratic weights; None without data or where neither varies."""
    from sklearn.metrics import cohen_kappa_score

    if not first or len({*first, *second}) < 2:
        return None
    kappa = float(cohen_kappa_score(first, second, weights="quadratic"))
    return None if isnan(kappa) else kappa


def kappa_interval(
    pairs: Sequence[Pair], level: float = 0.95, resamples: int = RESAMPLES
) -> Interval | None:
    """Bootstrap interval (BCa) of the weighted kappa; whole questions are drawn, not answers."""
    import numpy as np

    groups = sorted({pair.group for pair in pairs})
    if len(groups) < 3 or len({p.expected for p in pairs}) < 2:
        return None
    by_group = np.array([matrix([p for p in pairs if p.group == name]) for name in groups])
    if (by_group == by_group[0]).all():
        return None
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        # Where questions do not differ in their kappa there is no interval: None, not a warning.
        warnings.simplefilter("ignore")
        low, high = _bootstrapped(by_group, level, resamples)
    return None if isnan(low) or isnan(high) else Interval(low, high)


def _bootstrapped(
    by_group: "np.ndarray[Any, Any]", level: float, resamples: int
) -> tuple[float, float]:
    import numpy as np
    from scipy.stats import bootstrap

    found = bootstrap(
        (np.arange(len(by_group)),),
        lambda drawn, axis: _kappas(by_group[drawn].sum(axis=axis - 2)),
        n_resamples=resamples,
        confidence_level=level,
        rng=np.random.default_rng(SEED),
        vectorized=True,
        axis=-1,
    ).confidence_interval
    return float(found.low), float(found.high)


def _kappas(counts: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """Quadratic-weighted kappa of confusion matrices in the last two axes."""
    import numpy as np

    levels = np.arange(len(LEVELS))
    weights = (levels[:, None] - levels[None, :]) ** 2
    total = counts.sum(axis=(-1, -2))
    expected = counts.sum(axis=-1)[..., :, None] * counts.sum(axis=-2)[..., None, :]
    by_chance = (weights * expected).sum(axis=(-1, -2)) / total
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(1 - (weights * counts).sum(axis=(-1, -2)) / by_chance)


def corrected_rate(
    seen: Rate, sensitivity: Rate, specificity: Rate, level: float = 0.95
) -> tuple[float, Interval] | None:
    """The true rate behind a scorer's rate, given how often the scorer errs.

    Rogan and Gladen's estimate; its interval also carries the uncertainty of the calibration set
    (delta method, arXiv 2511.21140). None where the scorer tells nothing apart.
    """
    rates = (seen.value, sensitivity.value, specificity.value)
    if any(rate is None for rate in rates):
        return None
    p, se, sp = (float(rate or 0) for rate in rates)
    youden = se + sp - 1
    if youden <= 0.05:
        return None
    rate = (p + sp - 1) / youden
    spread = (
        p * (1 - p) / seen.total
        + rate**2 * se * (1 - se) / sensitivity.total
        + (1 - rate) ** 2 * sp * (1 - sp) / specificity.total
    )
    half = NormalDist().inv_cdf(0.5 + level / 2) * sqrt(spread) / youden
    clip = (max(0.0, rate - half), min(1.0, rate + half))
    return min(1.0, max(0.0, rate)), Interval(*clip)
