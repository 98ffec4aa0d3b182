"""`tail_steps`: a periodic slow step: which percentile it owns, and which source has its period."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Source(Arguments):
    """A thing that happens in a period of its own."""

    name: str = Field(min_length=1, max_length=60, description="What it is, e.g. metrics scrape")
    period_s: float = Field(ge=1e-4, le=1e6, description="Its period in s")


class TailArguments(Arguments):
    """Arguments of tail_steps."""

    step_ms: float = Field(ge=1e-3, le=1e6, description="Usual step in ms")
    slow_ms: float = Field(ge=1e-3, le=1e6, description="Slow step in ms")
    every_steps: float = Field(ge=1, le=1e8, description="Steps from one slow one to the next")
    reply_tokens: int = Field(default=300, ge=1, le=1_000_000, description="Tokens of a reply")
    sources: list[Source] = Field(
        default=[], max_length=30, description="Periodic suspects: name and period_s"
    )


@tool(
    group="telemetry",
    example={
        "step_ms": 20,
        "slow_ms": 180,
        "every_steps": 70,
        "reply_tokens": 300,
        "sources": [
            {"name": "metrics scrape", "period_s": 15},
            {"name": "garbage collection", "period_s": 1.6},
            {"name": "health check", "period_s": 1.5},
            {"name": "log flush", "period_s": 1},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Step at each percentile",
        x="percentile",
        x_label="percentile of steps",
        y_label="ms",
        series=(Series("step_ms", "step"),),
    ),
)
def tail_steps(given: TailArguments) -> Working:
    """Percentiles of steps with a slow one every so many, replies that meet it, and suspects.

    One slow step in n owns every percentile above 1 - 1/n of the steps, and is met by a reply of t
    tokens with min(1, t/n). Period = (n - 1) usual + one slow; a suspect fits that or a multiple.
    """
    if given.slow_ms < given.step_ms:
        raise ToolError("slow_ms", given.slow_ms, "is below the usual step")
    share = 1 / given.every_steps
    period = ((given.every_steps - 1) * given.step_ms + given.slow_ms) / 1e3
    mean = given.step_ms + share * (given.slow_ms - given.step_ms)
    work = Working(headline="p99_ms", source="a two-point distribution of steps")
    for key, quantile in (("p50_ms", 0.5), ("p95_ms", 0.95), ("p99_ms", 0.99), ("p999_ms", 0.999)):
        value = _quantile(given, quantile)
        work.put(key, value, "ms", f"step at {plain(quantile * 100)} %")
        work.table.append({"percentile": f"{quantile * 100:g} %", "step_ms": value})
    work.put("mean_ms", mean, "ms", "mean step")
    work.put("slow_share", share, "fraction", "of steps are slow")
    work.put("period_s", period, "s", "from one slow step to the next")
    met = min(1.0, given.reply_tokens * share)
    work.put(
        "replies_met", met, "fraction", f"of replies of {given.reply_tokens:,} tokens meet one"
    )
    lost = share * (given.slow_ms - given.step_ms) / mean
    work.put("time_lost", lost, "fraction", "of the time goes to the slowness")
    work.formula = (
        f"1/{plain(given.every_steps)} = {plain(share * 100)} % of the steps; every "
        f"{plain(period)} s"
    )
    _rank(work, given, period)
    work.assume(
        "one slow step at regular distance; two suspects of like period are told apart by moving "
        "one of them, or by aligning their own timestamps with the slow steps"
    )
    if share < 0.01:
        work.warn("rarer than one in 100: p99 does not see it, p99.9 and the worst gap do")
    return work


def _quantile(given: TailArguments, quantile: float) -> float:
    return given.slow_ms if 1 / given.every_steps > 1 - quantile + 1e-12 else given.step_ms


def _rank(work: Working, given: TailArguments, period: float) -> None:
    """Suspects by how far the period is from theirs or a multiple of it."""
    if not given.sources:
        return
    ranked = sorted((_off(period, source.period_s), source.name) for source in given.sources)
    off, name = ranked[0]
    work.put("best_off", off, "fraction", f"best fit: {name}, off by")
    listed = ", ".join(f"{name} ({off * 100:.0f} % off)" for off, name in ranked)
    work.formula += f"; suspects: {listed}"
    close = [name for off, name in ranked if off < 0.15]
    if len(close) > 1:
        work.warn(f"the period alone does not tell {' from '.join(close[:3])}")


def _off(period: float, source: float) -> float:
    """Relative distance of the period from the nearest multiple of a source's own."""
    multiple = max(1, round(period / source))
    return abs(period - multiple * source) / period + (multiple - 1) * 0.05
