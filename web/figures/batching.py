"""Batching slots: the same requests under static and under continuous batching, step by step."""

from collections.abc import Sequence

from web.figures.canvas import Canvas, Ink
from web.figures.controls import Numbers, Settings, Slider, whole, words
from web.figures.figure import Figure, Number, Shown
from web.figures.slots import Run, busy_share, continuous, iterations, static

Panel = tuple[str, list[Run]]


def show(settings: Settings) -> Shown:
    """Both policies up to the step of the settings."""
    lengths = [int(part) for part in words(settings, "lengths").split(",")]
    slots = whole(settings, "slots")
    held, flowing = static(lengths, slots), continuous(lengths, slots)
    ends = (iterations(held), iterations(flowing))
    step = min(whole(settings, "step"), max(ends))
    saved = ends[0] - ends[1]
    panels: tuple[Panel, Panel] = (("static", held), ("continuous", flowing))
    return Shown(
        title="Batch slots, static against continuous",
        said=(
            f"{len(lengths)} requests through {slots} slots take {ends[0]} iterations with static "
            f"and {ends[1]} with continuous batching: {saved} saved. {_now(step, panels)}"
        ),
        draw=lambda canvas: _draw(canvas, panels, slots, step),
        numbers=(
            Number("static", ends[0], "iterations"),
            Number("continuous", ends[1], "iterations"),
            Number("slots at work, static", busy_share(held, slots) * 100, "%"),
            Number("slots at work, continuous", busy_share(flowing, slots) * 100, "%"),
        ),
        columns=(
            "request",
            "tokens",
            "static from",
            "static done",
            "static slot free",
            "continuous from",
            "continuous done",
        ),
        rows=tuple(
            (f"R{a.request}", lengths[a.request - 1], a.start, a.end, a.left, b.start, b.end)
            for a, b in zip(held, flowing, strict=True)
        ),
        notes=(
            "No iteration gets faster: continuous batching only stops slots from waiting for the "
            "longest of their group. Dashed boxes are slots that are held and do nothing.",
            "All requests wait at the start and prefill is left out. The lengths given are ours: "
            "they yield the counts of the source's figure, which does not state its own.",
        ),
        source="iteration-level scheduling, Orca (OSDI 2022)",
        steps=max(ends),
    )


def _now(step: int, panels: Sequence[Panel]) -> str:
    parts = []
    for name, runs in panels:
        working = sum(run.start < step <= run.end for run in runs)
        waiting = sum(run.start >= step for run in runs)
        parts.append(f"{name}: {working} at work, {waiting} waiting")
    return f"In iteration {step}, {'; '.join(parts)}."


def _draw(canvas: Canvas, panels: Sequence[Panel], slots: int, step: int) -> float:
    left = 16.0 if canvas.compact else 72.0
    total = max(iterations(runs) for _, runs in panels)
    cell = min(44.0, (canvas.width - left - 14) / total)
    tall = 26 if slots <= 4 else 20
    y = 10.0
    for name, runs in panels:
        canvas.text((left, y + 14), f"{name}: {iterations(runs)} iterations")
        y += 24
        for slot in range(slots):
            if not canvas.compact:
                middle = y + slot * tall + tall / 2 + 3
                canvas.text((left - 10, middle), f"slot {slot + 1}", "end", tone="soft", size=12)
        for run in runs:
            _run(canvas, run, (left, y), (cell, tall), step)
        bottom = y + slots * tall
        canvas.line((left, bottom + 4), (left + total * cell, bottom + 4))
        at = left + step * cell
        canvas.line((at, y - 4), (at, bottom + 10), "mark", dashed=True)
        y = bottom + 30
    every = max(1, round(34 / cell))
    for number in range(0, total + 1, every):
        canvas.text((left + number * cell, y - 8), str(number), "middle", tone="soft", size=12)
    return y + 4


def _run(
    canvas: Canvas, run: Run, corner: tuple[float, float], size: tuple[float, float], step: int
) -> None:
    """What has happened filled, the rest of the run faint, what is held for nothing dashed."""
    (left, top), (cell, tall) = corner, size
    y, height = top + run.slot * tall, tall - 4
    done = min(max(step, run.start), run.end)
    x = left + run.start * cell
    said = f"R{run.request}: iterations {run.start + 1} to {run.end}"
    canvas.box((x, y), ((run.end - run.start) * cell - 1, height), "soft", said=said)
    if done > run.start:
        canvas.box((x, y), ((done - run.start) * cell - 1, height), "one", said=said)
    if run.left > run.end:
        idle = (run.left - run.end) * cell - 1
        at = (left + run.end * cell, y)
        canvas.box(at, (idle, height), "none", dashed=True, said=f"held by R{run.request}")
    if (run.end - run.start) * cell >= 22:
        covered = done - run.start > (run.end - run.start) / 2
        middle = x + (run.end - run.start) * cell / 2
        tone: Ink = "on" if covered else "ink"
        canvas.text((middle, y + height / 2 + 5), f"R{run.request}", "middle", tone=tone, size=12)


FIGURE = Figure(
    slug="batching-slots",
    title="Batching slots",
    lead="Eight requests of different lengths pass through four slots. Step through and see who "
    "waits for whom.",
    controls=(
        Slider("step", "Iteration", 0, 640, 640),
        Slider("slots", "Slots", 1, 8, 4),
        Numbers("lengths", "Tokens of each request", "2,8,2,2,2,2,5,2", 1, 40, 16),
    ),
    show=show,
    stepped="step",
)
