"""Capacity: fewest replicas that survive, spares where they are needed, units across GPUs."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def fewest(peaks: list[int], demand: int) -> int:
    """By trying every fleet: each region its own peak, all others able to serve everything."""
    for total in range(demand, 10 * demand + 100):
        rooms = [range(peak, total + 1) for peak in peaks[:-1]]
        for fleet in product(*rooms):
            last = total - sum(fleet)
            if last >= peaks[-1] and all(total - each >= demand for each in (*fleet, last)):
                return total
    raise AssertionError


@settings(derandomize=True, max_examples=25, deadline=None, database=None)
@given(st.lists(st.lists(st.integers(0, 6), min_size=2, max_size=2), min_size=2, max_size=3))
def test_no_smaller_fleet_survives_the_loss_of_a_region(hours: list[list[int]]) -> None:
    demand = max(map(sum, zip(*hours, strict=True)))
    if not demand:
        return
    regions = [{"name": str(n), "replicas": each} for n, each in enumerate(hours)]
    result = call("region_failover", regions=regions)
    assert result.value == fewest([max(each) for each in hours], demand)
    assert sum(row["own"] + row["spare"] for row in result.table) == result.value
    assert all(row["left_if_lost"] >= demand for row in result.table)


def test_peaks_at_other_hours_need_less_spare() -> None:
    apart = [{"name": "us", "replicas": [60, 10]}, {"name": "asia", "replicas": [10, 60]}]
    together = [{"name": "us", "replicas": [60, 10]}, {"name": "asia", "replicas": [60, 10]}]
    assert call("region_failover", regions=apart).value == 140
    assert call("region_failover", regions=together).value == 240


def test_spare_stands_next_to_the_likeliest_loss() -> None:
    regions = [
        {"name": "a", "replicas": [40], "risk": 1, "nearest": "b"},
        {"name": "b", "replicas": [40], "risk": 1, "nearest": "a"},
        {"name": "c", "replicas": [40], "risk": 9, "nearest": "a"},
    ]
    spare = {row["region"]: row["spare"] for row in call("region_failover", regions=regions).table}
    assert spare["a"] == max(spare.values()) > 0


def test_regions_with_lists_of_unlike_length_are_refused() -> None:
    regions = [{"name": "a", "replicas": [1, 2, 3]}, {"name": "b", "replicas": [1, 2]}]
    with pytest.raises(ToolError, match="1 or 3 values"):
        call("region_failover", regions=regions)


@few
@given(st.floats(0.1, 500), st.floats(0, 1), st.floats(0.1, 1), st.integers(0, 3))
def test_the_fleet_stays_under_its_utilisation(
    rate: float, cached: float, most: float, spare: int
) -> None:
    example = {**CATALOG["fleet_capacity"].example, "requests_per_s": rate}
    more = {"cached_share": cached, "max_utilisation": most, "spare": spare}
    measures = CATALOG["fleet_capacity"].call({**example, **more}).measures
    busy = measures["prefill_busy"].value + measures["decode_busy"].value
    working = measures["replicas"].value - spare
    assert busy / working <= most * (1 + 1e-6)
    assert working == 1 or busy / (working - 1) > most * (1 - 1e-6)


def test_two_pools_are_rounded_up_each() -> None:
    example = {**CATALOG["fleet_capacity"].example, "separate_pools": True}
    measures = CATALOG["fleet_capacity"].call(example).measures
    pools = [measures[f"{name}_replicas"].value for name in ("prefill", "decode")]
    assert pools == [17, 10]
    assert measures["replicas"].value == 27


def test_batch_is_bounded_by_memory_and_says_what_it_lacks() -> None:
    with pytest.raises(ToolError) as caught:
        call("idle_capacity", busy=[10, 5], kv_gb=50, context=1000, step_ms=30)
    assert caught.value.field == "kv_bytes_per_token"


def test_the_reserve_is_kept_clear_of_batch_work() -> None:
    rows = call("idle_capacity", busy=[7, 1], reserve=4).table
    assert [row["free"] for row in rows] == [0, 5]
    assert all(row["busy"] + row["clear"] + row["free"] == 10 for row in rows)


def test_routing_by_gpus_overloads_the_slower_pool() -> None:
    result = CATALOG["capacity_units"].call(CATALOG["capacity_units"].example)
    slow, fast = result.table
    assert slow["by_gpus"] > 1 > slow["by_capacity"] > fast["by_gpus"]
    assert any("overloads a pool" in warning for warning in result.warnings)


def test_bug_19_a_node_count_asks_for_the_cache_instead_of_presuming_one() -> None:
    with pytest.raises(ToolError) as caught:
        call("node_count", weights_gb=1026, gpu="H100")
    assert caught.value.field == "kv_gb"


def test_a_node_count_of_weights_alone_says_so() -> None:
    result = call("node_count", weights_gb=1026, kv_gb=0, gpu="H100")
    assert result.value == 2
    assert any("must be stated" in warning for warning in result.warnings)
