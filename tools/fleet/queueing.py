"""`queueing`: mean and tail of the wait before a server, and the load that a target allows."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.waiting import Queue, highest_utilisation
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain

LEAST = 1e-6
"""Requests per second and seconds below which an argument is taken for a slip."""


class QueueArguments(Arguments):
    """Arguments of queueing."""

    arrival_rate: float = Field(ge=LEAST, le=1e6, description="Mean arrivals in requests/s")
    service_s: float = Field(
        ge=LEAST, le=1e5, description="Mean time that a server works on a request, in s"
    )
    scv: float = Field(
        default=1.0,
        ge=0,
        le=1000,
        description="Variance of the service time over its mean squared: 0 fixed, 1 exponential",
    )
    servers: int = Field(default=1, ge=1, le=1000, description="Servers that share the queue")
    quantile: float = Field(
        default=0.99, ge=0.5, le=0.9999, description="Share of requests for the tail, e.g. 0.99"
    )
    wait_target_s: float | None = Field(
        default=None,
        ge=LEAST,
        le=1e5,
        description="Longest wait in s at that quantile: the latency target less the service time",
    )


@tool(
    group="queueing",
    example={"arrival_rate": 0.7, "service_s": 1, "wait_target_s": 8},
    drawing=Drawing(
        kind="line",
        title="Wait in the queue against the utilisation",
        x="utilisation",
        x_label="utilisation",
        y_label="seconds",
        series=(Series("mean_wait_s", "mean"), Series("tail_wait_s", "tail")),
        log_y=True,
    ),
)
def queueing(given: QueueArguments) -> Working:
    """Wait before one or more servers: M/G/1 by Pollaczek-Khinchine, M/M/c by Erlang C.

    Wq = rho / (1 - rho) x (1 + SCV) / 2 x service for one server; the tail is exponential with the
    chance to wait and the mean of the formula, exact only for exponential service.
    """
    queue = _stable(given)
    work = Working(
        headline="wait_s",
        source="Pollaczek-Khinchine (1930); Erlang C (1917); Allen-Cunneen for SCV with servers",
    )
    mean = "exact" if given.servers == 1 or given.scv == 1 else "estimate"
    tail = "exact" if given.scv == 1 else "estimate"
    share = f"{plain(given.quantile * 100)} %"
    _put_state(work, queue, mean)
    work.put(
        "tail_wait_s", queue.wait_quantile(given.quantile), "s", f"wait of {share} at most", tail
    )
    if given.wait_target_s is not None:
        _put_target(work, queue, given, tail)
    load = f"{plain(queue.utilisation)}"
    work.formula = (
        f"{load}/(1 - {load}) x (1 + {plain(given.scv)})/2 x {plain(given.service_s)} s"
        if given.servers == 1
        else f"C({given.servers}, {plain(queue.rate * queue.service)}) = {plain(queue.waits)}; x "
        f"{plain(given.service_s)} s / ({given.servers} x (1 - {load})) x "
        f"(1 + {plain(given.scv)})/2"
    ) + f" = {plain(queue.mean_wait)} s"
    work.assume(
        "Poisson arrivals, first come first served, no one leaves; service times independent",
        "the tail was within a fifth of a simulation for SCV 0 to 4 at 50 to 85 % utilisation",
        "an engine that batches serves faster the more wait: take service at the batch that runs",
    )
    if queue.utilisation > 0.9:
        work.warn("above 90 % a small error in the load changes the wait greatly")
    work.table = _rows(queue, given.quantile)
    return work


def _stable(given: QueueArguments) -> Queue:
    queue = Queue(given.arrival_rate, given.service_s, given.scv, given.servers)
    if queue.utilisation >= 1:
        most = given.servers / given.service_s
        raise ToolError(
            "arrival_rate",
            given.arrival_rate,
            f"the queue grows without end: {counted(given.servers, 'server')} serve at most "
            f"{plain(most)} requests/s; a burst that ends is for the tool spike",
        )
    return queue


def _put_state(work: Working, queue: Queue, mean: str) -> None:
    wait = queue.mean_wait
    work.put("wait_s", wait, "s", "mean wait in the queue", mean)
    work.put("utilisation", queue.utilisation, "fraction", "share of the time a server is busy")
    work.put("waits", queue.waits, "fraction", "chance to wait at all")
    work.put("time_s", wait + queue.service, "s", "mean time in the system", mean)
    work.put("waiting", queue.rate * wait, "requests", "mean number that wait (Little)", mean)
    inside = queue.rate * (wait + queue.service)
    work.put("in_system", inside, "requests", "mean number in the system (Little)", mean)


def _put_target(work: Working, queue: Queue, given: QueueArguments, tail: str) -> None:
    target = given.wait_target_s or 0.0
    most = highest_utilisation(
        lambda load: load == 0 or queue.at(load).wait_quantile(given.quantile) <= target
    )
    late = queue.late(target)
    work.put("late", late, "fraction", f"chance to wait longer than {plain(target)} s", tail)
    work.put("max_utilisation", most, "fraction", "utilisation that the target allows", tail)
    rate = most * queue.servers / queue.service
    work.put("max_arrival_rate", rate, "requests/s", "arrivals that the target allows", tail)
    if queue.utilisation > most:
        work.warn(f"the load is above the {plain(most)} that the target allows")


def _rows(queue: Queue, quantile: float) -> list[dict[str, float]]:
    loads = sorted({0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, queue.utilisation})
    queues = [(load, queue.at(load)) for load in loads if load > 0.001]
    return [
        {
            "utilisation": load,
            "arrival_rate": each.rate,
            "mean_wait_s": each.mean_wait,
            "tail_wait_s": each.wait_quantile(quantile),
        }
        for load, each in queues
    ]
