"""`region_failover`: the smallest fleet that survives losing any region, and where it stands."""

from collections.abc import Sequence
from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Region(Arguments):
    """One region and what it needs."""

    name: str = Field(min_length=1, max_length=40, description="Name of the region")
    replicas: list[float] = Field(
        min_length=1,
        max_length=168,
        description="Replicas its own traffic needs, by hour in one time zone; one: constant",
    )
    risk: float = Field(default=1, ge=0, le=1000, description="How likely it is lost, relative")
    nearest: str | None = Field(
        default=None, max_length=40, description="Region that takes its traffic if it is lost"
    )


class FailoverArguments(Arguments):
    """Arguments of region_failover."""

    regions: list[Region] = Field(
        min_length=2, max_length=30, description="Regions: name, replicas by hour, risk, nearest"
    )
    start_s: float = Field(
        default=360, ge=0, le=1e5, description="Time in s until a new replica serves"
    )


@tool(
    group="fleet_capacity",
    example={
        "regions": [
            {"name": "us", "replicas": [50], "nearest": "eu"},
            {"name": "eu", "replicas": [30], "nearest": "us"},
            {"name": "asia", "replicas": [20], "nearest": "us"},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Replicas by region: for its own peak, and spare for the others",
        x="region",
        x_label="region",
        y_label="replicas",
        series=(Series("own", "own peak"), Series("spare", "spare")),
    ),
)
def region_failover(given: FailoverArguments) -> Working:
    """Fewest replicas so that, with any one region lost, the rest still serve all traffic.

    With D the peak of the summed demand: total = max(sum of own peaks, D + largest own peak,
    D x R/(R-1)). Spare goes first to where the likeliest loss would be served.
    """
    hours = _hours(given.regions)
    peaks = [ceil(max(region.replicas) - 1e-9) for region in given.regions]
    summed = [sum(_at(region, hour) for region in given.regions) for hour in range(hours)]
    demand = ceil(max(summed) - 1e-9)
    if not demand:
        raise ToolError("regions", "…", "need no replica at all: state their demand")
    count = len(given.regions)
    bounds = {
        "sum of own peaks": sum(peaks),
        "demand + largest peak": demand + max(peaks),
        f"demand x {count}/{count - 1}": ceil(demand * count / (count - 1) - 1e-9),
    }
    total, binding = max((bound, name) for name, bound in bounds.items())
    placed = _place(given.regions, peaks, total, total - demand)
    work = Working(headline="replicas", source="capacity that survives the loss of any one region")
    work.put("replicas", total, "replicas", "in all regions", "count")
    work.put("demand", demand, "replicas", "peak of the summed demand", "count")
    work.put("spare", total - demand, "replicas", "beyond the peak", "count")
    work.put("factor", total / demand, "x", "fleet over demand")
    mean = sum(summed) / hours / total
    work.put("utilisation", mean, "fraction", "mean over the hours, all regions up", "estimate")
    worst = max(placed)
    short = max(0, demand - (sum(peaks) - max(peaks)))
    work.put("largest_region", worst, "replicas", "most that one loss takes", "count")
    lost = short * given.start_s
    work.put("unserved", lost, "replica s", "not served while replicas start, with no spare")
    work.formula = f"{binding} = {total:,} replicas; less any one region at least {demand:,} remain"
    work.assume(
        "replicas are alike and any region can serve any traffic; distance is not counted",
        f"a replica takes {plain(given.start_s)} s to come up, so spare must stand before the loss",
    )
    work.table = [
        {
            "region": region.name,
            "own": peak,
            "spare": placed[number] - peak,
            "left_if_lost": total - placed[number],
        }
        for number, (region, peak) in enumerate(zip(given.regions, peaks, strict=True))
    ]
    return work


def _hours(regions: Sequence[Region]) -> int:
    """Length of the longest list; every other has one value or as many."""
    names = [region.name for region in regions]
    if len(set(names)) < len(names):
        raise ToolError("regions", "…", "each needs a name of its own")
    hours = max(len(region.replicas) for region in regions)
    for number, region in enumerate(regions):
        if len(region.replicas) not in (1, hours):
            raise ToolError(
                f"regions.{number}.replicas", len(region.replicas), f"must be 1 or {hours} values"
            )
        if min(region.replicas) < 0 or max(region.replicas) > 1e6:
            raise ToolError(f"regions.{number}.replicas", "…", "must be 0 to 1,000,000 each")
        if region.nearest is not None and (
            region.nearest not in names or region.nearest == region.name
        ):
            raise ToolError(
                f"regions.{number}.nearest", region.nearest, f"is none of the others of {names}"
            )
    return hours


def _at(region: Region, hour: int) -> float:
    return region.replicas[hour] if len(region.replicas) > 1 else region.replicas[0]


def _place(regions: Sequence[Region], peaks: Sequence[int], total: int, most: int) -> list[int]:
    """Replicas by region: the own peaks, then spare near the likeliest loss, `most` in any one."""
    names = [region.name for region in regions]
    placed = list(peaks)
    left = total - sum(placed)
    order = sorted(range(len(regions)), key=lambda n: -regions[n].risk * peaks[n])
    wanted = [names.index(near) for n in order if (near := regions[n].nearest) is not None]
    rest = sorted(range(len(regions)), key=lambda n: peaks[n])
    for number in [*wanted, *rest]:
        extra = min(left, most - placed[number])
        placed[number] += extra
        left -= extra
    return placed
