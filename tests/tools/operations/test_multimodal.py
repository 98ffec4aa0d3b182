"""Images, audio and voice: whole tokens, peaks by phase, percentiles of a sum."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=30, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def test_images_and_audio_add_up() -> None:
    result = call(
        "media_tokens",
        width=280,
        height=560,
        images=3,
        extra=2,
        audio_s=10,
        audio_tokens_per_s=12.5,
        hidden=1000,
    )
    assert result.value == 3 * (10 * 20 + 2) + 125
    assert result.measures["embedding_MB"].value == pytest.approx(731 * 2000 / 1e6)


def test_padding_a_side_up_gives_at_least_as_many_tokens() -> None:
    near, up = (
        call("media_tokens", width=290, height=290, fit=fit).value for fit in ("nearest", "up")
    )
    assert (near, up) == (100, 121)


def test_the_rate_of_audio_is_asked_for() -> None:
    with pytest.raises(ToolError) as caught:
        call("media_tokens", audio_s=3)
    assert caught.value.field == "audio_tokens_per_s"


def test_one_side_alone_is_no_image() -> None:
    with pytest.raises(ToolError, match="both sides"):
        call("media_tokens", width=100)


def test_free_pages_do_not_save_a_phase_that_runs_out() -> None:
    result = CATALOG["phase_memory"].call(CATALOG["phase_memory"].example)
    assert result.measures["left_GB"].value < 0 < result.measures["free_pages_GB"].value
    assert "encode runs out" in result.warnings[0]


def test_the_peak_is_the_largest_phase_and_not_the_sum() -> None:
    measures = CATALOG["phase_memory"].call(CATALOG["phase_memory"].example).measures
    assert measures["peak_GB"].value == pytest.approx(79.5)
    assert measures["sum_GB"].value == pytest.approx(83.5)


def test_an_item_of_an_unknown_phase_is_refused_by_its_place() -> None:
    items = [{"name": "a", "gb": 1}, {"name": "b", "gb": 1, "phases": ["dekode"]}]
    with pytest.raises(ToolError) as caught:
        call("phase_memory", phases=["decode"], items=items, capacity_gb=10)
    assert caught.value.field == "items.1.phases"


@few
@given(st.lists(st.tuples(st.floats(1, 200), st.floats(1.1, 4)), min_size=2, max_size=8))
def test_the_p99_of_a_sum_lies_under_the_sum_of_p99s(lines: list[tuple[float, float]]) -> None:
    rows = [
        {"name": str(n), "p50_ms": p50, "p99_ms": p50 * times}
        for n, (p50, times) in enumerate(lines)
    ]
    measures = call("latency_ledger", lines=rows, budget_ms=100).measures
    # equality where one line is nearly all; the simulation's own error is a few percent
    assert measures["p99_ms"].value <= measures["sum_p99_ms"].value * 1.05
    assert measures["p99_ms"].value >= measures["sum_p50_ms"].value * 0.99


def test_a_single_line_keeps_its_own_percentiles() -> None:
    lines = [{"name": "a", "p50_ms": 100, "p99_ms": 200}]
    measures = call("latency_ledger", lines=lines, budget_ms=200).measures
    assert measures["p50_ms"].value == pytest.approx(100, rel=0.002)
    assert measures["p99_ms"].value == pytest.approx(200, rel=0.01)
    assert measures["within"].value == pytest.approx(0.99, abs=0.01)


@pytest.mark.parametrize("seed", range(5))
def test_the_percentiles_of_a_sum_are_those_of_a_million_runs(seed: int) -> None:
    # 495.5 and 351.4: lognormals drawn 10^6 times, without any lattice.
    example = CATALOG["latency_ledger"].example
    measures = CATALOG["latency_ledger"].call({**example, "seed": seed}).measures
    assert measures["p99_ms"].value == pytest.approx(495.5, rel=0.04)
    assert measures["p50_ms"].value == pytest.approx(351.4, rel=0.01)


def test_the_largest_line_of_a_voice_budget_is_no_model() -> None:
    result = CATALOG["latency_ledger"].call(CATALOG["latency_ledger"].example)
    assert result.measures["largest_ms"].label == "largest line: end of speech, no model"
    assert result.measures["client_over_engine"].value == pytest.approx(340 / 80)


def test_a_p99_below_the_median_is_refused() -> None:
    with pytest.raises(ToolError, match="below its p50_ms"):
        call("latency_ledger", lines=[{"name": "a", "p50_ms": 9, "p99_ms": 5}], budget_ms=10)
