"""Attention by tiles and splits agrees with attention at once; masks and tiles are counted."""

from math import inf, isinf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.kernels.attention_math import Online, Partial, merge, whole
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


@few
@given(
    st.integers(1, 6),
    st.integers(0, 20),
    st.integers(1, 9),
    st.integers(1, 40),
    st.sampled_from([1, 2, 4]),
    st.sampled_from([1.0, 100.0]),
    st.integers(0, 999),
)
def test_tiles_and_splits_of_any_size_give_the_same_output(
    queries: int, cached: int, block: int, splits: int, kv_heads: int, scale: float, seed: int
) -> None:
    result = call(
        "attention_ref",
        queries=queries,
        keys=queries + cached,
        heads=4,
        kv_heads=kv_heads,
        block=block,
        splits=splits,
        scale=scale,
        seed=seed,
    )
    assert result.value < 1e-12


@pytest.mark.parametrize(
    ("fault", "measure"),
    [
        ("top_left_mask", "whole_difference"),
        ("wrong_kv_head", "whole_difference"),
        ("no_rescale", "online_difference"),
        ("average_merge", "split_difference"),
    ],
)
def test_a_fault_shows_in_the_output(fault: str, measure: str) -> None:
    asked = {"queries": 3, "keys": 10, "heads": 4, "kv_heads": 2, "fault": fault}
    assert value("attention_ref", measure, **asked) > 1e-3


def test_a_chunk_sits_at_the_end_of_its_cache() -> None:
    table = call("attention_ref", queries=2, keys=9, heads=1).table
    assert [row["last_key"] for row in table] == [7, 8]


def test_a_window_counts_the_query_itself() -> None:
    table = call("attention_ref", queries=2, keys=9, heads=1, window=3).table
    assert [(row["first_key"], row["last_key"]) for row in table] == [(5, 7), (6, 8)]


def test_query_heads_read_the_kv_head_of_their_group() -> None:
    table = call("attention_ref", queries=1, keys=2, heads=4, kv_heads=2).table
    assert [row["kv_head"] for row in table] == [0, 0, 1, 1]


def test_a_case_that_is_too_large_is_refused() -> None:
    with pytest.raises(ToolError, match="smaller"):
        call("attention_ref", queries=32, keys=256, heads=16, dim=32)


# --- online softmax and merge ---


def test_a_tile_that_is_all_masked_changes_nothing_and_gives_no_nan() -> None:
    state = Online(1)
    state.take([-inf, -inf], [[1.0], [2.0]])
    assert state.result() == Partial(-inf, [0.0])
    state.take([0.0, 0.0], [[1.0], [3.0]])
    assert state.result().output == [2.0]


@few
@given(st.lists(st.floats(-500, 500), min_size=1, max_size=30), st.integers(1, 30))
def test_the_running_sum_ends_where_two_passes_do(scores: list[float], tile: int) -> None:
    result = call("online_softmax", scores=scores, tile=tile)
    assert result.measures["difference"].value < 1e-9
    assert result.measures["log_sum_difference"].value < 1e-9


def test_a_row_that_is_all_masked_has_output_0_and_no_log_sum() -> None:
    result = call("online_softmax", scores=[1, 2], masked=[0, 1])
    assert result.value == 0
    assert "log_sum" not in result.measures


@few
@given(st.lists(st.floats(-5, 5), min_size=4, max_size=12), st.integers(0, 12))
def test_a_merge_is_exact_wherever_the_keys_are_cut(scores: list[float], cut: int) -> None:
    keys, values = [[s] for s in scores], [[float(i)] for i in range(len(scores))]
    parts = [
        whole([1.0], keys[part], values[part], [0.0] * len(keys[part]))
        if keys[part]
        else Partial(-inf, [0.0])
        for part in (slice(0, cut), slice(cut, None))
    ]
    true = whole([1.0], keys, values, [0.0] * len(keys))
    assert merge(parts).output == pytest.approx(true.output)
    assert merge(parts).lse == pytest.approx(true.lse)


def test_a_merge_of_empty_parts_is_empty() -> None:
    found = merge([Partial(-inf, [0.0]), Partial(-inf, [0.0])])
    assert isinf(found.lse)
    assert found.output == [0.0]


def test_a_part_without_keys_weighs_nothing() -> None:
    parts = [{"lse": 1, "output": [4]}, {"empty": True, "output": [99]}]
    assert call("lse_merge", parts=parts).value == 4


# --- tiles ---


@few
@given(
    st.integers(1, 60),
    st.integers(0, 60),
    st.integers(1, 80) | st.none(),
    st.integers(1, 9),
    st.integers(1, 9),
)
def test_tiles_are_counted_as_by_enumeration(
    queries: int, cached: int, window: int | None, block_q: int, block_k: int
) -> None:
    keys = queries + cached

    def sees(row: int, key: int) -> bool:
        return key <= cached + row and (window is None or key > cached + row - window)

    full = partial = pairs = 0
    for top in range(0, queries, block_q):
        for left in range(0, keys, block_k):
            rows = range(top, min(queries, top + block_q))
            seen = [sees(r, k) for r in rows for k in range(left, min(keys, left + block_k))]
            whole_tile = all(seen) and left + block_k <= keys
            full += whole_tile
            partial += any(seen) and not whole_tile
            pairs += sum(seen)
    asked = {"queries": queries, "keys": keys, "block_q": block_q, "block_k": block_k}
    found = call("attention_tiles", **asked, **({"window": window} if window else {})).measures
    assert found["pairs"].value == pairs
    assert found["tiles"].value == full + partial
    assert found["full_tiles"].value == full


def test_an_eighth_of_the_keys_is_no_eighth_of_causal_work() -> None:
    found = call("attention_tiles", queries=32_768, window=4096).measures
    assert found["window_share"].value == 1 / 8
    assert 4 < found["tile_ratio"].value < found["pair_ratio"].value < 4.3


def test_the_gradient_and_the_identity_hold_on_the_small_case() -> None:
    for seed in range(5):
        found = call("attention_backward", tokens=8192, seed=seed).measures
        assert found["gradient_gap"].value < 1e-8
        assert found["identity_gap"].value < 1e-12


def test_a_kernel_with_wrong_output_is_never_dispatched() -> None:
    shape = {"name": "ragged", "calls": 1, "old_us": 60, "new_us": 1, "correct": False}
    result = call("kernel_dispatch", shapes=[shape])
    assert result.measures["dispatched"].value == 0
    assert "ragged" in result.warnings[0]


def test_a_choice_that_costs_more_than_it_wins_is_said() -> None:
    shape = {"name": "a", "calls": 1, "old_us": 60, "new_us": 59}
    assert "does not pay" in call("kernel_dispatch", shapes=[shape], dispatch_us=2).warnings[0]
