"""Number formats bit by bit, against struct and the printed values of their standards."""

import struct
from math import isinf, isnan
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.kernels.floats import FORMATS
from tools.kernels.scaling import SCHEMES, quantise, relative_rms
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)
SMALL = [name for name, form in FORMATS.items() if form.bits <= 8]


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


@pytest.mark.parametrize("name", SMALL)
def test_every_code_of_a_small_format_survives_decoding_and_encoding(name: str) -> None:
    form = FORMATS[name]
    for code in range(1 << form.bits):
        found = form.decode(code)
        assert isnan(found) or form.encode(found) == code


@few
@given(st.integers(0, 65_535))
def test_fp16_codes_are_those_of_ieee(code: int) -> None:
    (expected,) = struct.unpack("<e", struct.pack("<H", code))
    found = FORMATS["fp16"].decode(code)
    assert found == expected or (isnan(found) and isnan(expected))


@few
@given(st.floats(-65_000, 65_000))
def test_fp16_rounds_as_ieee_does(number: float) -> None:
    (expected,) = struct.unpack("<e", struct.pack("<e", number))
    assert FORMATS["fp16"].round(number) == expected


@few
@given(st.floats(-1e38, 1e38))
def test_fp32_rounds_as_ieee_does(number: float) -> None:
    (expected,) = struct.unpack("<f", struct.pack("<f", number))
    assert FORMATS["fp32"].round(number) == expected


@few
@given(st.floats(-1e30, 1e30))
def test_bf16_is_the_nearest_of_the_two_cut_values(number: float) -> None:
    (bits,) = struct.unpack("<I", struct.pack("<f", number))
    (single,) = struct.unpack("<f", struct.pack("<I", bits))
    low, high = (
        struct.unpack("<f", struct.pack("<I", cut))[0]
        for cut in (bits & 0xFFFF0000, (bits & 0xFFFF0000) + 0x10000)
    )
    assert abs(FORMATS["bf16"].round(single) - single) == min(abs(low - single), abs(high - single))


@few
@given(st.sampled_from(SMALL), st.floats(-1000, 1000))
def test_rounding_finds_the_nearest_value_and_an_even_code_on_a_tie(
    name: str, number: float
) -> None:
    form = FORMATS[name]
    if not form.signed:
        return
    near = min(abs(v - abs(number)) for v in form.values())
    found = form.round(number)
    assert abs(abs(found) - abs(number)) == pytest.approx(near, abs=1e-12)


@few
@given(st.sampled_from(sorted(FORMATS)), st.floats(0, 1e30))
def test_rounding_twice_changes_nothing(name: str, number: float) -> None:
    form = FORMATS[name]
    once = form.round(number)
    assert form.round(once) == once


def test_the_magnitudes_of_e2m1_are_the_printed_ones() -> None:
    assert FORMATS["e2m1"].values() == [0, 0.5, 1, 1.5, 2, 3, 4, 6]


@pytest.mark.parametrize(
    ("name", "largest", "smallest"),
    [
        ("e4m3", 448, 2**-9),
        ("e5m2", 57_344, 2**-16),
        ("e3m2", 28, 2**-4),
        ("e2m3", 7.5, 2**-3),
        ("fp16", 65_504, 2**-24),
        ("e8m0", 2.0**127, 2.0**-127),
    ],
)
def test_ends_of_a_format_are_those_of_its_standard(
    name: str, largest: float, smallest: float
) -> None:
    assert (FORMATS[name].largest, FORMATS[name].smallest) == (largest, smallest)


def test_what_is_too_large_saturates_or_becomes_infinity_or_nan() -> None:
    assert FORMATS["e4m3"].round(1000) == 448
    assert isnan(FORMATS["e4m3"].round(1000, saturate=False))
    assert isinf(FORMATS["e5m2"].round(1e6, saturate=False))
    assert isnan(FORMATS["e4m3"].decode(0x7F))


def test_stochastic_rounding_is_right_on_average() -> None:
    random = Random(1)
    found = [FORMATS["e2m1"].round(2.25, "stochastic", random=random) for _ in range(2000)]
    assert set(found) == {2, 3}
    assert sum(found) / len(found) == pytest.approx(2.25, abs=0.05)


def test_a_value_that_clips_or_vanishes_is_warned_of() -> None:
    assert "clipped" in call("numerics", format="e2m1", value=9).warnings[0]
    assert "underflow" in call("numerics", format="e2m1", value=0.1).warnings[0]


def test_a_format_without_sign_refuses_negative_values() -> None:
    with pytest.raises(ToolError, match="no sign"):
        call("numerics", format="e8m0", value=-1)


# --- sums ---


@pytest.mark.parametrize(("name", "stall"), [("bf16", 256), ("fp16", 2048), ("e4m3", 16)])
def test_a_sum_of_ones_stalls_where_the_significand_ends(name: str, stall: int) -> None:
    result = call("accumulate", format=name, increment=1, count=400)
    assert result.measures["stalls_at"].value == stall
    assert result.value == min(400, stall)


def test_the_order_of_a_sum_changes_its_bits() -> None:
    result = call("accumulate", format="bf16", values=[256, 1, 1, 1, 1])
    assert result.measures["forward_sum"].value == 256
    assert result.measures["reverse_sum"].value == 260


def test_a_sum_without_rounding_is_the_same_in_any_order() -> None:
    result = call("accumulate", format="fp32", values=[1, 2, 3, 4])
    assert result.measures["distinct_sums"].value == 1


def test_scales_are_no_sums() -> None:
    with pytest.raises(ToolError, match="scales"):
        call("accumulate", format="e8m0")


def test_positions_are_exact_up_to_the_significand() -> None:
    assert value("rope_precision", "largest_error", position=200) == 0
    assert value("rope_precision", "largest_error", position=32_768) == 128


# --- scales ---


# Some scales have 16 bits: what they cannot hold has none, and becomes zero.
SCALED = st.floats(-100, 100).map(lambda value: value if abs(value) > 1e-3 else 0.0)


@few
@given(st.lists(SCALED, min_size=1, max_size=64), st.sampled_from(sorted(SCHEMES)))
def test_a_scheme_errs_by_at_most_what_its_element_can(values: list[float], name: str) -> None:
    found, _ = quantise(values, SCHEMES[name])
    peak = max(map(abs, values))
    assert all(abs(f - v) <= peak * 0.51 for f, v in zip(found, values, strict=True))


@few
@given(st.lists(st.floats(0.5, 100), min_size=1, max_size=64))
def test_more_bits_err_less(values: list[float]) -> None:
    wide, narrow = (
        relative_rms(quantise(values, SCHEMES[name])[0], values) for name in ("mxfp8", "mxfp4")
    )
    assert wide <= narrow + 1e-12


def test_the_ocp_rule_clips_what_a_rounded_scale_holds() -> None:
    assert value("block_scales", "clipped", scheme="mxfp4", values=[7.9, 0.5]) == 1
    assert value("block_scales", "clipped", scheme="nvfp4", values=[7.9, 0.5]) == 0


@pytest.mark.parametrize("element", ["e4m3", "int8", "e2m1"])
@pytest.mark.parametrize("scope", ["token", "static"])
def test_a_scale_of_its_own_or_a_fixed_one_leaks_nothing(element: str, scope: str) -> None:
    asked = {"own": [0.11, -0.52, 1.3], "neighbour_peak": 500, "element": element, "scope": scope}
    assert call("scale_leakage", **asked).value == 0


@pytest.mark.parametrize("element", ["e4m3", "int8", "e2m1"])
def test_a_scale_over_the_batch_lets_a_neighbour_change_the_values(element: str) -> None:
    result = call("scale_leakage", own=[0.11, -0.52, 1.3], neighbour_peak=500, element=element)
    assert result.value > 0
    assert "another's inputs" in result.warnings[0]


@pytest.mark.parametrize("seed", range(5))
def test_loud_key_channels_want_scales_of_their_own(seed: int) -> None:
    found = call("kv_quant_error", element="int4", key_outlier=20, seed=seed).measures
    assert found["key_error_channel"].value < found["key_error_token"].value


def test_an_outlier_leaves_int8_few_levels_and_fp8_its_relative_error() -> None:
    found = [call("outlier_quant", usual=0.5, outlier=o).measures for o in (1, 60)]
    assert found[1]["levels"].value < 2 < found[0]["levels"].value
    assert found[1]["fp8_error"].value <= 1 / 16
    assert found[1]["smoothed_levels"].value > 10 * found[1]["levels"].value


def test_promotion_is_hidden_from_a_block_of_k_on() -> None:
    found = call("scaled_gemm", gpu="H100", block_k=64).measures
    assert found["promotion_share"].value == pytest.approx(1, abs=1e-3)
    assert call("scaled_gemm", gpu="H100", block_k=32).warnings
