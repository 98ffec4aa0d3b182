"""`prefill_roofline` and `op_intensity`: attention by kind of layer; what bounds an operation."""

import pytest

from tools.architecture import CachedLayers
from tools.attention import pairs
from tools.catalog import CATALOG
from tools.result import Result, ToolError

FULL = CachedLayers("full", 1, 8, 256)
SLIDING = CachedLayers("sliding", 1, 8, 256, window=4096)
CHUNKED = CachedLayers("chunked", 1, 8, 256, window=4096)


def prefill(**arguments: object) -> Result:
    return CATALOG["prefill_roofline"].call(arguments)


def intensity(**arguments: object) -> Result:
    return CATALOG["op_intensity"].call(arguments)


def test_a_window_of_an_eighth_saves_a_factor_of_4_27_and_not_8() -> None:
    assert pairs(FULL, 32_768, 0) / pairs(SLIDING, 32_768, 0) == pytest.approx(4.27, rel=0.001)


def test_chunks_attend_within_themselves_only() -> None:
    assert pairs(CHUNKED, 32_768, 0) == 8 * 4096**2 / 2


def test_new_tokens_attend_to_the_cached_prefix_too() -> None:
    assert pairs(FULL, 100, 1000) == 100 * 1000 + 100**2 / 2


def test_dense_arithmetic_is_two_flops_per_parameter_and_token() -> None:
    result = prefill(params_b=70, tokens=8192, peak_tflops=1979)
    assert result.measures["total_FLOP"].value == 2 * 70e9 * 8192
    assert "attention is left out" in result.warnings[0]


def test_a_short_prompt_is_bound_by_reading_the_weights() -> None:
    short = prefill(model="Llama-3.3-70B", tokens=16, gpu="H100")
    assert short.value == short.measures["weights_ms"].value


def test_a_long_prompt_is_bound_by_the_arithmetic() -> None:
    long = prefill(model="Llama-3.3-70B", tokens=4096, gpu="H100")
    assert long.value == long.measures["compute_ms"].value


def test_a_matrix_gains_intensity_with_the_tokens_of_a_step() -> None:
    one, many = (intensity(op="linear", k=8192, n=8192, tokens=n).value for n in (1, 256))
    assert one == pytest.approx(1, rel=0.001)
    assert many == pytest.approx(256, rel=0.07)


def test_decode_attention_does_not_gain_with_the_context() -> None:
    near, far = (
        intensity(op="decode_attention", model="Llama-3.3-70B", tokens=n).value
        for n in (1, 131_072)
    )
    assert near == far == 8


def test_a_cache_in_8_bits_doubles_the_intensity_of_attention() -> None:
    asked = {"op": "decode_attention", "model": "Llama-3.3-70B", "tokens": 1024}
    assert intensity(**asked, kv_dtype="fp8").value == 2 * intensity(**asked).value


def test_what_bounds_the_operation_is_said() -> None:
    result = intensity(op="decode_attention", model="Llama-3.3-70B", tokens=1024, gpu="H100")
    assert "bound by memory" in " ".join(result.assumptions)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"op": "linear", "k": 8}, "n"),
        ({"op": "decode_attention", "heads": 64}, "kv_heads"),
        ({"op": "decode_attention", "heads": 64, "kv_heads": 7}, "kv_heads"),
        ({"k": 8, "n": 8}, "op"),
    ],
)
def test_what_an_operation_lacks_is_named(given: dict[str, object], field: str) -> None:
    with pytest.raises(ToolError) as caught:
        intensity(**given)
    assert caught.value.field == field
