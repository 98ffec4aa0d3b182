"""`spike`: what a burst above capacity leaves behind, with every request taken and with a bound."""

from dataclasses import dataclass

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class SpikeArguments(Arguments):
    """Arguments of spike."""

    capacity_per_s: float = Field(ge=1e-6, le=1e9, description="Requests/s that can be served")
    base_per_s: float = Field(ge=0, le=1e9, description="Arrivals in requests/s outside the spike")
    spike_per_s: float = Field(ge=0, le=1e9, description="Arrivals in requests/s in the spike")
    spike_s: float = Field(ge=1e-3, le=1e6, description="Length of the spike in s")
    deadline_s: float = Field(
        ge=1e-3, le=1e6, description="Longest wait in s after which nobody wants the answer"
    )
    retries: float = Field(
        default=0, ge=0, le=100, description="Times that a client tries a refused request again"
    )


@dataclass(frozen=True)
class Fluid:
    """The burst as a fluid: rates in requests/s, times in s from its start."""

    capacity: float
    base: float
    peak: float
    length: float

    @property
    def backlog(self) -> float:
        """Requests that wait when the burst ends."""
        return max(0.0, self.peak - self.capacity) * self.length

    @property
    def drain(self) -> float:
        """Seconds after the burst until nobody waits."""
        return self.backlog / (self.capacity - self.base)

    def reached(self, level: float) -> float:
        """Time at which the backlog rises over `level`, if it ever does."""
        return level / (self.peak - self.capacity)

    def at(self, time: float) -> float:
        """Backlog at a time, with every request taken."""
        if time <= self.length:
            return max(0.0, self.peak - self.capacity) * time
        return max(0.0, self.backlog - (self.capacity - self.base) * (time - self.length))


@tool(
    group="queueing",
    example={
        "capacity_per_s": 100,
        "base_per_s": 80,
        "spike_per_s": 150,
        "spike_s": 60,
        "deadline_s": 10,
    },
    drawing=Drawing(
        kind="line",
        title="Requests that wait, during and after the spike",
        x="time_s",
        x_label="seconds since the spike began",
        y_label="requests",
        series=(Series("all_taken", "all taken"), Series("bounded", "bounded queue")),
    ),
)
def spike(given: SpikeArguments) -> Working:
    """Backlog, drain time and dead work of a burst, and the queue bound that avoids them.

    Fluid: backlog = (spike - capacity) x length, drained at capacity - base. First come first
    served, so whoever waits beyond the deadline is served in vain; the bound is capacity x
    deadline.
    """
    if given.base_per_s >= given.capacity_per_s:
        raise ToolError(
            "base_per_s", given.base_per_s, "must be below capacity_per_s, or nothing ever drains"
        )
    flow = Fluid(given.capacity_per_s, given.base_per_s, given.spike_per_s, given.spike_s)
    work = Working(headline="drain_s", source="fluid model of a queue")
    wait = flow.backlog / flow.capacity
    work.put("drain_s", flow.drain, "s", "time after the spike until the queue is empty")
    work.put("backlog", flow.backlog, "requests", "waiting when the spike ends, all taken")
    work.put("peak_wait_s", wait, "s", "longest wait, all taken")
    _put_bound(work, flow, given)
    work.formula = (
        f"({plain(flow.peak)} - {plain(flow.capacity)}) x {plain(flow.length)} s = "
        f"{plain(flow.backlog)} requests; / ({plain(flow.capacity)} - {plain(flow.base)}) = "
        f"{plain(flow.drain)} s"
    )
    work.assume(
        "rates as a fluid without chance; capacity does not fall under load",
        "a dead request costs as much as a live one, unless it is dropped before it is served",
    )
    if not flow.backlog:
        work.warn("the spike stays within the capacity: on the mean no queue forms")
    work.table = _rows(flow, flow.capacity * given.deadline_s)
    return work


def _put_bound(work: Working, flow: Fluid, given: SpikeArguments) -> None:
    limit = flow.capacity * given.deadline_s
    over = flow.backlog > limit
    first = flow.reached(limit) if over else flow.length
    last = flow.length + (flow.backlog - limit) / (flow.capacity - flow.base) if over else first
    dead = flow.capacity * (last - first)
    refused = (flow.peak - flow.capacity) * (flow.length - first) if over else 0.0
    until = last + given.deadline_s - flow.length if over else 0.0
    work.put("queue_limit", limit, "requests", "longest queue whose last request is in time")
    work.put("dead", dead, "requests", "served too late, all taken")
    work.put("dead_until_s", until, "s", "time after the spike while dead requests are served")
    work.put("refused", refused, "requests", "refused at once with the bound; none is late")
    arrived = flow.peak * flow.length
    share = refused / arrived if arrived else 0.0
    work.put("refused_share", share, "fraction", "of the spike's requests, with the bound")
    retried = flow.peak + (refused / flow.length) * given.retries
    work.put("offered_per_s", retried, "requests/s", "arrivals in the spike with the retries")
    retry = limit / (flow.capacity - flow.base) if over else 0.0
    work.put("retry_after_s", retry, "s", "Retry-After: time in which the full bound drains")
    if given.retries and refused:
        work.warn("retries within the spike are refused too: back off, with jitter, past its end")


def _rows(flow: Fluid, limit: float) -> list[dict[str, float]]:
    end = flow.length + max(flow.drain, flow.length / 4)
    bounded = Fluid(flow.capacity, flow.base, flow.peak, flow.length)
    rows = []
    for number in range(41):
        time = end * number / 40
        after = max(0.0, time - flow.length)
        kept = min(limit, bounded.at(min(time, flow.length))) - (flow.capacity - flow.base) * after
        rows.append({"time_s": time, "all_taken": flow.at(time), "bounded": max(0.0, kept)})
    return rows
