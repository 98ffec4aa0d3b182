"""`memory_budget` says what does not fit, and by which reading of the memory."""

from math import ceil

import pytest

from tools.catalog import CATALOG
from tools.result import Result, ToolError


def call(**arguments: object) -> Result:
    return CATALOG["memory_budget"].call(arguments)


def test_both_readings_of_the_memory_are_given_and_the_used_one_is_said() -> None:
    result = call(gpu="H200", weights_gb=70, reserve_gb=5)
    assert result.measures["kv_GB_nominal"].value == pytest.approx(54.72)
    assert result.measures["kv_GB_nvidia_smi"].value == pytest.approx(63.694, abs=0.001)
    assert "H200-SXM: the vendor's 141 GB, taken as decimal" in result.assumptions


def test_weights_that_do_not_fit_leave_no_cache_and_say_how_much_is_missing() -> None:
    result = call(gpu="H100", model="Llama-3.3-70B", reserve_gb=5, context=8192)
    assert (result.value, result.measures["whole_sequences"].value) == (0, 0)
    assert result.measures["short_GB"].value == pytest.approx(141.107 + 5 - 73.6, abs=0.001)
    assert "tokens_logged" not in result.measures


def test_a_terabyte_of_weights_needs_two_nodes_of_eight_h100s_and_not_more() -> None:
    least = call(gpu="H100", weights_gb=1026, reserve_gb=0).measures["least_gpus"].value
    assert ceil(least / 8) == 2


def test_more_gpus_divide_the_weights_and_not_the_reserve() -> None:
    one = call(gpu="H200", weights_gb=70, reserve_gb=5, gpus=2).measures
    assert one["kv_GB_per_gpu"].value == pytest.approx(141 * 0.92 - 35 - 5)


def test_gpus_that_do_not_divide_the_heads_are_refused_by_the_argument_s_name() -> None:
    with pytest.raises(ToolError) as caught:
        call(gpu="H200", model="Llama-3.3-70B", gpus=3)
    assert caught.value.field == "gpus"


def test_a_latent_cache_gains_no_tokens_from_tensor_parallelism_but_room() -> None:
    result = call(gpu="H200", model="DeepSeek-V3", gpus=8, reserve_gb=8, context=8192).measures
    tokens = result["kv_GB_per_gpu"].value * 1e9 / 70_272
    assert result["kv_tokens"].value == pytest.approx(tokens)
