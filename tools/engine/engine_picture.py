"""Draws an engine's steps: who waits, who computes a prompt or a token, who was sent back."""

from tools.engine.engine_run import Engine
from tools.engine.requests import Request
from tools.engine.scheduler import Plan
from tools.trace import MOST_LANES, Cell, Lane, Mark, Recording

MARKS: dict[Mark, str] = {
    "held": "in the cache",
    "new": "computed in this step",
    "free": "still to compute",
    "lost": "sent back, its cache lost",
}


class Watching:
    """Records each step before it advances, as long as there is room."""

    def __init__(self, engine: Engine, kind: str) -> None:
        self.recording = Recording()
        self._engine, self._kind = engine, kind

    def see(self, number: int, plan: Plan, start: float, end: float) -> None:
        """Keep one step."""
        if not self.recording.open:
            return
        engine = self._engine
        lanes = [self._running(plan, request) for request in list(engine.running)[:MOST_LANES]]
        lanes += [_sent_back(request) for request in plan.preempted]
        self.recording.add(
            f"Step {number} ({self._kind}), {1000 * start:,.1f} to {1000 * end:,.1f} ms",
            _said(plan, len(engine.running), len(engine.waiting)),
            lanes,
            tokens=plan.total,
            running=len(engine.running),
            waiting=len(engine.waiting),
            free_blocks=engine.slots.free,
        )

    def _running(self, plan: Plan, request: Request) -> Lane:
        new = self._engine.tokens(plan, request)
        computed = self._engine.progress(request)
        left = request.known - request.computed - new if computed == request.computed else 0
        counts: tuple[tuple[int, Mark], ...] = (
            (computed, "held"),
            (new, "new"),
            (left, "free"),
        )
        cells = tuple(Cell(text=f"{n:,}", mark=m, width=n) for n, m in counts if n > 0)
        return Lane(label=f"request {request.id}", cells=cells)


def _sent_back(request: Request) -> Lane:
    cell = Cell(text=f"{request.known:,}", mark="lost", width=request.known)
    return Lane(label=f"request {request.id}", cells=(cell,))


def _said(plan: Plan, running: int, waiting: int) -> str:
    parts = [f"{plan.total:,} tokens for {running:,} running requests, {waiting:,} waiting"]
    if plan.admitted:
        parts.append(f"admitted {', '.join(r.id for r in plan.admitted[:8])}")
    if plan.preempted:
        parts.append(f"preempted {', '.join(r.id for r in plan.preempted[:8])}")
    if plan.padding:
        parts.append(f"{plan.padding:,} slots of ended requests idle")
    return f"{'; '.join(parts)}."
