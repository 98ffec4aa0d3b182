"""`span_attribution`: charges every moment of a window to one name, so that the parts add up."""

from itertools import pairwise
from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Cell, Lane, Recording
from tools.working import Working, plain


class Span(Arguments):
    """One span of a trace."""

    name: str = Field(min_length=1, max_length=60, description="What ran, e.g. forward or sample")
    start_ms: float = Field(ge=0, le=1e10, description="Start in ms")
    end_ms: float = Field(ge=0, le=1e10, description="End in ms")


class SpanArguments(Arguments):
    """Arguments of span_attribution."""

    spans: list[Span] = Field(
        min_length=1, max_length=500, description="Spans on one clock: name, start_ms, end_ms"
    )
    order: list[str] | None = Field(
        default=None,
        max_length=50,
        description="Names by right to a shared moment, first wins, e.g. GPU before host",
    )
    from_ms: float | None = Field(default=None, ge=0, le=1e10, description="Window's start in ms")
    until_ms: float | None = Field(default=None, ge=0, le=1e10, description="Window's end in ms")


@tool(
    group="telemetry",
    example={
        "spans": [
            {"name": "forward", "start_ms": 0, "end_ms": 12},
            {"name": "schedule next", "start_ms": 8, "end_ms": 13.5},
            {"name": "sample", "start_ms": 12, "end_ms": 12.8},
            {"name": "grammar mask", "start_ms": 13.5, "end_ms": 18},
            {"name": "forward", "start_ms": 19, "end_ms": 31},
        ],
        "order": ["forward", "sample", "grammar mask", "schedule next"],
    },
    drawing=Drawing(
        kind="bars",
        title="Time that each name alone accounts for, and what nothing does",
        x="name",
        x_label="name",
        y_label="ms",
        series=(Series("exposed_ms", "exposed"), Series("hidden_ms", "hidden")),
    ),
    marks={
        **MARKS,
        "free": "nothing runs",
        "held": "runs",
        "new": "accounts for this time",
    },
)
def span_attribution(given: SpanArguments) -> Working:
    """Exposed and hidden time of each name in a trace; exposed parts and gaps make the window.

    Where spans overlap, the moment is charged to the first of them in the order given; the rest is
    hidden. Shortening a name helps by at most its exposed time.
    """
    order = _order(given)
    low, high = _window(given)
    rows: dict[str, dict[str, Any]] = {
        name: {"name": name, "exposed_ms": 0.0, "hidden_ms": 0.0} for name in order
    }
    idle, recording = 0.0, Recording()
    spans = {name: [s for s in given.spans if s.name == name] for name in order}
    edges = sorted({low, high, *(t for s in given.spans for t in (s.start_ms, s.end_ms))})
    for start, end in pairwise(edges):
        if start < low or end > high:
            continue
        active = [n for n in order if _runs(spans[n], start, end)]
        for place, name in enumerate(active):
            rows[name]["exposed_ms" if place == 0 else "hidden_ms"] += end - start
        idle += 0.0 if active else end - start
        _record(recording, (start, end), active, order)
    work = Working(headline="idle_ms", source="sweep over the edges of the spans")
    _put(work, [*rows.values()], idle, high - low)
    work.table = [*rows.values(), {"name": "(nothing)", "exposed_ms": idle, "hidden_ms": 0.0}]
    work.show(recording)
    return work


def _order(given: SpanArguments) -> list[str]:
    names = list(dict.fromkeys(span.name for span in given.spans))
    if len(names) > 40:
        raise ToolError("spans", len(names), "more than 40 names: group them first")
    for number, span in enumerate(given.spans):
        if span.end_ms < span.start_ms:
            raise ToolError(f"spans.{number}.end_ms", span.end_ms, "is before its start")
    if given.order is None:
        return names
    unknown = [name for name in given.order if name not in names]
    if unknown or len(set(given.order)) < len(given.order):
        wrong = unknown[0] if unknown else given.order
        raise ToolError(
            "order", wrong, f"is no name of a span, or twice; names: {', '.join(names)}"
        )
    return [*given.order, *(name for name in names if name not in given.order)]


def _window(given: SpanArguments) -> tuple[float, float]:
    starts, ends = zip(*((span.start_ms, span.end_ms) for span in given.spans), strict=True)
    low = min(starts) if given.from_ms is None else given.from_ms
    high = max(ends) if given.until_ms is None else given.until_ms
    if high <= low:
        raise ToolError("until_ms", given.until_ms, f"the window from {plain(low)} ms on is empty")
    return low, high


def _runs(spans: list[Span], start: float, end: float) -> bool:
    return any(s.start_ms <= start and s.end_ms >= end for s in spans)


def _record(
    recording: Recording, part: tuple[float, float], active: list[str], order: list[str]
) -> None:
    if not recording.open:
        return
    start, end = part
    lanes = [
        Lane(label=name[:16], cells=(Cell(text="", mark="held" if place else "new", width=4),))
        for place, name in enumerate(active)
    ]
    said = f"charged to {active[0]}" if active else "nothing runs"
    title = f"{plain(start)} to {plain(end)} ms"
    empty = [Lane(label="(nothing)", cells=(Cell(text="", mark="free", width=4),))]
    recording.add(title, said, lanes or empty, ms=end - start)


def _put(work: Working, rows: list[dict[str, Any]], idle: float, window: float) -> None:
    work.put("idle_ms", idle, "ms", "that no span accounts for")
    work.put("window_ms", window, "ms", "window")
    work.put("idle_share", idle / window, "fraction", "of the window")
    hidden = sum(row["hidden_ms"] for row in rows)
    work.put("hidden_ms", hidden, "ms", "hidden behind other spans")
    largest = max(rows, key=lambda row: row["exposed_ms"])
    work.put("largest_ms", largest["exposed_ms"], "ms", f"largest exposed: {largest['name']}")
    parts = " + ".join(f"{row['name']} {plain(row['exposed_ms'])}" for row in rows)
    work.formula = f"{parts} + nothing {plain(idle)} = {plain(window)} ms"
    work.assume("all spans are on one clock; spans of one name that overlap count once")
    if idle > window / 10:
        work.warn("over a tenth is not accounted for: there are spans missing from this trace")
