"""`queue_simulation`: a seeded run of the queue that `queueing` reckons, against its formula."""

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from heapq import heapreplace
from itertools import accumulate
from math import sqrt
from random import Random
from statistics import fmean, stdev

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.bar import bar, row
from tools.fleet.queueing import LEAST
from tools.fleet.waiting import Queue
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Lane, Recording
from tools.working import Working, plain

BATCHES = 25
"""Batches of successive waits, whose means are nearly independent of each other."""
SINGLY, STAGES = 40, 40
"""Requests that are shown one by one at the start, and stages of the whole run after them."""


class QueueSimulationArguments(Arguments):
    """Arguments of queue_simulation."""

    arrival_rate: float = Field(ge=LEAST, le=1e6, description="Mean arrivals in requests/s")
    service_s: float = Field(ge=LEAST, le=1e5, description="Mean service time in s")
    scv: float = Field(
        default=1.0,
        ge=0,
        le=100,
        description="Variance of the service time over its mean squared (gamma distributed)",
    )
    servers: int = Field(default=1, ge=1, le=200, description="Servers that share the queue")
    requests: int = Field(
        default=20_000, ge=1000, le=50_000, description="Requests that are simulated"
    )
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of the random numbers")


@tool(
    group="queueing",
    example={"arrival_rate": 0.7, "service_s": 1, "scv": 1, "requests": 20000, "seed": 1},
    drawing=Drawing(
        kind="line",
        title="Mean wait so far, and the formula",
        x="requests",
        x_label="requests served",
        y_label="seconds",
        series=(Series("mean_wait_s", "simulated"), Series("formula_s", "formula")),
    ),
    marks={**MARKS, "held": "busy", "free": "idle", "new": "waiting", "shared": "mean wait"},
)
def queue_simulation(given: QueueSimulationArguments) -> Working:
    """Simulate a first-come-first-served queue and hold it against the formula.

    Poisson arrivals, gamma service of the given mean and SCV, same seed same run. The first tenth
    is left out; the standard error is that of batch means, so neighbours' likeness counts.
    """
    queue = Queue(given.arrival_rate, given.service_s, given.scv, given.servers)
    if queue.utilisation >= 1:
        most = given.servers / given.service_s
        raise ToolError(
            "arrival_rate", given.arrival_rate, f"must be below {plain(most)} requests/s"
        )
    recording = Recording()
    waits = _run(queue, given, recording)
    steady = waits[given.requests // 10 :]
    work = Working(headline="wait_s", source="discrete-event simulation; batch means (Law, 2015)")
    mean, error = fmean(steady), standard_error(steady)
    work.put("wait_s", mean, "s", "mean wait, simulated", "estimate")
    work.put("standard_error_s", error, "s", "standard error of that mean", "estimate")
    kind = "exact" if given.servers == 1 or given.scv == 1 else "estimate"
    work.put("formula_s", queue.mean_wait, "s", "mean wait by the formula", kind)
    apart = (mean - queue.mean_wait) / error if error else 0.0
    work.put("standard_errors", apart, "standard errors", "simulation less formula", "estimate")
    ordered = sorted(steady)
    for name, share in (("p50_s", 0.5), ("p95_s", 0.95), ("p99_s", 0.99)):
        wait = nearest_rank(ordered, share)
        work.put(name, wait, "s", f"wait of {plain(share * 100)} % at most", "estimate")
    work.put("utilisation", queue.utilisation, "fraction", "share of the time a server is busy")
    work.formula = (
        f"{plain(mean)} ± {plain(error)} s over {len(steady):,} requests; "
        f"formula {plain(queue.mean_wait)} s, {plain(apart)} standard errors apart"
    )
    work.assume(
        f"seed {given.seed}; gamma service; the first {given.requests // 10:,} left out",
        f"steps: the first {SINGLY} requests, then every {given.requests // STAGES:,}th",
    )
    if queue.utilisation > 0.9:
        work.warn("above 90 % waits hang together for long: the error is likely understated")
    work.table = _rows(waits, queue.mean_wait)
    work.show(recording)
    return work


def _run(queue: Queue, given: QueueSimulationArguments, recording: Recording) -> list[float]:
    """The wait of each request in order of arrival, in seconds, from an empty start."""
    waits: list[float] = []
    starts: list[float] = []
    total, every = 0.0, given.requests // STAGES
    for number, (now, wait, free) in enumerate(_served(queue, given.requests, given.seed), 1):
        waits.append(wait)
        starts.append(now + wait)
        total += wait
        if number <= SINGLY or number % every == 0:
            busy = sum(until > now for until in free)
            # First come, first served: the starts are in order.
            waiting = number - bisect_right(starts, now)
            lanes = _lanes(queue, busy, waiting, total / number)
            title = f"request {number:,} comes at {plain(now)} s"
            numbers = {"waiting": waiting, "wait_s": wait, "mean_wait_s": total / number}
            recording.add(title, _said(wait, waiting, queue), lanes, **numbers)
    return waits


def _served(
    queue: Queue, requests: int, seed: int
) -> Iterator[tuple[float, float, Sequence[float]]]:
    """Of each request the time it comes, its wait, and when each server was to be free; in s."""
    random = Random(seed)
    free, now = [0.0] * queue.servers, 0.0
    for _ in range(requests):
        now += random.expovariate(queue.rate)
        start = max(now, free[0])
        yield now, start - now, free
        heapreplace(free, start + _service(random, queue))


def _said(wait: float, waiting: int, queue: Queue) -> str:
    if not wait:
        return f"It finds {'the server' if queue.servers == 1 else 'a server'} idle and begins."
    return f"It waits {plain(wait)} s; {waiting:,} in the line, itself included."


def _lanes(queue: Queue, busy: int, waiting: int, mean: float) -> list[Lane]:
    """The servers as the request finds them, the line with it, both means to one scale."""
    servers, idle = row("servers", busy, "held"), row("", queue.servers - busy, "free")
    scale = 2 * queue.mean_wait
    return [
        Lane(label=servers.label, cells=servers.cells + idle.cells),
        row("waiting", waiting, "new"),
        bar("simulated", mean, scale, "shared", "s"),
        bar("formula", queue.mean_wait, scale, "shared", "s"),
    ]


def _service(random: Random, queue: Queue) -> float:
    if queue.scv == 0:
        return queue.service
    if queue.scv == 1:
        return random.expovariate(1 / queue.service)
    return random.gammavariate(1 / queue.scv, queue.service * queue.scv)


def standard_error(waits: Sequence[float]) -> float:
    """Standard error of the mean of a correlated series, in its unit, by batch means."""
    size = len(waits) // BATCHES
    means = [fmean(waits[size * n : size * (n + 1)]) for n in range(BATCHES)]
    return stdev(means) / sqrt(BATCHES)


def _rows(waits: Sequence[float], formula: float) -> list[dict[str, float]]:
    sums = list(accumulate(waits))
    step = max(1, len(waits) // 40)
    return [
        {"requests": n, "mean_wait_s": sums[n - 1] / n, "formula_s": formula}
        for n in range(step, len(waits) + 1, step)
    ]
