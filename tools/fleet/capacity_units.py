"""`capacity_units`: pools of several GPU generations in one unit, replicas' work at the target."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Pool(Arguments):
    """Replicas of one kind."""

    name: str = Field(min_length=1, max_length=40, description="Name of the pool, e.g. H100")
    replicas: int = Field(ge=0, le=1_000_000, description="Replicas it has")
    gpus_per_replica: int = Field(ge=1, le=1024, description="GPUs of one replica")
    requests_per_s: float = Field(
        ge=1e-6, le=1e6, description="Requests/s of one replica at the latency target, measured"
    )
    gpu_usd_h: float | None = Field(
        default=None, ge=0, le=1e5, description="Price of one GPU in USD/h"
    )


class UnitsArguments(Arguments):
    """Arguments of capacity_units."""

    pools: list[Pool] = Field(
        min_length=1,
        max_length=12,
        description="Pools: name, replicas, gpus_per_replica, requests_per_s; first is the unit",
    )
    demand_per_s: float = Field(ge=0, le=1e9, description="Arrivals to serve in requests/s")
    max_utilisation: float = Field(
        default=1, ge=0.05, le=1, description="Share of the capacity that may be used"
    )


@tool(
    group="fleet_capacity",
    example={
        "pools": [
            {
                "name": "H100",
                "replicas": 20,
                "gpus_per_replica": 8,
                "requests_per_s": 4,
                "gpu_usd_h": 2.2,
            },
            {
                "name": "B200",
                "replicas": 10,
                "gpus_per_replica": 4,
                "requests_per_s": 9,
                "gpu_usd_h": 4.5,
            },
        ],
        "demand_per_s": 140,
    },
    drawing=Drawing(
        kind="bars",
        title="Utilisation if routed by GPU count (bar) and by capacity (stroke)",
        x="pool",
        x_label="pool",
        y_label="share of its capacity",
        series=(Series("by_gpus", "by GPU count"),),
        marker=Series("by_capacity", "by capacity"),
    ),
)
def capacity_units(given: UnitsArguments) -> Working:
    """Capacity of mixed pools in one unit, the routing weights, and what GPU counts get wrong.

    One unit is a replica of the first pool at the latency target. Routing by GPUs overloads the
    pool whose GPUs do less; price per unit says what to buy.
    """
    pools = given.pools
    if len({pool.name for pool in pools}) < len(pools):
        raise ToolError("pools", "…", "each needs a name of its own")
    unit = pools[0].requests_per_s
    capacity = [pool.replicas * pool.requests_per_s for pool in pools]
    gpus = [pool.replicas * pool.gpus_per_replica for pool in pools]
    if not sum(capacity):
        raise ToolError("pools", "…", "have no replica at all")
    work = Working(headline="units", source="measured rate at the latency target")
    work.put("units", sum(capacity) / unit, "units", f"one is a replica of {pools[0].name}")
    work.put("capacity_per_s", sum(capacity), "requests/s", "of all pools at the target")
    usable = sum(capacity) * given.max_utilisation
    missing = max(0.0, given.demand_per_s - usable) / unit
    work.put("utilisation", given.demand_per_s / sum(capacity), "fraction", "routed by capacity")
    work.put("missing_units", missing / given.max_utilisation, "units", "to buy for the demand")
    worst = max(
        given.demand_per_s * count / sum(gpus) / able
        for count, able in zip(gpus, capacity, strict=True)
        if able
    )
    work.put("worst_by_gpus", worst, "fraction", "busiest pool if routed by GPU count")
    _put_prices(work, given, unit)
    work.formula = (
        " + ".join(f"{pool.replicas} x {plain(pool.requests_per_s)}" for pool in pools)
        + f" = {plain(sum(capacity))} requests/s; / {plain(unit)} = "
        f"{plain(sum(capacity) / unit)} units"
    )
    work.assume("rates are measured on the same traffic at the same latency target")
    if worst > given.max_utilisation:
        work.warn("routing by GPU count overloads a pool: its requests miss the target")
    work.table = [
        {
            "pool": pool.name,
            "units": able / unit,
            "weight": able / sum(capacity),
            "by_gpus": given.demand_per_s * count / sum(gpus) / able if able else 0.0,
            "by_capacity": given.demand_per_s / sum(capacity) if able else 0.0,
        }
        for pool, able, count in zip(pools, capacity, gpus, strict=True)
    ]
    return work


def _put_prices(work: Working, given: UnitsArguments, unit: float) -> None:
    prices = {
        pool.name: pool.gpu_usd_h * pool.gpus_per_replica / (pool.requests_per_s / unit)
        for pool in given.pools
        if pool.gpu_usd_h is not None
    }
    if not prices:
        return
    cheapest = min(prices, key=lambda name: prices[name])
    dearest = max(prices.values())
    work.put("usd_h_per_unit", prices[cheapest], "USD/h/unit", f"cheapest: {cheapest}")
    work.put("dearest_usd_h_per_unit", dearest, "USD/h/unit", "dearest pool")
