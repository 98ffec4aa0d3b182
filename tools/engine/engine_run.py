"""Runs a scheduler over requests in time: steps with a duration, and what its users felt.

Knows arrivals, step times and percentiles; who computes what is the scheduler's.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import ceil

from tools.engine.requests import Request
from tools.engine.scheduler import Plan, Scheduler
from tools.engine.static_batches import StaticBatches
from tools.result import ToolError

Engine = Scheduler | StaticBatches
Watch = Callable[[int, Plan, float, float], None]
"""Called with a step's number, plan, start and end, before it advances."""

MOST_STEPS, MOST_WORK = 400_000, 2_000_000
"""Steps of a run, and requests or blocks looked at one by one over all its steps."""
MOST_ROWS = 240


@dataclass(frozen=True)
class StepTime:
    """Milliseconds of a step: reads or arithmetic, whichever is longer, and the host's part."""

    weights_ms: float
    kv_ms_per_1k: float
    compute_ms_per_1k: float
    host_ms: float = 0.0
    overlapped: bool = False

    def seconds(self, plan: Plan) -> float:
        """How long a step takes; overlapped, the host works while the GPU does."""
        reads = self.weights_ms + self.kv_ms_per_1k * plan.context / 1000
        gpu = max(reads, self.compute_ms_per_1k * plan.total / 1000)
        return (max(gpu, self.host_ms) if self.overlapped else gpu + self.host_ms) / 1000


@dataclass
class Samples:
    """State over time, thinned to a bounded number of rows."""

    rows: list[dict[str, float]] = field(default_factory=list)
    every: int = 1

    def keep(self, step: int, engine: Engine, at: float) -> None:
        """Keep each `every`-th step; twice as many are skipped whenever the rows are full."""
        if step % self.every:
            return
        slots = engine.slots
        self.rows.append(
            {
                "step": step,
                "time_s": at,
                "running": len(engine.running),
                "waiting": len(engine.waiting),
                "used_blocks": slots.usable - slots.free,
            }
        )
        if len(self.rows) > MOST_ROWS:
            self.rows = self.rows[::2]
            self.every *= 2


@dataclass
class Outcome:
    """A finished run."""

    requests: Sequence[Request]
    steps: int = 0
    seconds: float = 0.0
    preemptions: int = 0
    busy: float = 0.0
    """Seconds in which a step ran."""
    peak_blocks: int = 0
    peak_running: int = 0
    computed: int = 0
    """Tokens computed, recomputed and wasted ones included."""
    samples: Samples = field(default_factory=Samples)


def run(
    engine: Engine, requests: Sequence[Request], step_time: StepTime, watch: Watch | None = None
) -> Outcome:
    """All requests to their end. ToolError where one can never fit or the run is too long."""
    arrivals = sorted(requests, key=lambda request: request.arrival)
    _check(engine, requests)
    outcome = Outcome(arrivals)
    now, work, came, stuck = 0.0, 0, 0, 0
    while came < len(arrivals) or not engine.idle:
        while came < len(arrivals) and arrivals[came].arrival <= now:
            engine.add(arrivals[came])
            came += 1
        if engine.idle:
            now = arrivals[came].arrival
            continue
        plan = engine.schedule()
        spent = step_time.seconds(plan) if plan.total else 0.0
        stuck = 0 if plan.total else stuck + 1
        if watch:
            watch(outcome.steps + 1, plan, now, now + spent)
        _note(outcome, engine, plan, spent)
        now += spent
        engine.advance(plan, now)
        work += len(plan.tokens)
        outcome.samples.keep(outcome.steps, engine, now)
        tired = work + engine.slots.effort // 8 > MOST_WORK
        if stuck > 3 or outcome.steps > MOST_STEPS or tired:
            raise ToolError("requests", f"step {outcome.steps:,}", _too_long(stuck))
    outcome.seconds = now
    return outcome


def _note(outcome: Outcome, engine: Engine, plan: Plan, spent: float) -> None:
    outcome.steps += 1
    outcome.busy += spent
    outcome.computed += plan.total
    outcome.preemptions += len(plan.preempted)
    used = engine.slots.usable - engine.slots.free
    if used > outcome.peak_blocks:
        outcome.peak_blocks = used
    if len(engine.running) > outcome.peak_running:
        outcome.peak_running = len(engine.running)


def _too_long(stuck: int) -> str:
    if stuck > 3:
        return "nothing can be scheduled any more: give more blocks or a lower watermark"
    return "the run is too long to simulate: fewer or shorter requests, or a larger budget"


def _check(engine: Engine, requests: Sequence[Request]) -> None:
    size, usable = engine.slots.size, engine.slots.usable
    extra = int(engine.rules.overlapped and engine.rules.stop_unknown)
    for request in requests:
        need = -(-(request.prompt + request.output + extra) // size)
        if need > usable:
            raise ToolError(
                "blocks",
                usable + 1,
                f"request {request.id} needs {need:,} blocks at its end, {usable:,} are usable",
            )
        if not engine.rules.chunked and request.prompt + request.output > engine.rules.budget:
            raise ToolError(
                "budget",
                engine.rules.budget,
                f"without chunked prefill it must hold request {request.id} of "
                f"{request.prompt + request.output:,} tokens in a step",
            )


def weighted_percentile(gaps: Sequence[tuple[float, int]], share: float) -> float:
    """Nearest rank over values with counts; 0 without any."""
    rank = ceil(round(share * sum(count for _, count in gaps), 9))
    passed = 0
    for value, count in sorted(gaps):
        passed += count
        if count and passed >= rank:
            return value
    return 0.0
