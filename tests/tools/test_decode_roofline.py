"""`decode_roofline` keeps floors, estimates and what it does not know apart."""

import pytest

from tools.catalog import CATALOG
from tools.result import Result, ToolError

EXAMPLE = CATALOG["decode_roofline"].example


def call(**arguments: object) -> Result:
    return CATALOG["decode_roofline"].call(arguments)


def test_an_estimate_is_a_measure_of_its_own_beside_the_floor() -> None:
    result = call(**EXAMPLE, bandwidth_efficiency=0.8)
    assert result.measures["step_floor_ms"].kind == "floor"
    assert result.measures["step_estimate_ms"].kind == "estimate"
    assert result.measures["step_estimate_ms"].value == pytest.approx(result.value / 0.8)


def test_without_an_efficiency_nothing_is_estimated() -> None:
    assert "estimate" not in {measure.kind for measure in call(**EXAMPLE).measures.values()}


def test_a_mixture_of_experts_at_a_batch_is_an_estimate() -> None:
    result = call(model="DeepSeek-V3", gpu="H200", gpus=8, batch=32)
    assert result.measures["step_floor_ms"].kind == "estimate"


@pytest.mark.parametrize("model", ["DeepSeek-V3", "Qwen3-235B-A22B", "gpt-oss-120b"])
@pytest.mark.parametrize("efficiency", [0.3, 0.6, 1])
def test_the_crossover_of_experts_is_the_first_batch_bound_by_arithmetic(
    model: str, efficiency: float
) -> None:
    asked = {"model": model, "gpu": "H200", "compute_efficiency": efficiency}
    crossover = call(**asked).measures["crossover_batch"].value
    before, there = (call(**asked, batch=int(crossover) + n).measures for n in (-1, 0))
    assert before["compute_estimate_ms"].value < before["memory_ms"].value
    assert there["compute_estimate_ms"].value >= there["memory_ms"].value


def test_the_arithmetic_bounds_the_step_beyond_the_crossover() -> None:
    asked = {"weights_gb": 70, "weight_dtype": "fp8", "gpu": "H200"}
    crossover = call(**asked).measures["crossover_batch"].value
    below, above = (call(**asked, batch=int(crossover) + n).measures for n in (0, 1))
    assert below["memory_ms"].value > below["compute_ms"].value
    assert above["step_floor_ms"].value == above["compute_ms"].value


def test_a_model_whose_parameters_are_unknown_still_lends_its_cache() -> None:
    result = call(model="Kimi-K3", weights_gb=600, gpu="H200", gpus=8, context=8192)
    assert result.measures["kv_ms"].value > 0
    assert "compute_ms" not in result.measures


def test_a_measured_time_under_the_floor_is_refused() -> None:
    with pytest.raises(ToolError, match="below the floor"):
        call(**EXAMPLE, measured_ms=20)


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"gpu": "H200"}, "model"),
        ({"weights_gb": 70}, "gpu"),
        ({"weights_gb": 70, "gpu": "H200", "context": 8192}, "kv_bytes_per_token"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, object], field: str) -> None:
    with pytest.raises(ToolError) as caught:
        call(**given)
    assert caught.value.field == field


def test_sparse_attention_reads_the_indexer_and_the_chosen_rows_only() -> None:
    asked = {"model": "DeepSeek-V3.2", "weights_gb": 671, "gpu": "H200", "kv_dtype": "bf16"}
    result = call(**asked, context=100_000)
    read = 61 * (2048 * 1152 + 100_000 * 132)
    assert result.measures["kv_read_GB"].value == pytest.approx(read / 1e9)
