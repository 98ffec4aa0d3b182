"""Moving caches and weights: one direction of a link, fetch against recompute, wear, broadcasts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


def test_bug_13_a_gpus_link_counts_one_direction() -> None:
    result = call("kv_transfer", kv_bytes_per_token=1e6, tokens=450, link_gpu="H100")
    assert result.value == pytest.approx(1.0)


def test_bug_13_the_total_of_both_directions_is_pointed_out() -> None:
    result = call("kv_transfer", kv_bytes_per_token=1e6, tokens=450, link_gb_s=900)
    assert any("one way is 450 GB/s" in warning for warning in result.warnings)


def test_bug_11_network_speed_is_in_bits() -> None:
    bits = value("kv_transfer", "transfer_ms", kv_bytes_per_token=1e6, tokens=50, link_gbit_s=400)
    size = value("kv_transfer", "transfer_ms", kv_bytes_per_token=1e6, tokens=50, link_gb_s=50)
    assert bits == pytest.approx(size) == pytest.approx(1.0)


@pytest.mark.parametrize("link", [{}, {"link_gb_s": 50, "link_gbit_s": 400}])
def test_a_link_is_named_exactly_once(link: dict[str, float]) -> None:
    with pytest.raises(ToolError, match="exactly one"):
        call("kv_transfer", kv_bytes_per_token=1e6, tokens=50, **link)


def test_a_gpu_without_nvlink_is_refused() -> None:
    with pytest.raises(ToolError, match="has no NVLink"):
        call("kv_transfer", kv_bytes_per_token=1e6, tokens=50, link_gpu="L4")


@few
@given(st.integers(1, 100_000), st.integers(1, 100_000))
def test_the_sustained_bandwidth_does_not_depend_on_the_prompt(one: int, other: int) -> None:
    found = [
        value(
            "kv_transfer",
            "sustained_GB_s",
            kv_bytes_per_token=327_680,
            tokens=tokens,
            link_gb_s=50,
            prefill_tokens_per_s=7000,
        )
        for tokens in (one, other)
    ]
    assert found == pytest.approx([327_680 * 7000 / 1e9] * 2)


def test_only_the_last_layer_shows_where_prefill_is_slower_than_the_link() -> None:
    arguments = {"kv_bytes_per_token": 1e6, "tokens": 1000, "link_gb_s": 10, "pieces": 10}
    hidden = value("kv_transfer", "exposed_ms", prefill_tokens_per_s=1000, **arguments)
    slow = value("kv_transfer", "exposed_ms", prefill_tokens_per_s=1e6, **arguments)
    assert hidden == pytest.approx(10)
    assert slow == pytest.approx(100 - 0.9)


def test_a_recompute_counts_attention_too() -> None:
    short, long = (
        value(
            "kv_transfer",
            "recompute_ms",
            model="Llama-3.3-70B",
            tokens=tokens,
            link_gb_s=50,
            prefill_tflops=1000,
        )
        for tokens in (1000, 100_000)
    )
    assert long > 110 * short


def test_break_even_makes_the_fetch_as_long_as_the_recompute() -> None:
    arguments = {"kv_bytes_per_token": 1e5, "tokens": 5000, "prefill_tokens_per_s": 9000}
    more = {**arguments, "latency_us": 300, "pieces": 4}
    least = value("kv_transfer", "break_even_GB_s", link_gb_s=10, **more)
    assert value("kv_transfer", "advantage", link_gb_s=least, **more) == pytest.approx(1)


def test_a_tier_that_is_slower_than_computing_is_named() -> None:
    result = CATALOG["kv_tiers"].call(CATALOG["kv_tiers"].example)
    assert result.measures["useless_tiers"].value == 1
    assert "object store costs more time than it saves: leave it out" in result.warnings


def test_hit_rates_of_tiers_cannot_pass_one_together() -> None:
    tier = {"name": "a", "read_gb_s": 1, "capacity_gb": 1, "hit_rate": 0.6}
    with pytest.raises(ToolError, match="at most 1"):
        call(
            "kv_tiers",
            kv_bytes_per_token=1,
            prefill_tokens_per_s=1,
            prefix_tokens=1,
            new_tokens_per_s=0,
            tiers=[tier, {**tier, "name": "b"}],
        )


def test_a_handoff_trace_out_of_order_is_refused_by_name() -> None:
    example = {**CATALOG["kv_handoff"].example, "admitted_ms": 300}
    with pytest.raises(ToolError) as caught:
        CATALOG["kv_handoff"].call(example)
    assert caught.value.field == "admitted_ms"


def test_the_stall_of_a_handoff_is_the_sum_of_its_parts() -> None:
    measures = CATALOG["kv_handoff"].call(CATALOG["kv_handoff"].example).measures
    parts = sum(measures[k].value for k in ("exposed_ms", "admission_ms", "first_step_ms"))
    assert parts == measures["stall_ms"].value == 125


@few
@given(st.integers(1, 2000), st.integers(1, 8), st.floats(1, 500), st.floats(1, 100))
def test_no_way_of_loading_beats_its_bounds(
    replicas: int, fanout: int, storage: float, nic: float
) -> None:
    measures = call(
        "weight_loading",
        weights_gb=100,
        replicas=replicas,
        fanout=fanout,
        storage_gb_s=storage,
        nic_gb_s=nic,
    ).measures
    bound = max(measures["storage_s"].value, measures["network_s"].value)
    ways = [measures[k].value for k in ("pipelined_s", "naive_s", "doubling_s")]
    assert min(ways) >= bound * (1 - 1e-9)


def test_startup_work_hides_behind_the_bytes_only_where_it_is_said_to() -> None:
    arguments = {"weights_gb": 100, "replicas": 1, "storage_gb_s": 10, "nic_gb_s": 10}
    jobs = [{"name": "imports", "seconds": 8}, {"name": "capture", "seconds": 5}]
    hidden = [{**jobs[0], "during_load": True}, jobs[1]]
    assert value("weight_loading", "ready_s", startup=jobs, **arguments) == pytest.approx(23)
    assert value("weight_loading", "ready_s", startup=hidden, **arguments) == pytest.approx(15)
