"""Parallel layouts, pipelines, overlap, experts and step gaps."""

from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError
from tools.serving.routing import balanced, distinct, inclusion

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)
LLAMA, DEEPSEEK = "Llama-3.3-70B", "DeepSeek-V3"


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


@few
@given(st.sampled_from([LLAMA, DEEPSEEK, "gpt-oss-120b"]), st.sampled_from([1, 2, 4, 8, 16]))
def test_bug_06_a_replica_holds_at_least_one_whole_cache(model: str, tp: int) -> None:
    found = call("parallel_layout", model=model, tp=tp).measures
    one = value("kv_cache", "bytes_per_token", model=model)
    assert found["kv_bytes_per_token_node"].value >= one
    assert found["kv_bytes_per_token_node"].value == one * found["copies"].value


def test_bug_06_twice_the_gpus_past_the_heads_halve_weights_and_not_the_cache() -> None:
    eight, sixteen = (call("parallel_layout", model=LLAMA, tp=tp).measures for tp in (8, 16))
    assert eight["weights_GB_per_gpu"].value == 2 * sixteen["weights_GB_per_gpu"].value
    assert eight["kv_GB_per_gpu"].value == sixteen["kv_GB_per_gpu"].value
    assert sixteen["copies"].value == 2


def test_bug_06_context_parallelism_divides_the_copies_of_a_latent() -> None:
    found = value("parallel_layout", "kv_bytes_per_token_per_gpu", model=DEEPSEEK, tp=8, cp=8)
    assert found == 70_272 / 8


def test_bug_07_data_parallelism_divides_neither_weights_nor_a_cache() -> None:
    one, two = (call("parallel_layout", model=LLAMA, dp=dp).measures for dp in (1, 2))
    for key in ("memory_GB_per_gpu", "kv_bytes_per_token_per_gpu"):
        assert one[key] == two[key]
    assert two["gpus"].value == 2


def test_bug_09_whole_experts_are_spread_and_the_rest_is_not() -> None:
    one, many = (
        value("parallel_layout", "weights_GB_per_gpu", model=DEEPSEEK, weight_dtype="fp8", **n)
        for n in ({}, {"dp": 32, "ep": 32})
    )
    routed = 256 * 58 * 3 * 7168 * 2048 / 1e9
    assert one - many == pytest.approx(routed * 31 / 32)


def test_a_dense_layer_of_a_mixture_still_reduces_under_expert_parallelism() -> None:
    found = call("parallel_layout", model=DEEPSEEK, tp=8, ep=8).measures
    assert found["all_reduces_per_token"].value == 61 + 3
    assert found["all_to_alls_per_step"].value == 116


def test_stages_divide_layers_and_send_one_activation_each() -> None:
    whole, stage = (call("parallel_layout", model=LLAMA, tp=4, pp=pp).measures for pp in (1, 2))
    assert stage["kv_GB_per_gpu"].value == whole["kv_GB_per_gpu"].value / 2
    assert stage["pipeline_bytes"].value == 8192 * 2
    assert stage["bubble"].value == 0.5


@pytest.mark.parametrize(
    ("field", "layout"),
    [("ep", {"tp": 8, "ep": 4}), ("ep", {"tp": 8, "ep": 8}), ("pp", {"pp": 81}), ("tp", {"tp": 3})],
)
def test_a_layout_that_no_engine_takes_is_refused(field: str, layout: dict[str, int]) -> None:
    with pytest.raises(ToolError) as caught:
        call("parallel_layout", model=LLAMA, **layout)
    assert caught.value.field == field


def test_what_does_not_fit_is_said() -> None:
    result = call("parallel_layout", model=LLAMA, tp=1, gpu="H100")
    assert "does not fit" in " ".join(result.warnings)


def test_each_doubling_of_tensor_parallelism_buys_less() -> None:
    steps = [r["step_ms"] for r in call("tp_scaling", **CATALOG["tp_scaling"].example).table]
    gains = [before / after for before, after in pairwise(steps)]
    assert gains == sorted(gains, reverse=True)


def test_more_gpus_than_nvlink_joins_need_the_link_between_nodes() -> None:
    asked = {**CATALOG["tp_scaling"].example, "tp": 16}
    with pytest.raises(ToolError, match="node_link_gb_s"):
        call("tp_scaling", **asked)
    slow = value("tp_scaling", "comm_ms", **asked, node_link_gb_s=50, node_latency_us=10)
    assert slow > value("tp_scaling", "comm_ms", **{**asked, "tp": 8})


# --- pipelines and overlap ---


def test_more_stages_do_not_make_a_token_faster() -> None:
    one, four = (
        value("pipeline", "token_ms", stages=p, microbatches=8, step_ms=20, hop_us=20)
        for p in (1, 4)
    )
    assert four == pytest.approx(one + 0.06)


def test_at_the_break_even_latency_both_splits_take_equally_long() -> None:
    asked = CATALOG["pipeline"].example
    found = call("pipeline", **asked).measures
    tp = 20 / 4 + 160 * found["tp_latency_us"].value / 1e3
    assert tp == pytest.approx(found["token_ms"].value)


def test_a_pipeline_with_too_few_microbatches_says_so() -> None:
    result = call("pipeline", stages=4, microbatches=2, step_ms=20)
    assert "2 of 4 stages idle" in " ".join(result.warnings)


@few
@given(
    st.floats(0, 100),
    st.floats(0.01, 2),
    st.floats(0, 100),
    st.floats(0.01, 2),
    st.integers(2, 999),
)
def test_halves_gain_exactly_from_the_break_even_on(
    fixed: float, slope: float, latency: float, rate: float, tokens: int
) -> None:
    asked = {
        "compute_fixed_us": fixed,
        "compute_us_per_token": slope,
        "comm_fixed_us": latency,
        "comm_us_per_token": rate,
    }
    found = call("batch_overlap", tokens=tokens, **asked).measures
    even = found["break_even_tokens"].value
    if abs(tokens - even) > 1e-6 * even:
        assert (found["speedup"].value > 1) == (tokens > even)


def test_a_contiguous_split_gives_the_last_member_almost_twice_its_share() -> None:
    table = call("context_parallel", **CATALOG["context_parallel"].example).table
    assert sum(row["contiguous"] for row in table) == len(table)
    assert table[-1]["contiguous"] == 7 / 4


# --- experts ---


@few
@given(st.integers(1, 64), st.integers(1, 64), st.integers(1, 4000), st.floats(0, 3))
def test_bug_09_expected_experts_lie_between_k_and_what_can_be_reached(
    experts: int, k: int, batch: int, skew: float
) -> None:
    k = min(k, experts)
    found = distinct(experts, k, batch, skew)
    assert k * (1 - 1e-9) <= found <= min(experts, k * batch) * (1 + 1e-9)


@few
@given(st.integers(1, 64), st.integers(1, 64), st.floats(0, 4))
def test_a_token_chooses_k_experts_whatever_the_skew(experts: int, k: int, skew: float) -> None:
    k = min(k, experts)
    found = inclusion(experts, k, skew)
    assert sum(found) == pytest.approx(k)
    assert max(found) <= 1 + 1e-9


def test_a_skew_reads_fewer_experts() -> None:
    even, skewed = (call("moe", model=DEEPSEEK, batch=32, skew=s).value for s in (0, 1))
    assert skewed < even


def test_a_dense_model_has_no_experts() -> None:
    with pytest.raises(ToolError, match="dense"):
        call("moe", model=LLAMA)


def test_pairs_are_sorted_by_expert_and_keep_their_order() -> None:
    table = call("moe_padding", **CATALOG["moe_padding"].example).table
    assert [row["sorted_pairs"] for row in table][:4] == ["0 5 8", "", "1 2 4 7", "3"]


@few
@given(st.lists(st.integers(0, 100), min_size=1, max_size=32), st.sampled_from([1, 8, 16, 64]))
def test_padding_is_less_than_a_block_for_each_expert(counts: list[int], block: int) -> None:
    if not sum(counts):
        return
    found = call("moe_padding", counts=counts, experts=len(counts), block=block).measures
    spare = found["rows"].value - sum(counts)
    assert 0 <= spare < block * found["experts_used"].value or spare == 0


def test_the_expectation_of_padding_agrees_with_an_enumeration() -> None:
    """Two tokens, one of two experts each, blocks of 2: 2 rows if they agree, else 4."""
    assert value("moe_padding", "rows", experts=2, per_token=1, batch=2, block=2) == pytest.approx(
        3
    )


def test_the_longest_combine_is_on_the_rank_with_the_least_load() -> None:
    table = call("moe_balance", **CATALOG["moe_balance"].example).table
    longest = max(table, key=lambda row: row["combine_us"])
    assert longest["tokens"] == min(row["tokens"] for row in table)


def test_spans_that_do_not_fall_with_the_load_point_at_the_network() -> None:
    asked = {"counts": [8, 6, 4, 2], "ranks": 4}
    waiting = call("moe_balance", **asked, combine_spans_us=[10, 20, 30, 40])
    network = call("moe_balance", **asked, combine_spans_us=[40, 10, 10, 10])
    assert waiting.measures["span_load_correlation"].value == pytest.approx(-1)
    assert "look at the network" in " ".join(network.warnings)


@few
@given(st.lists(st.integers(0, 1000), min_size=8, max_size=8))
def test_moving_experts_fills_every_rank_evenly_in_number(counts: list[int]) -> None:
    placed = balanced(counts, 4)
    assert sorted(placed) == [0, 0, 1, 1, 2, 2, 3, 3]


def test_an_uneven_placement_is_refused() -> None:
    with pytest.raises(ToolError, match="placement"):
        call("moe_balance", counts=[1, 2, 3, 4], ranks=2, placement=[0, 0, 0, 1])


# --- step gaps ---


def test_an_account_that_does_not_close_is_warned_of() -> None:
    buckets = [{"name": "gaps", "ms": 2, "kind": "launch"}]
    result = call("step_gap", floor_ms=10, measured_ms=15, buckets=buckets)
    assert result.value == 3
    assert "3 ms are in no bucket" in result.warnings[0]


def test_buckets_that_overlap_are_warned_of() -> None:
    buckets = [{"name": "gaps", "ms": 4}, {"name": "host", "ms": 4}]
    result = call("step_gap", floor_ms=10, measured_ms=15, buckets=buckets)
    assert "overlap" in result.warnings[0]


def test_a_step_faster_than_its_floor_is_refused() -> None:
    with pytest.raises(ToolError, match="below the floor"):
        call("step_gap", floor_ms=10, measured_ms=9)


def test_host_work_beside_the_gpu_costs_nothing_until_it_is_longer() -> None:
    short, long = (value("host_gap", "idle_ms", gpu_ms=4, host_ms=h, overlap=True) for h in (3, 5))
    assert (short, long) == (0, 1)


def test_launches_longer_than_kernels_bound_the_step() -> None:
    result = call("host_gap", gpu_ms=1, kernels=400, launch_us=5)
    assert result.value == 2
    assert "launch-bound" in result.warnings[0]
