"""The curve of throughput against the batch, and groups against refilled slots."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.engine.order_statistics import Shape, draw_lengths, expected_longest
from tools.result import ToolError

few = settings(derandomize=True, max_examples=100, deadline=None, database=None)


def curve(**given_: Any) -> dict[str, float]:
    result = CATALOG["batching_curve"].call({"step_base_ms": 10, **given_})
    return {key: measure.value for key, measure in result.measures.items()}


def test_half_of_the_ceiling_is_reached_at_the_knee() -> None:
    knee = curve(step_per_sequence_ms=0.5)["knee_batch"]
    assert curve(step_per_sequence_ms=0.5, batch=int(knee))["ceiling_share"] == 0.5


def test_one_sequence_over_the_target_takes_goodput_to_zero() -> None:
    best = int(curve(step_per_sequence_ms=0.1, slo_ms=25)["best_batch"])
    assert curve(step_per_sequence_ms=0.1, slo_ms=25, batch=best)["goodput"] > 0
    assert curve(step_per_sequence_ms=0.1, slo_ms=25, batch=best + 1)["goodput"] == 0


def test_the_cache_may_bind_before_the_target() -> None:
    found = curve(context=8192, kv_ms_per_1k=0.01, slo_ms=100, pool_tokens=82_000)
    assert found["best_batch"] == found["cache_batch"] == 10


@few
@given(st.floats(0.1, 100), st.floats(0.001, 10), st.integers(1, 1000))
def test_a_larger_batch_is_faster_in_all_and_slower_for_each(
    a: float, b: float, batch: int
) -> None:
    one, more = (curve(step_base_ms=a, step_per_sequence_ms=b, batch=n) for n in (batch, batch + 1))
    assert one["tokens_per_second"] < more["tokens_per_second"] < more["ceiling"]
    assert one["per_user"] > more["per_user"]


@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({"slo_ms": 5}, "slo_ms"),
        ({"pool_tokens": 100}, "context"),
        ({"step_base_ms": 0}, "step_base_ms"),
    ],
)
def test_what_makes_no_sense_together_is_refused(given_: dict[str, Any], field: str) -> None:
    with pytest.raises(ToolError) as caught:
        curve(**given_)
    assert caught.value.field == field


@few
@given(st.lists(st.integers(1, 40), min_size=1, max_size=60), st.integers(1, 9))
def test_refilled_slots_never_need_more_iterations_than_groups(
    lengths: list[int], slots: int
) -> None:
    text = ",".join(map(str, lengths))
    found = CATALOG["static_vs_continuous"].call({"lengths": text, "slots": slots}).measures
    least = max(max(lengths), -(-sum(lengths) // slots))
    assert least <= found["continuous"].value <= found["static"].value


@pytest.mark.parametrize("shape", ["uniform", "geometric", "lognormal"])
def test_the_longest_of_drawn_groups_agrees_with_its_formula(shape: Shape) -> None:
    drawn = draw_lengths(shape, 100, 1.0, 32_000, seed=3)
    longest = [max(drawn[at : at + 8]) for at in range(0, len(drawn), 8)]
    mean = sum(longest) / len(longest)
    error = (sum((x - mean) ** 2 for x in longest) / len(longest) ** 2) ** 0.5
    assert abs(mean - expected_longest(shape, 100, 1.0, 8)) < 4 * error + 1


@pytest.mark.parametrize("lengths", ["2,,3", "0", "2;3", "9999999", "-1", "2 3"])
def test_lengths_that_are_none_are_refused(lengths: str) -> None:
    with pytest.raises(ToolError, match="whole numbers"):
        CATALOG["static_vs_continuous"].call({"lengths": lengths})


def test_each_iteration_shows_the_slots_of_both() -> None:
    tool = CATALOG["static_vs_continuous"]
    trace = tool.call(tool.example).trace
    assert len(trace) == 13
    assert trace[5].numbers == {"static": 1, "continuous": 3}
