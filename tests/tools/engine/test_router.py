"""The router: affinity against load, when to spill, and what a late view does to decisions."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.engine.router import home
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)
BURST = "; ".join(f"2200 at={n} prefix=a shared=2000" for n in range(8))


def run(**given_: Any) -> Result:
    return CATALOG["router_sim"].call(given_)


def value(result: Result, key: str) -> float:
    return result.measures[key].value


def replicas(result: Result) -> list[int]:
    """Where each request went."""
    return [
        int(step.said.split(" to replica ")[1].split(";")[0].rstrip(".")) for step in result.trace
    ]


def test_a_popular_prefix_spills_when_its_queue_costs_more_than_a_hit_saves() -> None:
    result = run(requests=BURST, replicas=2)
    assert value(result, "spill_threshold_ms") == value(result, "hit_saves_ms") == 142
    went = replicas(result)
    assert went[:2] == [went[0], 3 - went[0]]
    assert value(result, "spilled") >= 1


def test_without_a_threshold_all_stay_at_home() -> None:
    assert len(set(replicas(run(requests=BURST, replicas=2, spill_ms=1e7)))) == 1


def test_round_robin_computes_the_prefix_everywhere() -> None:
    result = run(requests=BURST, replicas=4, policy="round_robin")
    assert value(result, "computed_tokens") == 4 * 2200 + 4 * 200


def test_predicted_finish_weighs_the_queue_against_the_hit() -> None:
    went = replicas(run(requests=BURST, replicas=4, policy="predicted"))
    assert went[0] != went[1]
    assert value(run(requests=BURST, replicas=4, policy="predicted"), "ttft_p99_ms") <= value(
        run(requests=BURST, replicas=4, policy="round_robin"), "ttft_p99_ms"
    )


def test_without_reservations_a_late_view_herds_the_burst_to_one_replica() -> None:
    given_: dict[str, Any] = {"requests": BURST, "replicas": 4, "policy": "least_loaded"}
    herded = run(**given_, view_delay_ms=50, reservations=False)
    assert replicas(herded) == [1] * 8
    assert value(herded, "misled") == 7
    assert value(run(**given_, view_delay_ms=50, reservations=True), "misled") == 0


def test_a_late_eviction_notice_sends_a_request_to_a_prefix_that_is_gone() -> None:
    lines = "; ".join(
        f"1000 at={at} prefix={prefix} shared=900"
        for at, prefix in ((0, "a"), (1000, "b"), (1100, "a"))
    )
    given_: dict[str, Any] = {"requests": lines, "replicas": 1, "cache_tokens": 1000}
    result = run(**given_, view_delay_ms=500)
    assert "not cached there" in result.trace[2].said


def test_adding_a_replica_moves_only_what_goes_to_it() -> None:
    before = {f"p{n}": home(f"p{n}", 4) for n in range(200)}
    moved = {name: home(name, 5) for name in before if home(name, 5) != before[name]}
    assert set(moved.values()) == {4}
    assert 20 <= len(moved) <= 65


def test_without_reservations_a_prefix_on_its_way_is_not_known() -> None:
    pair = "2200 prefix=a shared=2000; 2200 at=20 prefix=a shared=2000"
    given_: dict[str, Any] = {"requests": pair, "replicas": 2, "policy": "predicted"}
    assert replicas(run(**given_, reservations=True)) == [1, 1]
    assert replicas(run(**given_, reservations=False)) == [1, 2]


@few
@given(
    st.sampled_from(["affinity", "round_robin", "least_loaded", "predicted"]),
    st.integers(1, 6),
    st.integers(0, 50),
)
def test_a_view_without_delay_never_misleads(policy: str, count: int, seed: int) -> None:
    result = run(policy=policy, replicas=count, seed=seed, count=40)
    assert value(result, "misled") == 0
    assert value(result, "hit_rate") <= 2000 / 2200


def test_the_same_seed_gives_the_same_run() -> None:
    assert run(seed=3, count=30) == run(seed=3, count=30)


@pytest.mark.parametrize(
    "requests", ["x", "100 200", "100 shared=50", "100 prefix=a shared=200", "0", "100 speed=1"]
)
def test_requests_that_make_no_sense_are_refused(requests: str) -> None:
    with pytest.raises(ToolError) as caught:
        run(requests=requests)
    assert caught.value.field == "requests"
