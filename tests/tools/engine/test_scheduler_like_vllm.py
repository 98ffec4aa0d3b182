"""Cases S1 to S12 of what vLLM 0.31's own scheduler did, step for step, synchronous."""

from collections.abc import Callable, Iterable
from typing import Any

import pytest

from tests.tools.golden import load
from tools.engine.requests import Request
from tools.engine.scheduler import Rules, Scheduler
from tools.engine.slots import CachedBlocks, CountedBlocks, Slots

CASES: dict[str, list[dict[str, Any]]] = {
    case["id"]: case["steps"] for case in load("vllm_oracle.json")["scheduler"]
}
LARGE, SMALL, ENDLESS = 9999, 10, 10_000


def requests(*prompts: int, output: int = ENDLESS) -> list[Request]:
    return [Request(str(n), prompt, output, float(n)) for n, prompt in enumerate(prompts)]


def step(scheduler: Scheduler, at: int) -> dict[str, Any]:
    """One step in the oracle's words."""
    plan = scheduler.schedule()
    scheduled = {r.id: n for r in scheduler.running if (n := scheduler.tokens(plan, r))}
    scheduler.advance(plan, float(at))
    return {
        "scheduled": scheduled,
        "preempted": [request.id for request in plan.preempted],
        "running": [request.id for request in scheduler.running],
        "waiting": len(scheduler.waiting),
        "free": scheduler.slots.free,
    }


def run(
    steps: int,
    rules: Rules,
    slots: Slots,
    first: Iterable[Request],
    later: Iterable[Request] = (),
    before: int = 0,
) -> list[dict[str, Any]]:
    """`first` arrive, `before` steps run unseen, `later` arrive, then come the steps."""
    scheduler = Scheduler(rules, slots)
    for request in first:
        scheduler.add(request)
    for at in range(before):
        step(scheduler, at)
    for request in later:
        scheduler.add(request)
    return [step(scheduler, before + at) for at in range(steps)]


Make = Callable[..., Rules]


@pytest.fixture(params=[True, False], ids=["counted together", "one by one"])
def rules(request: pytest.FixtureRequest) -> Make:
    return lambda **given: Rules(shortcut=request.param, **given)


def test_s1_the_threshold_caps_each_long_prompt(rules: Make) -> None:
    found = run(
        4, rules(budget=1024, threshold=400), CountedBlocks(LARGE, 16), requests(800, 800, 800)
    )
    assert found == CASES["S1"]


def test_s2_the_threshold_is_ignored_for_a_request_alone(rules: Make) -> None:
    found = run(3, rules(budget=1024, threshold=400), CountedBlocks(LARGE, 16), requests(800))
    assert found == CASES["S2"]


@pytest.mark.parametrize("chunked", [True, False])
def test_s3_without_chunks_the_first_that_does_not_fit_stops_admission(
    rules: Make, chunked: bool
) -> None:
    given = rules(budget=1024, chunked=chunked)
    found = run(3, given, CountedBlocks(LARGE, 16), requests(800, 800, 10, 10))
    assert found == CASES[f"S3 chunked={chunked}"]


def test_s4_decodes_come_before_a_chunk(rules: Make) -> None:
    late = Request("3", 200, ENDLESS, 3.0)
    slots = CountedBlocks(LARGE, 16)
    found = run(5, rules(budget=64), slots, requests(8, 8, 8), [late], before=1)
    assert found == CASES["S4"]


def test_s5_a_preempted_request_computes_all_again(rules: Make) -> None:
    found = run(10, rules(), CountedBlocks(SMALL, 16), requests(80, 80, output=4))
    assert found == CASES["S5 caching=False"]


def test_s5_with_prefix_caching_it_computes_only_what_was_evicted() -> None:
    found = run(10, Rules(), CachedBlocks(SMALL, 16), requests(80, 80, output=4))
    assert found == CASES["S5 caching=True"]


def test_s6_a_small_request_stays_behind_a_preempted_one(rules: Make) -> None:
    scheduler = Scheduler(rules(), CountedBlocks(SMALL, 16))
    for request in requests(80, 60):
        scheduler.add(request)
    found = [step(scheduler, 0)]
    scheduler.add(Request("2", 10, ENDLESS, 2.0))
    found += [step(scheduler, at) for at in range(1, 9)]
    assert found == CASES["S6"]


def test_s7_the_least_urgent_is_the_victim(rules: Make) -> None:
    both = [Request("0", 80, ENDLESS, 0.0, 5), Request("1", 75, ENDLESS, 1.0, 1)]
    found = run(4, rules(policy="priority"), CountedBlocks(SMALL, 16), both)
    assert found == CASES["S7"]


@pytest.mark.parametrize("reserve", [True, False])
def test_s8_reserving_the_prompt_avoids_a_preemption(rules: Make, reserve: bool) -> None:
    given = rules(budget=64, reserve_full=reserve)
    found = run(5, given, CountedBlocks(SMALL, 16), requests(96, 96))
    assert found == CASES[f"S8 reserve_full_isl={reserve}"]


def test_s9_nobody_passes_the_head_of_the_queue(rules: Make) -> None:
    late = [Request("1", 100, ENDLESS, 1.0), Request("2", 5, ENDLESS, 2.0)]
    found = run(2, rules(), CountedBlocks(SMALL, 16), requests(100), late, before=1)
    assert found == CASES["S9"]


def test_s10_no_more_run_than_may(rules: Make) -> None:
    slots = CountedBlocks(LARGE, 16)
    assert run(2, rules(most_running=2), slots, requests(10, 10, 10, 10)) == CASES["S10"]


def test_s11_the_watermark_holds_back_a_second_admission(rules: Make) -> None:
    slots = CountedBlocks(SMALL, 16)
    assert run(2, rules(watermark=0.3), slots, requests(60, 60)) == CASES["S11"]


def test_s12_a_repeat_computes_its_last_block_only() -> None:
    def sharing(name: str, prompt: int) -> Request:
        return Request(name, prompt, ENDLESS, float(name), prefix="p", shared=prompt)

    late = [sharing("1", 100), sharing("2", 96)]
    found = run(1, Rules(), CachedBlocks(LARGE, 16), [sharing("0", 100)], late, before=1)
    assert found == CASES["S12"]
