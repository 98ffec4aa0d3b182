"""Queues: the formulas against textbook limits, and the simulation against the formulas."""

from math import factorial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.fleet.waiting import Queue, erlang_c
from tools.result import ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)


def value(tool: str, measure: str, **arguments: object) -> float:
    return CATALOG[tool].call(arguments).measures[measure].value


@few
@given(st.integers(1, 40), st.floats(0.05, 0.98))
def test_erlang_c_by_recursion_is_the_textbook_sum(servers: int, load: float) -> None:
    offered = servers * load
    last = offered**servers / factorial(servers) / (1 - load)
    rest = sum(offered**k / factorial(k) for k in range(servers))
    assert erlang_c(servers, offered) == pytest.approx(last / (rest + last))


@few
@given(st.floats(0.01, 0.99), st.floats(1e-3, 1e3))
def test_one_server_gives_the_mean_of_pollaczek_khinchine(load: float, service: float) -> None:
    queue = Queue(load / service, service, 3.0)
    assert queue.mean_wait == pytest.approx(load / (1 - load) * 2 * service)


@few
@given(st.floats(0.05, 0.95), st.integers(1, 20))
def test_the_wait_rises_with_load_and_spread(load: float, servers: int) -> None:
    queue = Queue(load * servers, 1.0, 1.0, servers)
    assert queue.at(min(0.99, load * 1.04)).mean_wait > queue.mean_wait
    assert Queue(queue.rate, 1.0, 2.0, servers).mean_wait > queue.mean_wait


@pytest.mark.parametrize(("scv", "servers"), [(0, 1), (1, 1), (4, 1), (1, 4), (1, 10)])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_simulation_lies_within_three_standard_errors(scv: int, servers: int, seed: int) -> None:
    rate = 0.7 * servers
    apart = value(
        "queue_simulation",
        "standard_errors",
        arrival_rate=rate,
        service_s=1,
        scv=scv,
        servers=servers,
        requests=50_000,
        seed=seed,
    )
    assert abs(apart) <= 3


def test_a_formula_without_the_spread_would_fail_the_simulation() -> None:
    run = CATALOG["queue_simulation"].call(
        {"arrival_rate": 0.7, "service_s": 1, "scv": 4, "requests": 50_000}
    )
    wrong = Queue(0.7, 1.0, 1.0).mean_wait
    assert (run.value - wrong) / run.measures["standard_error_s"].value > 5


def test_the_same_seed_gives_the_same_run() -> None:
    arguments = {"arrival_rate": 0.5, "service_s": 1, "requests": 2000}
    runs = [value("queue_simulation", "wait_s", seed=n, **arguments) for n in (7, 7, 8)]
    assert runs[0] == runs[1] != runs[2]


def test_the_steps_of_a_simulation_start_one_by_one_and_end_with_the_last_request() -> None:
    run = CATALOG["queue_simulation"].call(
        {"arrival_rate": 2.7, "service_s": 1, "servers": 3, "requests": 4000}
    )
    first, *_, last = run.trace
    assert first.title.startswith("request 1 comes")
    assert last.title.startswith("request 4,000 comes")
    for step in run.trace:
        servers, waiting, *_ = step.lanes
        busy = [cell.mark for cell in servers.cells].count("held")
        assert len(servers.cells) == 3
        assert len(waiting.cells) == min(step.numbers["waiting"], 48)
        assert bool(step.numbers["waiting"]) == (step.numbers["wait_s"] > 0) == (busy == 3)


def test_a_load_that_no_server_bears_is_refused_with_the_most_it_bears() -> None:
    with pytest.raises(ToolError, match=r"at most 2 requests/s") as caught:
        CATALOG["queueing"].call({"arrival_rate": 2, "service_s": 1, "servers": 2})
    assert caught.value.field == "arrival_rate"


def test_the_utilisation_for_a_target_makes_the_tail_the_target() -> None:
    arguments = {"arrival_rate": 0.2, "service_s": 1, "wait_target_s": 8}
    most = value("queueing", "max_utilisation", **arguments)
    assert value("queueing", "tail_wait_s", arrival_rate=most, service_s=1) == pytest.approx(8)


def test_more_spread_lowers_the_utilisation_that_a_target_allows() -> None:
    arguments = {"arrival_rate": 0.2, "service_s": 1, "wait_target_s": 10}
    fixed, wide = (value("queueing", "max_utilisation", scv=n, **arguments) for n in (0, 4))
    assert wide < fixed


def test_residents_solve_their_own_equation() -> None:
    result = CATALOG["littles_law"].call(CATALOG["littles_law"].example)
    measures = {key: m.value for key, m in result.measures.items()}
    assert measures["resident"] == pytest.approx(2 * 400 * measures["step_ms"] / 1e3)


def test_residents_whose_step_outgrows_them_are_refused() -> None:
    with pytest.raises(ToolError, match=r"below 10 requests/s"):
        CATALOG["littles_law"].call(
            {
                "requests_per_s": 11,
                "output_tokens": 100,
                "step_base_ms": 1,
                "step_per_sequence_ms": 1,
            }
        )


def test_a_duration_given_twice_is_refused() -> None:
    with pytest.raises(ToolError, match="either seconds"):
        CATALOG["littles_law"].call({"requests_per_s": 1, "seconds": 2, "output_tokens": 3})


@few
@given(st.floats(110, 400), st.floats(5, 120), st.floats(0, 90), st.floats(1, 30))
def test_dead_requests_of_a_spike_are_what_a_step_by_step_queue_counts(
    peak: float, length: float, base: float, deadline: float
) -> None:
    said = value(
        "spike",
        "dead",
        capacity_per_s=100,
        base_per_s=base,
        spike_per_s=peak,
        spike_s=length,
        deadline_s=deadline,
    )
    step, backlog, time, late = 0.02, 0.0, 0.0, 0.0
    while time < length or backlog > 0:
        rate = peak if time < length else base
        late += rate * step if backlog / 100 > deadline else 0
        backlog, time = max(0.0, backlog + (rate - 100) * step), time + step
    assert said == pytest.approx(late, rel=0.02, abs=20)


@few
@given(st.lists(st.tuples(st.floats(0, 5), st.floats(0.01, 2)), min_size=1, max_size=12))
def test_every_order_ends_with_the_same_work_done(jobs: list[tuple[float, float]]) -> None:
    rows = [{"arrival_s": a, "service_s": s} for a, s in jobs]
    table = CATALOG["job_order"].call({"jobs": rows, "slice_s": 0.05}).table
    arrivals = sorted(a for a, _ in jobs)
    ends = [
        max(a + row[order] for a, row in zip(arrivals, table, strict=True))
        for order in ("fcfs_s", "shortest_s", "sliced_s")
    ]
    assert ends == pytest.approx([ends[0]] * 3)


def test_a_prompt_that_is_late_alone_is_not_admitted() -> None:
    arguments = {"tpot_ms": 40, "decode_ms": 20, "prefill_us_per_token": 50, "ttft_ms": 100}
    result = CATALOG["chunk_admission"].call({**arguments, "prompt_tokens": 5000})
    assert result.measures["admit"].value == 0
    assert any("late even alone" in warning for warning in result.warnings)


@pytest.mark.parametrize("scv", [0, 1, 4])
def test_the_tail_of_the_formula_is_within_a_fifth_of_a_simulation(scv: int) -> None:
    arguments = {"arrival_rate": 0.7, "service_s": 1, "scv": scv}
    said = value("queueing", "tail_wait_s", **arguments)
    assert said == pytest.approx(
        value("queue_simulation", "p99_s", requests=50_000, **arguments), rel=0.2
    )


def test_residents_that_outgrow_the_cache_are_warned_of() -> None:
    result = CATALOG["littles_law"].call(CATALOG["littles_law"].example)
    assert any("wait in a queue" in warning for warning in result.warnings)
