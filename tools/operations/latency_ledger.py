"""`latency_ledger`: a latency budget line by line; percentiles of a sum are not sums of them."""

from functools import cache
from math import exp, log
from random import Random
from statistics import NormalDist

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Z99 = 2.3263478740408408
"""Standard normal quantile at 99 %."""
RUNS, STRIDE = 1021, 76
"""Runs of the simulation, a prime; line by line they take the normal's quantiles in another order,
in steps of STRIDE to the power of the line's number (a rank-1 lattice, after Korobov).
"""


class Line(Arguments):
    """One stage between the user's act and what the user perceives."""

    name: str = Field(min_length=1, max_length=60, description="Stage, e.g. end of speech")
    p50_ms: float = Field(ge=0, le=1e7, description="Median in ms")
    p99_ms: float | None = Field(
        default=None, ge=0, le=1e7, description="99th percentile in ms; none: it does not vary"
    )
    model: bool = Field(default=False, description="Whether a model computes in it")
    engine: bool = Field(default=False, description="Whether the engine's own clock sees it")


class LatencyArguments(Arguments):
    """Arguments of latency_ledger."""

    lines: list[Line] = Field(
        min_length=1, max_length=30, description="Stages: name, p50_ms, p99_ms, model, engine"
    )
    budget_ms: float = Field(ge=0.1, le=1e7, description="Budget of the whole in ms")
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of the percentiles' simulation")


@tool(
    group="multimodal_voice",
    example={
        "lines": [
            {"name": "end of speech", "p50_ms": 120, "p99_ms": 220},
            {"name": "speech to text", "p50_ms": 40, "p99_ms": 90, "model": True},
            {
                "name": "LLM first clause",
                "p50_ms": 80,
                "p99_ms": 180,
                "model": True,
                "engine": True,
            },
            {"name": "text to speech", "p50_ms": 40, "p99_ms": 80, "model": True},
            {"name": "network and playout", "p50_ms": 60, "p99_ms": 110},
        ],
        "budget_ms": 300,
    },
    drawing=Drawing(
        kind="bars",
        title="Lines of the budget: median, and what the 99th percentile adds",
        x="line",
        x_label="line",
        y_label="ms",
        series=(Series("p50_ms", "median"), Series("tail_ms", "to p99")),
    ),
)
def latency_ledger(given: LatencyArguments) -> Working:
    """Add up a latency budget in sequence: medians, the percentile of the sum, the largest line.

    Each line is lognormal through its p50 and p99 (estimate, independent). The sum of the p99s is a
    ceiling that the whole hardly reaches; the p99 of the sum comes from a seeded simulation.
    """
    for number, line in enumerate(given.lines):
        if line.p99_ms is not None and line.p99_ms < line.p50_ms:
            raise ToolError(f"lines.{number}.p99_ms", line.p99_ms, "is below its p50_ms")
        if line.p99_ms and line.p99_ms > 1000 * line.p50_ms:
            raise ToolError(
                f"lines.{number}.p99_ms", line.p99_ms, "is over 1,000 times its p50_ms: check units"
            )
    medians = sum(line.p50_ms for line in given.lines)
    tails = sum(_p99(line) for line in given.lines)
    sums = _simulated(given)
    p50, p99 = nearest_rank(sums, 0.5), nearest_rank(sums, 0.99)
    work = Working(headline="p99_ms", source="seeded simulation of independent lognormal lines")
    work.put("p99_ms", p99, "ms", "99 % of the sums at most", "estimate")
    work.put("p50_ms", p50, "ms", "median of the sums", "estimate")
    work.put("sum_p50_ms", medians, "ms", "sum of the medians")
    work.put("sum_p99_ms", tails, "ms", "sum of the 99th percentiles", "ceiling")
    within = sum(total <= given.budget_ms for total in sums) / len(sums)
    work.put("within", within, "fraction", "of requests within the budget", "estimate")
    _put_parts(work, given, medians)
    work.formula = (
        " + ".join(f"{line.name} {plain(line.p50_ms)}" for line in given.lines)
        + f" = {plain(medians)} ms at the median; p99 {plain(p99)} ms"
    )
    work.assume(
        f"lines follow one another and are independent; {RUNS:,} runs, seed {given.seed}",
        "a line of which only the p50 is known is taken as constant",
    )
    if p99 > given.budget_ms:
        work.warn(f"the 99th percentile passes the budget by {plain(p99 - given.budget_ms)} ms")
    work.table = [
        {"line": line.name, "p50_ms": line.p50_ms, "tail_ms": _p99(line) - line.p50_ms}
        for line in given.lines
    ]
    return work


def _p99(line: Line) -> float:
    return line.p50_ms if line.p99_ms is None else line.p99_ms


def _put_parts(work: Working, given: LatencyArguments, medians: float) -> None:
    largest = max(given.lines, key=lambda line: line.p50_ms)
    what = "a model" if largest.model else "no model"
    work.put("largest_ms", largest.p50_ms, "ms", f"largest line: {largest.name}, {what}")
    models = sum(line.p50_ms for line in given.lines if line.model)
    work.put("models_ms", models, "ms", "in models, at the median")
    left = given.budget_ms - (medians - models)
    work.put("left_for_models_ms", left, "ms", "of the budget for models, at the median")
    engine = sum(line.p50_ms for line in given.lines if line.engine)
    if engine:
        work.put("engine_ms", engine, "ms", "that the engine's clock sees, at the median")
        work.put(
            "client_over_engine", medians / engine, "x", "the client's figure over the engine's"
        )
    if left <= 0:
        work.warn("what is no model fills the budget alone")


@cache
def _normals(line: int) -> list[float]:
    """Quantiles of the standard normal in the order that a line takes them."""
    quantiles = [NormalDist().inv_cdf((n + 0.5) / RUNS) for n in range(RUNS)]
    step = pow(STRIDE, line, RUNS)
    return [quantiles[n * step % RUNS] for n in range(RUNS)]


def _simulated(given: LatencyArguments) -> list[float]:
    """Sorted sums in ms."""
    random = Random(given.seed)
    sums = [0.0] * RUNS
    for number, line in enumerate(given.lines):
        if not line.p99_ms or not line.p50_ms:
            sums = [total + line.p50_ms for total in sums]
            continue
        sigma, first = log(line.p99_ms / line.p50_ms) / Z99, random.randrange(RUNS)
        drawn = _normals(number)[first:] + _normals(number)[:first]
        sums = [t + line.p50_ms * exp(sigma * z) for t, z in zip(sums, drawn, strict=True)]
    return sorted(sums)
