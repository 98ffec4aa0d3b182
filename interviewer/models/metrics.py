"""Reads vLLM's /metrics (Prometheus text) into numbers. Labels are summed over."""

import math
import re
from collections import defaultdict
from collections.abc import Mapping

_LINE = re.compile(r"^([a-zA-Z_:][\w:]*)(?:\{(.*)\})?\s+(\S+)")
_LE = re.compile(r'le="([^"]+)"')


def read_metrics(text: str) -> dict[str, float]:
    """Each metric's sum over its labels; buckets are left out, and so is what is no number."""
    sums: dict[str, float] = defaultdict(float)
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None or found[1].endswith("_bucket") or (value := _number(found[3])) is None:
            continue
        sums[found[1]] += value
    return dict(sums)


def quantile(text: str, histogram: str, share: float) -> float | None:
    """The bucket bound below which `share` of the observations lie; None where there are none."""
    buckets = _buckets(text, histogram)
    total = buckets.get(math.inf, 0.0)
    if not total:
        return None
    return next((bound for bound, count in sorted(buckets.items()) if count >= share * total), None)


def ratio(metrics: Mapping[str, float], part: str, whole: str) -> float | None:
    """A share; None where the whole is nothing or not told."""
    return metrics[part] / metrics[whole] if metrics.get(whole) and part in metrics else None


def _buckets(text: str, histogram: str) -> dict[float, float]:
    sums: dict[float, float] = defaultdict(float)
    for line in text.splitlines():
        found = _LINE.match(line)
        if found is None or found[1] != f"{histogram}_bucket":
            continue
        bound, value = _LE.search(found[2] or ""), _number(found[3])
        if bound is not None and value is not None:
            sums[float(bound[1])] += value
    return dict(sums)


def _number(text: str) -> float | None:
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
