"""Telemetry: resets, buckets, spans that add up, Little's law, distributions and suspects."""

from itertools import accumulate
from math import comb
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.operations.timing_samples import median_interval
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


@few
@given(st.lists(st.integers(0, 100), min_size=2, max_size=20), st.integers(0, 18))
def test_a_reset_hides_no_events_and_invents_none(steps: list[int], at: int) -> None:
    totals = list(accumulate(steps))
    reset = min(at, len(totals) - 1)
    base = totals[reset - 1] if reset else 0
    # from `reset` on the process is a new one, which began after the snapshot before
    values = [t if n < reset else t - base for n, t in enumerate(totals)]
    snapshots = [{"at_s": n, "values": {"c": v}} for n, v in enumerate(values)]
    fell = [n for n in range(1, len(values)) if values[n] < values[n - 1]]
    if len(fell) == len(values) - 1:
        return
    result = call("counter_rates", snapshots=snapshots, counter="c")
    kept = sum(values[n] - values[n - 1] for n in range(1, len(values)) if n not in fell)
    assert result.measures["change"].value == kept
    assert result.measures["resets"].value == len(fell)


def test_a_reset_of_one_counter_spoils_the_window_for_all() -> None:
    rows = [{"a": 10, "b": 50}, {"a": 20, "b": 2}, {"a": 30, "b": 12}]
    snapshots = [{"at_s": n * 10, "values": v} for n, v in enumerate(rows)]
    result = call("counter_rates", snapshots=snapshots, counter="a")
    assert result.measures["used_s"].value == 10


def test_a_ratio_is_of_sums_of_differences_not_a_mean_of_ratios() -> None:
    rows = [{"hit": 0, "all": 0}, {"hit": 90, "all": 100}, {"hit": 90, "all": 1000}]
    snapshots = [{"at_s": n, "values": v} for n, v in enumerate(rows)]
    result = call("counter_rates", snapshots=snapshots, counter="hit", over="all")
    assert result.measures["ratio"].value == pytest.approx(0.09)


def test_windows_that_all_hold_a_reset_give_no_rate() -> None:
    snapshots = [{"at_s": 0, "values": {"c": 9}}, {"at_s": 1, "values": {"c": 3}}]
    with pytest.raises(ToolError, match="every window"):
        call("counter_rates", snapshots=snapshots, counter="c")


def test_a_counter_that_is_not_there_is_named() -> None:
    snapshots = [{"at_s": 0, "values": {"c": 1}}, {"at_s": 1, "values": {"d": 3}}]
    with pytest.raises(ToolError) as caught:
        call("counter_rates", snapshots=snapshots, counter="c")
    assert caught.value.field == "snapshots.1.values"


BOUNDS = [0.1, 0.2, 0.5, 1.0, 2.0]


def bucketed(samples: list[float]) -> list[dict[str, Any]]:
    finite = [{"le": b, "count": sum(s <= b for s in samples)} for b in BOUNDS]
    return [*finite, {"le": "+Inf", "count": len(samples)}]


@few
@given(st.lists(st.floats(0.001, 3), min_size=1, max_size=60), st.floats(0.01, 0.99))
def test_the_true_quantile_lies_within_the_bounds_that_are_called_certain(
    samples: list[float], quantile: float
) -> None:
    measures = call("histogram_quantile", buckets=bucketed(samples), quantile=quantile).measures
    ordered = sorted(samples)
    true = next(s for n, s in enumerate(ordered, 1) if n >= quantile * len(ordered) - 1e-9)
    assert measures["low"].value <= true
    if "high" in measures:
        assert true <= measures["high"].value
        assert measures["low"].value <= measures["quantile"].value <= measures["high"].value


def test_a_quantile_beyond_the_last_bound_is_no_estimate() -> None:
    result = call("histogram_quantile", buckets=bucketed([5.0] * 10), quantile=0.5)
    assert (result.value, result.measures["quantile"].kind) == (2.0, "floor")
    assert "high" not in result.measures


def test_buckets_without_infinity_are_refused() -> None:
    with pytest.raises(ToolError, match=r"\+Inf"):
        call("histogram_quantile", buckets=bucketed([0.1])[:-1])


def test_an_earlier_histogram_is_taken_off() -> None:
    early, late = bucketed([0.05] * 90), bucketed([0.05] * 90 + [0.7] * 10)
    result = call("histogram_quantile", buckets=late, before=early, quantile=0.5)
    assert 0.5 < result.value <= 1.0
    with pytest.raises(ToolError, match="restart"):
        call("histogram_quantile", buckets=early, before=late, quantile=0.5)


SPANS = st.lists(
    st.builds(
        lambda name, start, size: {"name": name, "start_ms": start, "end_ms": start + size},
        st.sampled_from("abc"),
        st.integers(0, 50),
        st.integers(0, 20),
    ),
    min_size=1,
    max_size=12,
)


@few
@given(SPANS)
def test_exposed_parts_and_gaps_make_the_window(spans: list[dict[str, Any]]) -> None:
    if max(s["end_ms"] for s in spans) == min(s["start_ms"] for s in spans):
        return
    result = call("span_attribution", spans=spans)
    exposed = sum(row["exposed_ms"] for row in result.table)
    assert exposed == pytest.approx(result.measures["window_ms"].value)
    union = sum(any(s["start_ms"] <= t and t + 1 <= s["end_ms"] for s in spans) for t in range(80))
    assert exposed - result.value == pytest.approx(union)


def test_a_shared_moment_goes_to_the_first_of_the_order() -> None:
    spans = [{"name": "host", "start_ms": 0, "end_ms": 10}]
    spans.append({"name": "gpu", "start_ms": 4, "end_ms": 12})
    rows = call("span_attribution", spans=spans, order=["gpu", "host"]).table
    assert [(row["name"], row["exposed_ms"], row["hidden_ms"]) for row in rows[:2]] == [
        ("gpu", 8, 0),
        ("host", 4, 6),
    ]


def test_a_latency_whose_clock_starts_late_is_found() -> None:
    result = CATALOG["little_check"].call(CATALOG["little_check"].example)
    assert result.measures["missing_s"].value == pytest.approx(2.5)
    assert any("leaves out 2.5 s" in warning for warning in result.warnings)


@pytest.mark.parametrize(("every", "p99"), [(50, 200), (99, 200), (101, 20), (300, 20)])
def test_one_slow_step_in_a_hundred_is_where_p99_changes_hands(every: int, p99: float) -> None:
    assert call("tail_steps", step_ms=20, slow_ms=200, every_steps=every).value == p99


def test_suspects_of_like_period_are_not_told_apart_by_it() -> None:
    result = CATALOG["tail_steps"].call(CATALOG["tail_steps"].example)
    assert "garbage collection from health check" in result.warnings[0]


def test_a_suspect_of_another_size_is_ruled_out() -> None:
    table = CATALOG["memory_growth"].call(CATALOG["memory_growth"].example).table
    verdicts = {row["suspect"]: row["verdict"] for row in table}
    assert verdicts["image embedding"] == verdicts["log probabilities"] == "ruled out"
    assert verdicts["prompt text"] == "possible"


def test_a_measured_rate_above_the_claim_is_no_gap() -> None:
    with pytest.raises(ToolError, match="no gap"):
        call("gap_dilution", claimed=100, measured=120)


@few
@given(st.integers(6, 200))
def test_the_interval_of_the_median_holds_it_95_times_in_100_and_is_the_tightest(
    size: int,
) -> None:
    low, _ = median_interval(range(1, size + 1))
    rank = int(low)
    outside = 2 * sum(comb(size, k) for k in range(rank)) / 2**size
    wider = 2 * sum(comb(size, k) for k in range(rank + 1)) / 2**size
    assert outside <= 0.05 < wider


def test_a_kernel_faster_than_its_memory_is_not_believed() -> None:
    result = call("timing_samples", samples_us=[10.0] * 20, moved_mb=134, gpu="H100")
    assert any("faster than the memory" in warning for warning in result.warnings)


def test_bytes_that_fit_the_cache_are_warned_of() -> None:
    result = call("timing_samples", samples_us=[100.0] * 20, moved_mb=20, gpu="H100")
    assert any("flush it between runs" in warning for warning in result.warnings)


def test_a_wrong_kernel_is_never_chosen_however_fast() -> None:
    result = CATALOG["selective_dispatch"].call(CATALOG["selective_dispatch"].example)
    ragged = result.table[3]
    assert (ragged["shape"], ragged["choice"]) == ("8 ragged", "old")
    assert result.value < result.measures["old_ms"].value / result.measures["everywhere_ms"].value


def test_the_longest_combine_is_on_the_rank_that_was_done_first() -> None:
    result = CATALOG["barrier_wait"].call(CATALOG["barrier_wait"].example)
    assert result.measures["longest_ms"].label == "combine span of rank 1"
    assert result.measures["communication_ms"].value == pytest.approx(0.4)


def test_a_slow_rank_of_small_load_is_another_fault_than_imbalance() -> None:
    ranks = [
        {"name": "0", "load": 10, "compute_ms": 1, "combine_ms": 4},
        {"name": "1", "load": 5, "compute_ms": 4, "combine_ms": 1},
    ]
    result = call("barrier_wait", ranks=ranks)
    assert any("clock, GPU or link" in warning for warning in result.warnings)


@pytest.mark.parametrize(("tokens", "hit"), [(32, 16), (33, 32), (16, 0), (17, 16)])
def test_bug_22_a_prompt_hits_whole_blocks_and_never_all_of_itself(tokens: int, hit: int) -> None:
    found = call("prefix_boundary", cached=list(range(32)), prompt=list(range(tokens)))
    assert found.value == hit


def test_another_salt_shares_nothing() -> None:
    same = {"cached": list(range(40)), "prompt": list(range(40))}
    assert call("prefix_boundary", same_salt=False, **same).value == 0


def test_more_hits_than_the_prompts_share_are_not_possible() -> None:
    with pytest.raises(ToolError, match="these prompts share"):
        call("prefix_boundary", cached=[1, 2, 3], prompt=[1, 2, 4], hit_tokens=16)


def test_the_policy_between_both_gates_is_named() -> None:
    result = CATALOG["capture_policies"].call(CATALOG["capture_policies"].example)
    assert result.measures["passing"].label == "pass both gates; best few sizes"
    assert [row["verdict"] for row in result.table] == ["too slow", "passes", "too few pages"]
