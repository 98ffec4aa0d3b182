"""Batching slots: the same requests under static and under continuous batching, step by step."""

from collections.abc import Sequence
from dataclasses import dataclass

from tools.catalog import CATALOG
from tools.result import Result
from web.figures.canvas import Canvas, Ink
from web.figures.controls import Numbers, Settings, Slider, whole, words
from web.figures.figure import LiveFigure, Number, Shown

POLICIES = ("static", "continuous")


@dataclass(frozen=True, slots=True)
class Run:
    """A request in a slot from `start` to `end`, in iterations."""

    request: str
    slot: int
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Policy:
    """One way of batching: its runs, and the iterations in which a slot is held for nothing."""

    name: str
    iterations: int
    use: float
    runs: tuple[Run, ...]
    idle: tuple[Run, ...]


def show(settings: Settings) -> Shown:
    """Both policies up to the step of the settings."""
    lengths, slots = words(settings, "lengths"), whole(settings, "slots")
    result = CATALOG["static_vs_continuous"].call({"lengths": lengths, "slots": slots})
    static, continuous = policies = [_policy(result, name) for name in POLICIES]
    step = min(whole(settings, "step"), len(result.trace))
    return Shown(
        title="Batch slots, static against continuous",
        said=(
            f"{len(static.runs)} requests through {slots} slots take {static.iterations} "
            f"iterations with static and {continuous.iterations} with continuous batching. "
            f"{_now(step, policies)}"
        ),
        draw=lambda canvas: _draw(canvas, policies, slots, step),
        numbers=tuple(
            number
            for policy in policies
            for number in (
                Number(policy.name, policy.iterations, "iterations"),
                Number(f"slots at work, {policy.name}", policy.use * 100, "%"),
            )
        ),
        columns=(
            "request",
            "tokens",
            "static from",
            "static done",
            "continuous from",
            "continuous done",
        ),
        rows=tuple(
            (a.request, a.end - a.start, a.start, a.end, b.start, b.end)
            for a, b in zip(static.runs, continuous.runs, strict=True)
        ),
        notes=(
            "No iteration gets faster: continuous batching only stops slots from waiting for the "
            "longest of their group. Dashed boxes are slots that are held and do nothing.",
            "All requests wait at the start and prefill is left out. The lengths given are ours: "
            "they yield the counts of the source's figure, which does not state its own.",
        ),
        source=result.source,
        steps=len(result.trace),
    )


def _policy(result: Result, name: str) -> Policy:
    """From the lanes of the last step, which hold everything that happened."""
    runs: list[Run] = []
    idle: list[Run] = []
    lanes = [lane for lane in result.trace[-1].lanes if lane.label.startswith(name)]
    for slot, lane in enumerate(lanes):
        at = 0
        for cell in lane.cells:
            end = at + int(cell.width)
            (runs if cell.text else idle).append(Run(cell.text, slot, at, end))
            at = end
    iterations = int(result.measures[name].value)
    return Policy(
        name=name,
        iterations=iterations,
        use=result.measures[f"{name}_use"].value,
        runs=tuple(sorted(runs, key=lambda run: int(run.request[1:]))),
        # After the last request a slot is empty, not held.
        idle=tuple(run for run in idle if run.end <= iterations),
    )


def _now(step: int, policies: Sequence[Policy]) -> str:
    parts = []
    for policy in policies:
        working = sum(run.start < step <= run.end for run in policy.runs)
        waiting = sum(run.start >= step for run in policy.runs)
        parts.append(f"{policy.name}: {working} at work, {waiting} waiting")
    return f"In iteration {step}, {'; '.join(parts)}."


def _draw(canvas: Canvas, policies: Sequence[Policy], slots: int, step: int) -> float:
    left = 16.0 if canvas.compact else 72.0
    total = max(policy.iterations for policy in policies)
    cell = min(44.0, (canvas.width - left - 14) / total)
    tall = 26 if slots <= 4 else 20
    y = 10.0
    for policy in policies:
        canvas.text((left, y + 14), f"{policy.name}: {policy.iterations} iterations")
        y += 24
        for slot in range(0 if canvas.compact else slots):
            middle = y + slot * tall + tall / 2 + 3
            canvas.text((left - 10, middle), f"slot {slot + 1}", "end", tone="soft", size=12)
        _fill(canvas, policy, (left, y), (cell, tall), step)
        bottom = y + slots * tall
        canvas.line((left, bottom + 4), (left + total * cell, bottom + 4))
        at = left + step * cell
        canvas.line((at, y - 4), (at, bottom + 10), "mark", dashed=True)
        y = bottom + 30
    every = max(1, round(34 / cell))
    for number in range(0, total + 1, every):
        canvas.text((left + number * cell, y - 8), str(number), "middle", tone="soft", size=12)
    return y + 4


def _fill(
    canvas: Canvas,
    policy: Policy,
    corner: tuple[float, float],
    size: tuple[float, int],
    step: int,
) -> None:
    """What has happened filled, the rest of a run faint, what is held for nothing dashed."""
    (left, top), (cell, tall) = corner, size
    for run in policy.idle:
        at = (left + run.start * cell, top + run.slot * tall)
        wide = ((run.end - run.start) * cell - 1, tall - 4)
        canvas.box(at, wide, "none", dashed=True, said="held, nothing to do")
    for run in policy.runs:
        y, height = top + run.slot * tall, tall - 4
        x, whole_width = left + run.start * cell, (run.end - run.start) * cell
        done = min(max(step, run.start), run.end) - run.start
        said = f"{run.request}: iterations {run.start + 1} to {run.end}"
        canvas.box((x, y), (whole_width - 1, height), "soft", said=said)
        if done:
            canvas.box((x, y), (done * cell - 1, height), "one", said=said)
        _name(canvas, run.request, (x, x + done * cell, x + whole_width), y + height / 2 + 5)


def _name(canvas: Canvas, words_: str, ends: tuple[float, float, float], y: float) -> None:
    """The request's name in the filled part or, where that is small, in the faint one."""
    start, now, end = ends
    room = 7.4 * len(words_) + 4
    filled = now - start >= min(room, end - now)
    tone: Ink = "on" if filled else "ink"
    low, high = (start, now) if filled else (now, end)
    if high - low >= room:
        canvas.text(((low + high) / 2, y), words_, "middle", tone=tone, size=12)


FIGURE = LiveFigure(
    slug="batching-slots",
    title="Batching slots",
    lead="Eight requests of different lengths pass through four slots. Step through and see who "
    "waits for whom.",
    controls=(
        Slider("step", "Iteration", 1, 200, 200),
        Slider("slots", "Slots", 2, 8, 4),
        Numbers("lengths", "Tokens of each request", "2,8,2,2,2,2,5,2", 1, 20, 16),
    ),
    show=show,
    stepped="step",
)
