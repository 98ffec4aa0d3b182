"""`barrier_wait`: splits ranks' combine spans into waiting for the slowest and communication."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Rank(Arguments):
    """One rank's step."""

    name: str = Field(min_length=1, max_length=20, description="Rank, e.g. 3")
    load: float = Field(ge=0, le=1e12, description="Its load, e.g. tokens of its experts")
    compute_ms: float = Field(ge=0, le=1e7, description="Time in ms until it enters the combine")
    combine_ms: float = Field(ge=0, le=1e7, description="Its combine span in ms, waiting included")


class BarrierArguments(Arguments):
    """Arguments of barrier_wait."""

    ranks: list[Rank] = Field(
        min_length=2, max_length=512, description="Ranks: name, load, compute_ms, combine_ms"
    )


@tool(
    group="telemetry",
    example={
        "ranks": [
            {"name": "0", "load": 900, "compute_ms": 2.1, "combine_ms": 2.6},
            {"name": "1", "load": 400, "compute_ms": 1.1, "combine_ms": 3.6},
            {"name": "2", "load": 2100, "compute_ms": 4.3, "combine_ms": 0.4},
            {"name": "3", "load": 700, "compute_ms": 1.7, "combine_ms": 3.0},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Each rank's step: computing, waiting, communicating",
        x="rank",
        x_label="rank",
        y_label="ms",
        series=(
            Series("compute_ms", "compute"),
            Series("wait_ms", "wait"),
            Series("communication_ms", "communication"),
        ),
    ),
)
def barrier_wait(given: BarrierArguments) -> Working:
    """Waiting inside collective spans: the longest combine is on the rank that was done first.

    A rank that enters the combine early waits max(compute) - its own; what is left of its span is
    communication. Balancing the load saves max - mean of compute, no more.
    """
    names = [rank.name for rank in given.ranks]
    if len(set(names)) < len(names):
        raise ToolError("ranks", "…", "each needs a name of its own")
    last = max(rank.compute_ms for rank in given.ranks)
    rows = [
        {
            "rank": rank.name,
            "load": rank.load,
            "compute_ms": rank.compute_ms,
            "wait_ms": min(rank.combine_ms, last - rank.compute_ms),
            "communication_ms": max(0.0, rank.combine_ms - (last - rank.compute_ms)),
        }
        for rank in given.ranks
    ]
    longest = max(given.ranks, key=lambda rank: rank.combine_ms)
    slowest = max(given.ranks, key=lambda rank: rank.compute_ms)
    mean = sum(rank.compute_ms for rank in given.ranks) / len(given.ranks)
    work = Working(headline="wait_ms", source="a collective ends for all when the last has entered")
    wait = last - longest.compute_ms
    work.put("wait_ms", wait, "ms", f"of rank {longest.name}'s combine, the longest, is waiting")
    work.put("longest_ms", longest.combine_ms, "ms", f"combine span of rank {longest.name}")
    least = min(float(str(row["communication_ms"])) for row in rows)
    work.put("communication_ms", least, "ms", "least communication of any rank", "floor")
    work.put("slowest_ms", last, "ms", f"compute of rank {slowest.name}, whom all wait for")
    work.put("balanced_saving_ms", last - mean, "ms", "that perfect balance would save", "ceiling")
    total = sum(rank.load for rank in given.ranks)
    if total:
        imbalance = max(rank.load for rank in given.ranks) * len(given.ranks) / total
        work.put("imbalance", imbalance, "x", "largest load over the mean load")
    work.formula = (
        f"rank {longest.name}: {plain(longest.combine_ms)} ms = {plain(last)} - "
        f"{plain(longest.compute_ms)} waiting + "
        f"{plain(max(0.0, longest.combine_ms - wait))} communication"
    )
    work.assume("ranks start the step together, on one clock")
    if any(rank.combine_ms < (last - rank.compute_ms) * 0.95 for rank in given.ranks):
        work.warn("a combine is shorter than its wait: the ranks' clocks or starts differ")
    if slowest.load < max(rank.load for rank in given.ranks):
        work.warn("the slowest rank has not the largest load: look at its clock, GPU or link")
    work.table = list(rows)
    return work
