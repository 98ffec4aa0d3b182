"""Adapters: their size, the padding of slots, and the cost by distinct adapters."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import ToolError

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)


def value(tool: str, measure: str, **arguments: object) -> float:
    return CATALOG[tool].call(arguments).measures[measure].value


def test_bug_01_an_adapters_k_and_v_are_as_wide_as_the_kv_heads() -> None:
    params = value(
        "lora_memory", "adapter_params", model="Llama-3.1-8B", rank=1, targets="attention"
    )
    assert params == 32 * (2 * (4096 + 4096) + 2 * (4096 + 1024))


def test_bug_02_an_adapters_query_is_heads_times_the_stated_head_dim() -> None:
    params = value("lora_memory", "adapter_params", model="Qwen3-32B", rank=1, targets="qv")
    assert params == 64 * (5120 + 64 * 128 + 5120 + 8 * 128)


@pytest.mark.parametrize("model", ["DeepSeek-V3", "gpt-oss-20b", "Jamba"])
def test_bug_19_a_family_whose_matrices_are_not_known_raises(model: str) -> None:
    with pytest.raises(ToolError, match="params_per_rank"):
        value("lora_memory", "adapter_MB", model=model, rank=8)


def test_a_rank_over_the_slots_is_refused() -> None:
    with pytest.raises(ToolError, match="max_rank 16"):
        value("lora_memory", "adapter_MB", model="Llama-3.1-8B", rank=32)


def test_padding_and_use_make_up_the_slots() -> None:
    example = CATALOG["lora_memory"].example
    measures = CATALOG["lora_memory"].call(example).measures
    used = 8 * measures["adapter_MB"].value / 1e3
    assert measures["slots_GB"].value == pytest.approx(used + measures["padding_GB"].value)


@few
@given(st.integers(1, 500), st.integers(1, 300))
def test_distinct_adapters_lie_between_one_and_what_can_be(batch: int, adapters: int) -> None:
    found = value(
        "lora_batch",
        "distinct",
        base_ms=10,
        adapter_mb=100,
        bandwidth_tb_s=1,
        batch=batch,
        adapters=adapters,
    )
    assert 1 - 1e-9 <= found <= min(batch, adapters) + 1e-9


def test_requests_beyond_the_distinct_adapters_cost_nothing_more() -> None:
    arguments = {"base_ms": 10, "adapter_mb": 100, "bandwidth_tb_s": 1, "adapters": 8}
    few_, many = (
        value("lora_batch", "step_ms", batch=n, distinct=8, **arguments) for n in (8, 800)
    )
    assert few_ == many == pytest.approx(10.8)


def test_one_slot_serialises_the_adapters() -> None:
    result = CATALOG["lora_batch"].call({**CATALOG["lora_batch"].example, "slots": 1})
    assert result.measures["turns"].value == 8
    assert any("raise max_loras" in warning for warning in result.warnings)


@few
@given(st.integers(1, 2000), st.integers(1, 100), st.floats(0, 500), st.floats(0, 3))
def test_the_shares_of_the_tiers_make_one(
    adapters: int, slots: int, host: float, skew: float
) -> None:
    measures = (
        CATALOG["lora_fleet"]
        .call(
            {
                **CATALOG["lora_fleet"].example,
                "adapters": adapters,
                "slots": slots,
                "host_gb": host,
                "skew": skew,
            }
        )
        .measures
    )
    shares = [measures[f"{tier}_share"].value for tier in ("gpu", "host", "disk")]
    assert sum(shares) == pytest.approx(1)
