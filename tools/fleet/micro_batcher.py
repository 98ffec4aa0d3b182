"""`micro_batcher`: a seeded run of request-level batching with a bounded queue and deadlines."""

from collections import deque
from collections.abc import Sequence
from itertools import accumulate
from random import Random
from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.bar import row
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.trace import MARKS, Recording
from tools.working import Working, counted, plain

SHOWN = 200
"""Batches that the table holds."""


class BatcherArguments(Arguments):
    """Arguments of micro_batcher."""

    requests_per_s: float = Field(ge=0.01, le=1e6, description="Poisson arrivals in requests/s")
    requests: int = Field(default=2000, ge=1, le=20_000, description="Requests that arrive")
    max_batch: int = Field(
        default=32, ge=1, le=4096, description="Requests at which a batch leaves"
    )
    max_wait_ms: float = Field(
        default=10, ge=0, le=1e5, description="Wait in ms after which it leaves unfilled"
    )
    max_queue: int = Field(default=256, ge=1, le=100_000, description="Requests that may wait")
    deadline_ms: float = Field(
        default=30_000, ge=0.1, le=1e7, description="Time in ms after which a caller gives up"
    )
    base_ms: float = Field(default=15, ge=0.001, le=1e5, description="Time of any batch in ms")
    per_item_ms: float = Field(
        default=0.5, ge=0, le=1e5, description="Time that each request adds to a batch, in ms"
    )
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of the arrivals")


@tool(
    group="quota_fairness",
    example={"requests_per_s": 1500, "requests": 2000},
    drawing=Drawing(
        kind="line",
        title="Requests in each batch, and those that wait behind it",
        x="start_ms",
        x_label="ms since the start",
        y_label="requests",
        series=(Series("size", "in the batch"), Series("waiting", "waiting")),
    ),
    marks={**MARKS, "new": "in the batch", "held": "waiting", "lost": "refused or gave up"},
)
def micro_batcher(given: BatcherArguments) -> Working:
    """Simulate batching by size and time before a model that runs one fixed batch per call.

    A batch leaves when it is full or its first request has waited long enough; a full queue
    refuses at once; whoever has given up is skipped. For embedders and rerankers: in front of a
    generation engine drop the wait and let the engine batch.
    """
    random = Random(given.seed)
    gaps = (random.expovariate(given.requests_per_s) * 1e3 for _ in range(given.requests))
    run = _Run(given, list(accumulate(gaps)))
    run.all()
    work = Working(headline="capacity_per_s", source="discrete-event simulation")
    full = given.base_ms + given.max_batch * given.per_item_ms
    capacity = given.max_batch / full * 1e3
    work.put("capacity_per_s", capacity, "requests/s", "served in full batches", "ceiling")
    work.put("served", len(run.latencies), "requests", "served in time", "count")
    work.put("shed", run.shed, "requests", "refused at admission", "count")
    work.put("expired", run.expired, "requests", "gave up before their batch began", "count")
    work.put("late", run.late, "requests", "computed in vain: they gave up meanwhile", "count")
    if run.latencies:
        ordered = sorted(run.latencies)
        for name, share in (("p50_ms", 0.5), ("p99_ms", 0.99)):
            said = f"latency of {plain(share * 100)} % of the served at most"
            work.put(name, nearest_rank(ordered, share), "ms", said, "estimate")
    turns = -(-given.max_queue // given.max_batch) + 2
    longest = turns * full + given.max_wait_ms
    work.put("latency_bound_ms", longest, "ms", "no served request takes longer", "ceiling")
    work.put("mean_batch", run.sizes / run.batches, "requests", "in a batch", "estimate")
    work.formula = (
        f"{given.max_batch} / ({plain(given.base_ms)} + {given.max_batch} x "
        f"{plain(given.per_item_ms)}) ms = {plain(capacity)} requests/s"
    )
    work.assume(
        f"seed {given.seed}; one worker, whose wait begins when it is free and a request is there",
        "the bound of the queue does not count the batch being filled",
    )
    if given.requests_per_s > capacity:
        work.warn("more arrive than full batches serve: the bound of the queue keeps latency")
    work.table = run.table
    _record(work, run, given)
    return work


def _record(work: Working, run: "_Run", given: BatcherArguments) -> None:
    """One step for each batch: who is in it, who waits behind it, who was refused meanwhile."""
    recording = Recording()
    recording.left_out = run.batches - len(run.table)
    for number, each in enumerate(run.table, 1):
        if not recording.open:
            continue
        lanes = [
            row("in the batch", each["size"], "new"),
            row("gave up", each["expired"], "lost"),
            row("waiting", each["waiting"], "held"),
            row("refused", each["shed"], "lost"),
        ]
        said = (
            f"{counted(each['size'], 'request')} for {plain(each['ms'])} ms; then "
            f"{each['waiting']:,} of {given.max_queue:,} wait, {each['shed']:,} were refused"
        )
        title = f"batch {number:,} at {plain(each['start_ms'])} ms"
        recording.add(title, said, lanes, waiting=each["waiting"])
    work.show(recording)


class _Run:
    """The worker and its queue; times in ms."""

    def __init__(self, given: BatcherArguments, arrivals: Sequence[float]) -> None:
        self.given, self.arrivals = given, arrivals
        self.next_in, self.now = 0, 0.0
        self.queue: deque[float] = deque()
        self.latencies: list[float] = []
        self.shed = self.expired = self.late = self.batches = self.sizes = 0
        self.table: list[dict[str, Any]] = []

    def all(self) -> None:
        """Serve until no request is left."""
        while self.queue or self.next_in < len(self.arrivals):
            batch = self._collect()
            live = [at for at in batch if self.now - at <= self.given.deadline_ms]
            self._serve(live, len(batch) - len(live))

    def _collect(self) -> list[float]:
        """Take what waits, then wait for more until the batch is full or the time is up."""
        given = self.given
        if not self.queue:
            self.now = max(self.now, self.arrivals[self.next_in])
        end = self.now + given.max_wait_ms
        batch = [self.queue.popleft() for _ in range(min(given.max_batch, len(self.queue)))]
        while len(batch) < given.max_batch and self._arrived(end):
            batch.append(self.arrivals[self.next_in])
            self.next_in += 1
        self.now = max(self.now, batch[-1]) if len(batch) == given.max_batch else end
        return batch

    def _serve(self, live: Sequence[float], expired: int) -> None:
        start, shed = self.now, self.shed
        self.expired += expired
        if live:
            self.now += self.given.base_ms + len(live) * self.given.per_item_ms
        while self._arrived(self.now):
            if len(self.queue) < self.given.max_queue:
                self.queue.append(self.arrivals[self.next_in])
            else:
                self.shed += 1
            self.next_in += 1
        times = [self.now - at for at in live]
        self.latencies += [time for time in times if time <= self.given.deadline_ms]
        self.late += sum(time > self.given.deadline_ms for time in times)
        self.batches, self.sizes = self.batches + 1, self.sizes + len(live)
        if len(self.table) < SHOWN:
            part = {"start_ms": start, "size": len(live), "waiting": len(self.queue)}
            more = {"shed": self.shed - shed, "expired": expired, "ms": self.now - start}
            self.table.append({**part, **more})

    def _arrived(self, time: float) -> bool:
        return self.next_in < len(self.arrivals) and self.arrivals[self.next_in] <= time
