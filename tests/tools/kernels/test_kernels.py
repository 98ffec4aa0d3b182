"""Occupancy, waves, splits, banks, sectors, tiles, fusion, timings, quantisation plans."""

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


# --- occupancy ---


def test_the_reserved_kibibyte_of_each_block_counts_and_is_said() -> None:
    result = call("occupancy", gpu="H100", threads=32, registers=8, shared_kib=12)
    assert result.value == 17
    assert "19 blocks, not 17" in result.warnings[0]


@pytest.mark.parametrize(
    ("binds", "kernel"),
    [
        ("threads", {"threads": 512, "registers": 24}),
        ("blocks", {"threads": 32, "registers": 16}),
        ("registers", {"threads": 256, "registers": 128}),
        ("shared memory", {"threads": 64, "registers": 32, "shared_kib": 100}),
    ],
)
def test_each_of_the_four_budgets_can_bind(binds: str, kernel: dict[str, float]) -> None:
    assert call("occupancy", gpu="H100", **kernel).assumptions[0] == f"bound by {binds}"


@few
@given(st.integers(1, 1024), st.integers(0, 64), st.floats(0, 200))
def test_resident_blocks_stay_within_every_budget(
    threads: int, registers: int, shared: float
) -> None:
    found = call(
        "occupancy", gpu="H100", threads=threads, registers=registers, shared_kib=shared
    ).measures
    blocks = found["blocks_per_sm"].value
    assert blocks * threads <= 2048
    assert blocks * threads * registers <= 65_536
    assert blocks * (shared + 1) <= 228
    assert found["occupancy"].value <= 1


def test_more_shared_memory_than_a_block_may_have_is_refused() -> None:
    with pytest.raises(ToolError, match="227 KiB"):
        call("occupancy", gpu="H100", threads=128, registers=32, shared_kib=228)


def test_an_amd_gpu_has_other_rules() -> None:
    with pytest.raises(ToolError, match="no CUDA GPU"):
        call("occupancy", gpu="MI300X", threads=128, registers=32)


def test_loads_that_fill_the_pipe_reach_the_bandwidth() -> None:
    asked = {"gpu": "H100", "latency_ns": 700, "threads_per_sm": 1024}
    need = value("bytes_in_flight", "loads_needed", load_bytes=4, **asked)
    found = value("bytes_in_flight", "reached_share", load_bytes=4, loads=int(need), **asked)
    assert found == 1


# --- waves and splits ---


@few
@given(st.integers(1, 5000), st.integers(1, 200))
def test_waves_are_just_enough(tiles: int, sms: int) -> None:
    found = call("waves", tiles=tiles, sms=sms).measures
    count = found["waves"].value
    assert (count - 1) * sms < tiles <= count * sms
    assert 0 < found["efficiency"].value <= 1


def test_the_price_of_a_tail_is_what_an_even_share_would_save() -> None:
    found = call("waves", tiles=140, sms=132, tile_us=20).measures
    assert found["lost_us"].value == pytest.approx(40 - 140 / 132 * 20)


def test_both_conventions_of_splitting_are_given_and_said() -> None:
    result = call("split_kv", blocks=8, sms=132, context=32_768)
    assert (result.value, result.measures["splits_eligible"].value) == (15, 14)
    assert "conventions differ" in result.assumptions[0]


@few
@given(st.integers(1, 300), st.integers(1, 200_000), st.integers(1, 200))
def test_a_split_never_exceeds_the_tiles_or_the_sms(blocks: int, context: int, sms: int) -> None:
    found = call("split_kv", blocks=blocks, context=context, sms=sms).measures
    for key in ("splits", "splits_eligible"):
        assert 1 <= found[key].value <= max(1, min(sms, -(-context // 128), 128))


def test_enough_blocks_are_not_split() -> None:
    assert call("split_kv", blocks=110, sms=132, context=32_768).value == 1


# --- shared memory and sectors ---


def test_a_pad_that_frees_fp32_of_conflicts_does_not_free_bf16() -> None:
    assert value("bank_conflicts", "ways", element_bytes=4, width=32, pad=1) == 1
    assert value("bank_conflicts", "ways", element_bytes=2, width=64, pad=1) == 2


def test_a_swizzle_frees_16_byte_reads_without_a_pad() -> None:
    asked = {"element_bytes": 2, "width": 64, "vector_bytes": 16}
    plain, swizzled = (value("bank_conflicts", "ways", **asked, swizzle=s) for s in (False, True))
    assert (plain, swizzled) == (8, 1)


def test_a_row_is_read_without_conflict() -> None:
    assert value("bank_conflicts", "ways", width=33, access="row") == 1


def test_a_pad_that_breaks_the_alignment_of_vectors_is_refused() -> None:
    with pytest.raises(ToolError, match="aligned"):
        call("bank_conflicts", element_bytes=2, width=64, pad=1, vector_bytes=16)


@few
@given(st.integers(0, 100_000), st.sampled_from([1, 2, 4, 8, 16]))
def test_a_warp_touches_at_least_the_sectors_of_its_bytes(stride: int, size: int) -> None:
    found = call("coalescing", stride=stride, element_bytes=size).measures
    if stride >= size:
        assert found["sectors"].value * 32 >= 32 * size
        assert 0 < found["efficiency"].value <= 1


def test_neighbouring_lanes_use_every_byte() -> None:
    assert value("coalescing", "efficiency", element_bytes=4, stride=4) == 1


# --- attention bytes, tiles, fusion, timing ---


def test_smaller_query_blocks_read_keys_more_often() -> None:
    wide, narrow = (value("attention_io", "textbook_GB", tokens=8192, block_q=b) for b in (128, 64))
    assert narrow == pytest.approx(2 * wide, rel=0.02)


def test_pinning_what_does_not_fit_is_warned_of() -> None:
    assert "do not fit" in call("l2_pinning", step_gb=10, pinned_mb=500).warnings[0]


def test_a_tile_whose_sums_exceed_the_registers_is_refused() -> None:
    with pytest.raises(ToolError, match="register file"):
        call("gemm_tile", tile_m=512, tile_n=256, tile_k=16)


def test_two_sms_that_share_an_operand_read_less_of_it() -> None:
    asked = {"tile_m": 128, "tile_n": 256, "gpu": "B200"}
    alone, pair = (value("gemm_tile", "operand_KiB", **asked, pair=p) for p in (False, True))
    assert pair < alone
    with pytest.raises(ToolError, match="pair"):
        call("gemm_tile", gpu="H100", pair=True)


def test_a_timing_that_beats_the_memory_is_refused() -> None:
    with pytest.raises(ToolError, match="beats the floor"):
        call("kernel_timing", samples_us=[10, 11], useful_gb=0.134)


def test_a_timing_from_l2_is_warned_of() -> None:
    result = call("kernel_timing", samples_us=[20, 20], useful_gb=0.03)
    assert "fits in L2" in result.warnings[0]


def test_an_unsteady_timing_and_its_first_sample_are_warned_of() -> None:
    result = call("kernel_timing", samples_us=[120, 50, 60, 70, 50], useful_gb=0.134)
    assert [w.partition(":")[0] for w in result.warnings] == [
        "unsteady",
        "the first sample is a warm-up",
    ]


# --- quantisation ---


def test_bug_12_a_flip_is_of_dense_peaks() -> None:
    assert value("quant_flip", "flip_tokens", gpu="H100") == pytest.approx(989.4 / 6.7)


def test_a_format_that_is_better_in_both_never_flips() -> None:
    result = call("quant_flip", gpu="B200", bits=4.25, math="fp4")
    assert "flip_tokens" not in result.measures
    assert "no flip" in result.assumptions[0]


def test_an_arithmetic_that_the_gpu_lacks_is_refused() -> None:
    with pytest.raises(ToolError, match="other_math"):
        call("quant_flip", gpu="A100")


def test_a_format_and_its_parts_together_are_refused() -> None:
    with pytest.raises(ToolError, match="not both"):
        call("quant_planner", format="mxfp4", bits=4)


def test_wide_parts_raise_the_average() -> None:
    found = call("quant_planner", format="mxfp4", params_b=9, wide_params_b=1).measures
    assert found["average_bits"].value == pytest.approx(0.9 * 4.25 + 1.6)


def test_a_conversion_beyond_the_budget_bounds_the_kernel() -> None:
    result = call("dequant_budget", clock_ghz=1.755, instructions=8)
    assert result.measures["bandwidth_share"].value == pytest.approx(4.4257 / 8, rel=1e-3)
    assert "conversion" in result.warnings[0]


MATRICES = [
    {"name": "a", "params_m": 10, "damage": 1},
    {"name": "b", "params_m": 100, "damage": 2},
    {"name": "c", "params_m": 10, "damage": -0.1},
]


@few
@given(st.floats(0, 500))
def test_a_mix_stays_within_its_budget(budget: float) -> None:
    found = call("quant_mix", matrices=MATRICES, budget_mb=budget).measures
    assert found["added_MB"].value <= budget


def test_a_matrix_that_is_better_narrow_never_stays_wide() -> None:
    table = call("quant_mix", matrices=MATRICES, budget_mb=1e6).table
    assert [row["matrix"] for row in table if row["wide"]] == ["a", "b"]


def test_single_damages_that_do_not_add_up_are_said() -> None:
    result = call("quant_mix", matrices=MATRICES, budget_mb=0, measured_damage=9)
    assert "do not add up" in result.warnings[0]


def test_training_never_pays_for_a_fleet_that_does_not_shrink() -> None:
    asked = {**CATALOG["qat_cost"].example, "fleet_factor": 1}
    result = call("qat_cost", **asked)
    assert "payback_days" not in result.measures
    assert "never pays" in result.warnings[0]


def test_a_loss_that_no_kernel_explains_is_looked_for_elsewhere() -> None:
    result = call("quant_gain", before_ms=20, after_ms=21.5, weights_share=0.7, scale_ms=1)
    assert result.measures["unexplained_ms"].value == 7.5
    assert "host" in result.warnings[0]
