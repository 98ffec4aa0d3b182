"""Golden values that are not one measure of one call: intervals, grids, ratios and yes or no.

From the FDE interview text unless another source is named.
"""

import pytest

from tools.catalog import CATALOG
from tools.result import Result


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def test_kv07_deepseek_v3_as_plain_multi_head_attention() -> None:
    measures = call("kv_cache", model="DeepSeek-V3").measures
    assert measures["multi_head_bytes_per_token"].value == 4_997_120


def test_kv08_the_latent_is_71_times_smaller() -> None:
    ratio = call("kv_cache", model="DeepSeek-V3").measures["multi_head_ratio"].value
    assert ratio == pytest.approx(71.111, rel=1e-4)


def test_kv17_and_kv18_the_steps_from_a_grouped_cache() -> None:
    sparse = call("kv_cache", model="DeepSeek-V3.2", kv_dtype="fp8").value
    assert sparse == 48_068
    assert 389_120 / sparse == pytest.approx(8.1, rel=0.005)
    assert pytest.approx(437, rel=0.001) == 389_120 / 890


def test_mem17_differs_on_purpose_because_kimi_k3_keeps_a_state() -> None:
    """The text divides by the growing cache alone (60.4); a sequence also holds 449 MB of state."""
    measures = call(
        "memory_budget", model="Kimi-K3", gpu="H200", weights_gb=70, reserve_gb=5, context=32768
    ).measures
    growing = measures["bytes_per_token_per_gpu"].value * 32768
    assert measures["kv_GB"].value * 1e9 / growing == pytest.approx(60.4, rel=0.001)
    assert measures["sequences"].value == pytest.approx(40.4, rel=0.001)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(8, 11, 43.4, 90.3), (6, 9, 35.4, 87.9), (3, 12, 8.9, 53.2)],
)
def test_wilson_intervals_of_the_text(successes: int, trials: int, low: float, high: float) -> None:
    measures = call("stats", successes=successes, trials=trials).measures
    assert [round(measures[end].value * 100, 1) for end in ("low", "high")] == [low, high]


def test_fm04_the_values_of_e2m1() -> None:
    """OCP Microscaling formats: FP4."""
    grid = (0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0)
    held = [call("numerics", format="e2m1", value=v).measures["held"].value for v in grid]
    assert held == list(grid)
    between = [call("numerics", format="e2m1", value=v / 16).measures["held"] for v in range(97)]
    assert {measure.value for measure in between} == set(grid)


def test_tz07_windows_on_half_of_the_layers_save_a_half() -> None:
    measures = call("kv_cache", model="gpt-oss-120b", tokens=131072).measures
    assert measures["window_saving"].value == pytest.approx(1.99805, rel=1e-4)


def test_tz17_a_million_tokens_of_llama_fit_on_eight_h100() -> None:
    measures = call(
        "memory_budget", model="Llama-3.3-70B", gpu="H100", gpus=8, reserve_gb=0, context=2**20
    ).measures
    assert measures["sequences"].value >= 1


def test_hm01_an_old_log_charges_sliding_layers_in_full() -> None:
    """hf-mem issue 60: 5.38 GiB over 73,728 B is 78,352 tokens; the log said 78,384."""
    full = call("kv_cache", model="gpt-oss-120b").measures["full_bytes_per_token"].value
    assert full == 73_728
    assert 5.38 * 2**30 / full == pytest.approx(78_384, rel=0.001)


def test_hm03_thirty_two_full_sequences_of_gpt_oss_20b() -> None:
    """hf-mem PR 70: 12 GiB."""
    full = call("kv_cache", model="gpt-oss-20b").measures["full_bytes_per_token"].value
    assert full * 8192 * 32 / 2**30 == 12.0
