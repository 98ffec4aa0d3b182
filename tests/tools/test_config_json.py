"""A pasted config.json is hostile until it was bounded and validated."""

import json
from typing import Any

import pytest

from tools.catalog import CATALOG
from tools.checkpoints import entries
from tools.result import ToolError

LLAMA = entries()["meta-llama/Llama-3.1-8B"].config


def per_token(config: object) -> float:
    return CATALOG["kv_cache"].call({"config": config}).value


def refusal(config: object, tool: str = "kv_cache", **more: object) -> ToolError:
    with pytest.raises(ToolError) as caught:
        CATALOG[tool].call({"config": config, **more})
    return caught.value


def test_a_config_may_be_pasted_as_text_or_as_an_object() -> None:
    assert per_token(json.dumps(LLAMA)) == per_token(LLAMA) == 131_072


def test_a_config_nested_under_text_config_is_found() -> None:
    nested = {"model_type": "llama4", "architectures": ["X"], "text_config": LLAMA}
    assert per_token(nested) == 131_072


@pytest.mark.parametrize(
    "text",
    ["", "null", "[]", "{", "3", '"x"', "{}", "[" * 60_000, '{"a":' * 9_000, '{"a": NaN}'],
    ids=lambda text: text[:12],
)
def test_text_that_is_no_config_is_refused(text: str) -> None:
    with pytest.raises(ToolError):
        per_token(text)


@pytest.mark.parametrize("name", ["google/gemma-2-27b", "google/gemma-3-27b-it"])
def test_gemma_configs_without_layer_types_get_the_pattern_of_their_class(name: str) -> None:
    config = entries()[name].config
    assert per_token({**config, "layer_types": None}) == per_token(config)


def test_a_config_over_64_kib_is_refused() -> None:
    assert "65,536" in refusal(json.dumps({**LLAMA, "x": "y" * 70_000})).remedy


def test_a_config_of_many_values_is_refused() -> None:
    assert "values" in refusal({**LLAMA, "x": [0] * 10_001}).remedy


def test_a_config_that_is_nested_deep_is_refused() -> None:
    deep: dict[str, Any] = {}
    for _ in range(20):
        deep = {"x": deep}
    assert "nested" in refusal({**LLAMA, "x": deep}).remedy


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("num_hidden_layers", -1),
        ("num_hidden_layers", 10**9),
        ("num_hidden_layers", "32"),
        ("num_hidden_layers", True),
        ("num_key_value_heads", 0),
        ("hidden_size", 4095),
        ("model_type", "x" * 1000),
        ("layer_types", ["full_attention"]),
        ("layer_types", ["magic_attention"] * 32),
        ("num_kv_shared_layers", 32),
        ("kv_lora_rank", 512),
        ("quantization_config", {"quant_method": 4}),
    ],
)
def test_a_field_out_of_place_is_refused_by_name(field: str, value: object) -> None:
    assert refusal({**LLAMA, field: value}).field.startswith(f"config.{field}")


@pytest.mark.parametrize("field", ["num_hidden_layers", "hidden_size", "model_type"])
def test_a_missing_field_is_refused_by_name(field: str) -> None:
    assert refusal({k: v for k, v in LLAMA.items() if k != field}).field == f"config.{field}"


def test_a_window_of_no_tokens_is_refused() -> None:
    chunked = {**entries()["meta-llama/Llama-4-Scout-17B-16E"].config, "attention_chunk_size": 0}
    assert refusal(chunked).field == "config.attention_chunk_size"


def test_a_latent_family_without_its_rank_is_refused() -> None:
    plain = {**entries()["deepseek-ai/DeepSeek-V3"].config, "kv_lora_rank": None}
    assert refusal(plain).field == "config.kv_lora_rank"


def test_a_quantisation_that_is_not_known_asks_for_the_format() -> None:
    packed = {**LLAMA, "quantization_config": {"quant_method": "awq", "bits": 4}}
    assert refusal(packed, "memory_budget", gpu="H100").field == "weight_dtype"


def test_fields_that_do_not_matter_are_ignored() -> None:
    assert per_token({**LLAMA, "<script>": "alert(1)", "rope_theta": 1e6}) == 131_072
