"""Percentiles of samples by nearest rank: always a value that was measured, never between two."""

from collections.abc import Sequence
from math import ceil


def nearest_rank(ordered: Sequence[float], share: float) -> float:
    """The smallest of sorted samples that at least `share` (0 to 1) of them do not exceed."""
    # The rounding keeps 0.99 x 100 = 99.00000000000001 at rank 99.
    return ordered[max(0, min(len(ordered), ceil(round(share * len(ordered), 9))) - 1)]
