"""Quotas: buckets keep their bound, counters keep tenants even, a batcher keeps its queue."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.fleet.buckets import Bucket, Request, replay
from tools.fleet.token_counters import Engine, Tenant
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)

REQUESTS = st.lists(
    st.builds(
        lambda user, at, prompt, most, share, seconds: Request(
            user=user,
            at_s=at,
            prompt_tokens=prompt,
            max_tokens=most,
            output_tokens=int(most * share),
            seconds=seconds,
        ),
        st.sampled_from("ab"),
        st.floats(0, 100),
        st.integers(0, 500),
        st.integers(0, 800),
        st.floats(0, 1),
        st.floats(0, 50),
    ),
    min_size=1,
    max_size=30,
)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


@few
@given(REQUESTS, st.floats(0.1, 50), st.floats(1, 2000), st.booleans())
def test_no_window_is_charged_more_than_the_burst_and_its_refill(
    requests: list[Request], rate: float, burst: float, refund: bool
) -> None:
    run = replay(requests, Bucket(rate, burst), None, refund=refund)
    assert run.worst_window <= burst * (1 + 1e-6)


@few
@given(REQUESTS, st.floats(0.1, 50), st.floats(1, 2000))
def test_the_window_bound_agrees_with_trying_every_pair_of_events(
    requests: list[Request], rate: float, burst: float
) -> None:
    run = replay(requests, Bucket(rate, burst), None, refund=True)
    charges = [
        (row["at_s"], {"admit": 1, "refund": -1}.get(row["event"], 0) * row["tokens"])
        for row in run.table
    ]
    worst = 0.0
    for first in range(len(charges)):
        total = 0.0
        for at, tokens in charges[first:]:
            total += tokens
            worst = max(worst, total - rate * (at - charges[first][0]))
    assert run.worst_window == pytest.approx(worst, abs=1e-6)


@few
@given(REQUESTS)
def test_every_request_is_admitted_delayed_or_refused_for_good(requests: list[Request]) -> None:
    run = replay(requests, Bucket(5, 900), (3, 700), refund=True)
    assert run.admitted + run.delayed + run.never == len(requests)
    assert run.reserved - run.refunded >= 0
    assert all(0 <= row["left"] <= 900 for row in run.table)


def test_a_refused_request_takes_from_neither_bucket() -> None:
    ask = {"prompt_tokens": 60, "max_tokens": 0, "output_tokens": 0}
    requests = [{**ask, "user": "a", "at_s": 0}, {**ask, "user": "a", "at_s": 0}]
    result = call(
        "rate_limiter",
        tokens_per_s=1,
        burst_tokens=1000,
        user_tokens_per_s=1,
        user_burst_tokens=100,
        requests=requests,
    )
    assert [row["left"] for row in result.table] == [940, 940, 950]


def test_a_request_that_can_never_fit_gets_no_retry_after() -> None:
    big = {"at_s": 0, "prompt_tokens": 2000, "max_tokens": 0, "output_tokens": 0}
    result = call("rate_limiter", tokens_per_s=1, burst_tokens=1000, requests=[big])
    assert result.measures["never"].value == 1
    assert result.table[0]["retry_after_s"] is None


def test_a_delayed_request_fits_exactly_after_its_retry_after() -> None:
    ask = {"prompt_tokens": 700, "max_tokens": 0, "output_tokens": 0}
    first = [{**ask, "at_s": 0}, {**ask, "at_s": 1}]
    arguments: dict[str, Any] = {"tokens_per_s": 3, "burst_tokens": 1000}
    after = call("rate_limiter", requests=first, **arguments).table[1]["retry_after_s"]
    again = [*first, {**ask, "at_s": 1 + after}]
    assert call("rate_limiter", requests=again, **arguments).value == 2


def test_more_output_than_was_reserved_is_refused_by_its_place() -> None:
    bad = {"at_s": 0, "prompt_tokens": 1, "max_tokens": 5, "output_tokens": 6}
    with pytest.raises(ToolError) as caught:
        call("rate_limiter", tokens_per_s=1, burst_tokens=10, requests=[bad])
    assert caught.value.field == "requests.0.output_tokens"


@few
@given(
    st.lists(st.tuples(st.integers(0, 2000), st.integers(1, 100)), min_size=2, max_size=5),
    st.integers(1, 8),
)
def test_backlogged_tenants_stay_within_the_bound_of_the_counter(
    shapes: list[tuple[int, int]], slots: int
) -> None:
    tenants = [
        {"name": str(n), "input_tokens": i, "output_tokens": o} for n, (i, o) in enumerate(shapes)
    ]
    measures = call("fair_shares", tenants=tenants, slots=slots, steps=600).measures
    assert measures["gap"].value <= measures["gap_bound"].value


def test_twice_the_weight_is_twice_the_service() -> None:
    one = {"input_tokens": 50, "output_tokens": 20}
    tenants = [{**one, "name": "a", "weight": 2}, {**one, "name": "b"}]
    rows = call("fair_shares", tenants=tenants, steps=5000).table
    assert rows[0]["share"] / rows[1]["share"] == pytest.approx(2, rel=0.05)


def test_without_the_lift_a_returning_tenant_shuts_out_the_other() -> None:
    one = {"input_tokens": 10, "output_tokens": 20}
    tenants = [{**one, "name": "here"}, {**one, "name": "away", "from_step": 1000}]
    waits = [
        call("fair_shares", tenants=tenants, lift=lift).measures["late_wait"].value
        for lift in (True, False)
    ]
    assert waits[0] < 50
    assert waits[1] > 900


def test_a_cache_that_does_not_fit_the_pool_is_refused() -> None:
    example = {**CATALOG["request_cost"].example, "kv_pool_gb": 40}
    with pytest.raises(ToolError, match="cannot hold"):
        CATALOG["request_cost"].call(example)


@few
@given(
    st.floats(10, 5000),
    st.integers(1, 64),
    st.floats(0, 50),
    st.integers(1, 300),
    st.floats(1, 1000),
)
def test_every_request_of_a_batcher_ends_in_one_way_and_within_the_bound(
    rate: float, batch: int, wait: float, queue: int, deadline: float
) -> None:
    arguments = {"requests_per_s": rate, "max_batch": batch, "max_wait_ms": wait}
    more = {"max_queue": queue, "deadline_ms": deadline, "requests": 500}
    measures = {k: m.value for k, m in call("micro_batcher", **arguments, **more).measures.items()}
    assert sum(measures[k] for k in ("served", "shed", "expired", "late")) == 500
    assert measures.get("p99_ms", 0) <= min(deadline, measures["latency_bound_ms"])


def test_a_larger_queue_sheds_less_and_waits_longer() -> None:
    small, large = (
        call("micro_batcher", requests_per_s=1500, max_queue=n).measures for n in (64, 512)
    )
    assert small["shed"].value > large["shed"].value
    assert small["p99_ms"].value < large["p99_ms"].value


@pytest.mark.parametrize("name", ["rate_limiter", "micro_batcher", "fair_shares", "stream_buffer"])
def test_a_simulator_can_be_stepped_through(name: str) -> None:
    tool = CATALOG[name]
    result = tool.call(tool.example)
    assert len(result.trace) >= 8
    assert all(step.said for step in result.trace)
    assert tool.step_figure(result, len(result.trace) - 1)


def test_who_comes_back_to_an_empty_engine_starts_where_the_last_left() -> None:
    tenants = [
        Tenant(name="a", input_tokens=0, output_tokens=1, until_step=9),
        Tenant(name="b", input_tokens=0, output_tokens=1, from_step=20),
    ]
    engine = Engine(tenants, 1, (1, 1), by_turns=False, lift=True)
    for step in range(22):
        engine.step(step)
    assert engine.counters == [9, 11]


def test_input_is_charged_at_admission_and_output_token_by_token() -> None:
    engine = Engine(
        [Tenant(name="a", input_tokens=10, output_tokens=3)], 1, (2, 5), by_turns=False, lift=True
    )
    charged = []
    for step in range(4):
        engine.step(step)
        charged.append(engine.service[0])
    assert charged == [25, 30, 35, 60]


def test_a_batch_class_at_its_quota_makes_the_step_the_target() -> None:
    example = {**CATALOG["kv_quota"].example, "tpot_ms": 28}
    result = CATALOG["kv_quota"].call(example)
    used = 16 * 8192 * 163_840 / 1e9
    assert (70 + used + result.value) / (4800 * 0.8) * 1e3 == pytest.approx(28)
    assert any("without the cap" in warning for warning in result.warnings)


def test_a_target_that_interactive_users_miss_alone_leaves_no_quota() -> None:
    example = {**CATALOG["kv_quota"].example, "tpot_ms": 20}
    with pytest.raises(ToolError, match="missed without batch work"):
        CATALOG["kv_quota"].call(example)


def test_a_run_that_would_take_seconds_is_refused() -> None:
    example = {**CATALOG["fair_shares"].example, "slots": 64, "steps": 5000}
    with pytest.raises(ToolError, match="at most 100,000"):
        CATALOG["fair_shares"].call(example)
