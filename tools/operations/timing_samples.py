"""`timing_samples`: kernel times as a distribution, with an interval and a check on the peak."""

from collections.abc import Sequence
from math import comb
from statistics import median

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class TimingArguments(Arguments):
    """Arguments of timing_samples."""

    samples_us: list[float] = Field(
        min_length=5, max_length=1000, description="Times in us, in the order they were taken"
    )
    moved_mb: float | None = Field(
        default=None, ge=1e-6, le=1e9, description="Bytes that must move per run, in MB (1e6 B)"
    )
    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name, for its bandwidth"
    )
    bandwidth_tb_s: float | None = Field(
        default=None, ge=1e-4, le=1e3, description="Or its peak bandwidth in TB/s"
    )


@tool(
    group="telemetry",
    example={
        "samples_us": [
            *[52.1, 51.8, 51.9, 52.4, 51.7, 52.0, 51.8, 53.9, 51.9, 52.2],
            *[51.8, 52.0, 52.1, 51.9, 60.3, 52.0, 51.7, 52.3, 51.9, 52.1],
        ],
        "moved_mb": 134.2,
        "gpu": "H100",
    },
    drawing=Drawing(
        kind="line",
        title="Times in the order they were taken",
        x="run",
        x_label="run",
        y_label="us",
        series=(Series("us", "time"), Series("median_us", "median")),
    ),
)
def timing_samples(given: TimingArguments) -> Working:
    """Median of repeated timings with a 95 % interval, spread, drift, and the rate they imply.

    The interval is by order statistics, without any shape of distribution. A rate above the peak
    bandwidth means that the data came from cache or that the clock missed the kernel.
    """
    if min(given.samples_us) <= 0:
        raise ToolError("samples_us", min(given.samples_us), "a time is above 0")
    ordered = sorted(given.samples_us)
    middle = median(ordered)
    low, high = median_interval(ordered)
    work = Working(headline="median_us", source="order statistics; bytes over time")
    work.put("median_us", middle, "us", f"median of {len(ordered):,} runs", "estimate")
    work.put("low_us", low, "us", "lower end of the median's 95 % interval", "estimate")
    work.put("high_us", high, "us", "upper end of it", "estimate")
    for key, share in (("p10_us", 0.1), ("p90_us", 0.9)):
        value = nearest_rank(ordered, share)
        work.put(key, value, "us", f"{plain(share * 100)} % at most", "estimate")
    work.put("max_us", ordered[-1], "us", "longest run")
    half = len(given.samples_us) // 2
    drift = median(given.samples_us[-half:]) / median(given.samples_us[:half]) - 1
    work.put("drift", drift, "fraction", "second half over first half", "estimate")
    work.formula = f"median {plain(middle)} us, 95 % interval {plain(low)} to {plain(high)} us"
    _put_rate(work, given, middle)
    work.assume("runs are after the warm-up, with the caches as the workload has them")
    work.warn("the halves differ by over 2 %: clocks or heat drift" if abs(drift) > 0.02 else "")
    if len(ordered) < 20:
        work.warn("fewer than 20 runs: the interval is wide and no percentile above 90 is worth it")
    work.table = [
        {"run": run, "us": us, "median_us": middle} for run, us in enumerate(given.samples_us, 1)
    ]
    return work


def median_interval(ordered: Sequence[float]) -> tuple[float, float]:
    """Two of the sorted samples that hold the median with at least 95 %, or the two ends."""
    size = len(ordered)
    below, rank = 0, 0
    # rank: the largest k with P[Binomial(size, 1/2) < k] <= 2.5 %
    while (below + comb(size, rank)) * 40 <= 1 << size:
        below += comb(size, rank)
        rank += 1
    first = max(0, rank - 1)
    return ordered[first], ordered[size - 1 - first]


def _put_rate(work: Working, given: TimingArguments, middle: float) -> None:
    if given.moved_mb is None:
        if given.gpu is not None or given.bandwidth_tb_s is not None:
            raise ToolError("moved_mb", None, "is needed to hold the time against a bandwidth")
        return
    rate = given.moved_mb / middle
    work.put("rate_TB_s", rate, "TB/s", "bytes over the median", "estimate")
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    peak = given.bandwidth_tb_s or (gpu.spec.bandwidth_tb_s if gpu else None)
    if gpu:
        gpu.tell(work)
        work.source += f"; {gpu.spec.source}"
    if peak is None:
        return
    work.put("peak_share", rate / peak, "fraction", f"of {plain(peak)} TB/s", "estimate")
    work.formula += f"; {plain(given.moved_mb)} MB / {plain(middle)} us = {plain(rate)} TB/s"
    if rate > peak:
        work.warn(
            "faster than the memory: the data came from cache, the bytes are miscounted, or the "
            "clock stopped before the kernel did"
        )
    l2 = gpu.spec.l2_mb if gpu else 0.0
    if l2 and given.moved_mb < l2:
        work.warn(f"{plain(given.moved_mb)} MB fit the L2 of {plain(l2)} MB: flush it between runs")
