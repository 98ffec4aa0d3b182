"""Prices and energy: cost over goodput, cache prices turn by turn, gates of a ledger."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


@few
@given(st.floats(0.05, 1), st.floats(0, 0.9))
def test_half_the_utilisation_doubles_the_price(utilisation: float, margin: float) -> None:
    price = [
        value(
            "token_price",
            "output_usd",
            gpu_usd_h=2,
            decode_tokens_per_s=776,
            utilisation=each,
            margin=margin,
        )
        for each in (utilisation, utilisation / 2)
    ]
    assert price[1] == pytest.approx(2 * price[0])


def test_output_costs_more_by_the_ratio_of_the_rates() -> None:
    measures = CATALOG["token_price"].call(CATALOG["token_price"].example).measures
    assert measures["output_over_input"].value == pytest.approx(14_000 / 2600)
    assert measures["output_usd"].value / measures["input_usd"].value == pytest.approx(
        14_000 / 2600
    )


def test_a_price_without_any_rate_is_refused() -> None:
    with pytest.raises(ToolError, match="prefill_tokens_per_s"):
        call("token_price", gpu_usd_h=2)


def test_a_first_turn_is_always_a_miss_and_the_next_a_hit() -> None:
    arguments = {"context_tokens": 1_000_000, "miss_usd_m": 1, "hit_usd_m": 0.1}
    assert value("conversation_cost", "cached_usd", turns=1, **arguments) == pytest.approx(1)
    assert value("conversation_cost", "cached_usd", turns=3, **arguments) == pytest.approx(1.2)
    assert value("conversation_cost", "uncached_usd", turns=3, **arguments) == pytest.approx(3)


def test_a_hit_dearer_than_a_miss_is_taken_for_a_slip() -> None:
    with pytest.raises(ToolError, match="swapped"):
        call("conversation_cost", context_tokens=1, miss_usd_m=0.1, hit_usd_m=1)


def test_the_batch_changes_energy_tens_of_times_where_power_cannot() -> None:
    example = CATALOG["energy_per_token"].example
    measures = CATALOG["energy_per_token"].call(example).measures
    assert measures["saving"].value > 30


def test_a_power_above_the_rated_one_is_refused() -> None:
    with pytest.raises(ToolError, match="rated 700 W"):
        call("energy_per_token", watts=1500, gpu="H200", tokens_per_s=100)


def test_rated_power_is_called_a_ceiling() -> None:
    result = call("energy_per_token", gpu="H200", tokens_per_s=700)
    assert result.measures["joules"].kind == "ceiling"
    assert result.value == pytest.approx(1.0)


def ledger(**changes: object) -> dict[str, Any]:
    base = {
        "gpu_usd_h": 2,
        "gpus": 10,
        "hours": 10,
        "requests": 10_000,
        "in_time": 9_990,
        "eval_passed": 950,
        "eval_cases": 1000,
    }
    options = [{**base, "name": "base"}, {**base, "name": "new", "gpu_usd_h": 1, **changes}]
    return dict(call("cost_ledger", options=options, max_quality_loss=0.03).table[1])


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, "cheaper"),
        ({"gpus": 25}, "not cheaper per request in time"),
        ({"in_time": 9_000}, "misses the latency gate"),
        ({"eval_passed": 900}, "quality loss not ruled out"),
        ({"eval_passed": 19, "eval_cases": 20}, "quality loss not ruled out"),
        ({"in_time": 4_000}, "not cheaper per request in time"),
    ],
)
def test_a_misleading_win_is_named(changes: dict[str, object], verdict: str) -> None:
    assert ledger(**changes)["verdict"] == verdict


def test_more_in_time_than_answered_is_refused_by_its_place() -> None:
    with pytest.raises(ToolError) as caught:
        ledger(in_time=20_000)
    assert caught.value.field == "options.1.in_time"


def test_the_pass_that_reads_most_is_the_bill() -> None:
    result = CATALOG["offline_job"].call(CATALOG["offline_job"].example)
    assert result.measures["largest_share"].label == "of it in classify"
    assert result.measures["decode_share"].value < 0.2


def test_a_fleet_that_does_not_shrink_never_pays() -> None:
    with pytest.raises(ToolError, match="only quality"):
        call("payback", one_off_gpu_hours=1, gpu_usd_h=1, gpus_before=4, gpus_after=4)
