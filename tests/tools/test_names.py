"""Models and GPUs are found by clear names; how a name was read is said."""

import pytest

from tools.catalog import CATALOG
from tools.checkpoints import find_model
from tools.hardware import find_gpu, gpus
from tools.result import ToolError


@pytest.mark.parametrize(
    ("name", "full"),
    [
        ("meta-llama/Llama-3.3-70B-Instruct", "meta-llama/Llama-3.3-70B-Instruct"),
        ("llama-3.3-70b", "meta-llama/Llama-3.3-70B-Instruct"),
        ("Llama 3.3 70B", "meta-llama/Llama-3.3-70B-Instruct"),
        ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B"),
        ("DeepSeek-V3", "deepseek-ai/DeepSeek-V3"),
        ("Mixtral-8x7B", "mistralai/Mixtral-8x7B-v0.1"),
        ("gemma-3-27b", "google/gemma-3-27b-it"),
    ],
)
def test_a_clear_name_finds_its_model(name: str, full: str) -> None:
    assert find_model(name).name == full


@pytest.mark.parametrize("name", ["gpt-oss", "Qwen3", "Llama", "gemma-3-27"])
def test_an_unclear_or_cut_name_is_refused_with_close_names(name: str) -> None:
    with pytest.raises(ToolError, match=r"one of: |close names: "):
        find_model(name)


@pytest.mark.parametrize("name", ["", "-", "/", "GPT-5", "instruct", "' OR 1=1", "\x1b[31m"])
def test_a_name_that_means_nothing_is_refused(name: str) -> None:
    with pytest.raises(ToolError, match="model"):
        find_model(name)


def test_a_short_name_is_said_in_the_result() -> None:
    said = CATALOG["kv_cache"].call({"model": "llama 3.3 70b"}).assumptions
    assert "llama 3.3 70b read as meta-llama/Llama-3.3-70B-Instruct" in said


def test_unverified_fields_of_a_model_are_said_in_each_result() -> None:
    warnings = CATALOG["kv_cache"].call({"model": "Jamba"}).warnings
    assert any("class defaults" in warning for warning in warnings)


@pytest.mark.parametrize(
    ("name", "full"),
    [("H100", "H100-SXM"), ("h200", "H200-SXM"), ("NVIDIA A100", "A100-80GB-SXM")],
)
def test_a_family_name_is_its_commonest_board(name: str, full: str) -> None:
    found = find_gpu(name)
    assert found.name == full
    assert found.said.endswith(f"read as {full}")


def test_an_unknown_gpu_is_refused_with_close_names() -> None:
    with pytest.raises(ToolError, match="H100-SXM"):
        find_gpu("H100-SMX")


def test_unverified_figures_of_a_gpu_are_said_in_each_result() -> None:
    result = CATALOG["memory_budget"].call({"gpu": "H100-NVL", "weights_gb": 10, "reserve_gb": 1})
    assert any("unverified for H100-NVL" in warning for warning in result.warnings)


def test_names_and_aliases_of_gpus_are_each_of_one_gpu() -> None:
    names = [n.lower() for full, gpu in gpus().items() for n in (full, *gpu.aliases)]
    assert len(names) == len(set(names))
