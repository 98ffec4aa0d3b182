"""Plots as SVG text: pure functions of numbers. Each stands beside a table with the same numbers.

Colours are the page's own variables, so that they follow light and dark.
"""

from collections.abc import Callable, Sequence
from html import escape
from typing import NamedTuple

WIDTH = 720
LABEL = 250
ROW = 26
AXIS = 34
CELL = 44
Scale = Callable[[float], float]


class Bar(NamedTuple):
    """One interval: a label, the point (or None), both bounds, and marks to hold it against."""

    label: str
    value: float | None
    low: float | None
    high: float | None
    floor: float | None = None
    ceiling: float | None = None


def intervals(bars: Sequence[Bar], title: str, low: float = 0.0, high: float = 1.0) -> str:
    """Points with their intervals on one scale; a floor is a bar, a ceiling a hollow mark."""
    height = ROW * len(bars) + AXIS

    def x(value: float) -> float:
        share = (min(high, max(low, value)) - low) / (high - low)
        return LABEL + share * (WIDTH - LABEL - 20)

    body = [_grid(x, low, high, height)]
    for index, bar in enumerate(bars):
        body.append(_interval(bar, x, index * ROW + ROW / 2))
    return _svg(WIDTH, height, title, "".join(body))


def confusion(counts: Sequence[Sequence[int]], labels: Sequence[str], title: str) -> str:
    """Counts by row (expected) and column (found); the darker, the larger a share of its row."""
    size = len(labels)
    edge = 30
    cells = []
    for row, line in enumerate(counts):
        total = sum(line) or 1
        cells.append(_text(edge - 8, edge + row * CELL + CELL / 2 + 4, labels[row], "end"))
        cells.append(_text(edge + row * CELL + CELL / 2, edge - 8, labels[row], "middle"))
        cells.extend(
            _cell(edge + column * CELL, edge + row * CELL, count, count / total, row == column)
            for column, count in enumerate(line)
        )
    return _svg(edge + size * CELL + 4, edge + size * CELL + 4, title, "".join(cells))


def flips(both: int, only_before: int, only_now: int, neither: int, title: str) -> str:
    """One bar of all shared cases: passed in both, lost, won, passed in neither."""
    parts = (("both", both), ("lost", only_before), ("won", only_now), ("neither", neither))
    total = sum(count for _, count in parts) or 1
    at, body = 0.0, []
    for name, count in parts:
        width = count / total * WIDTH
        body.append(f'<rect class="{name}" x="{at:.1f}" y="2" width="{width:.1f}" height="20"/>')
        if width > 16:
            body.append(_text(at + width / 2, 16, str(count), "middle", f"on-{name}"))
        at += width
    return _svg(WIDTH, 24, title, "".join(body))


def _grid(x: Scale, low: float, high: float, height: float) -> str:
    lines = []
    for step in range(6):
        value = low + (high - low) * step / 5
        at = f"{x(value):.1f}"
        lines.append(f'<line class="grid" x1="{at}" x2="{at}" y1="0" y2="{height - AXIS}"/>')
        lines.append(_text(x(value), height - AXIS + 18, f"{value:.1f}", "middle", "axis"))
    return "".join(lines)


def _interval(bar: Bar, x: Scale, y: float) -> str:
    parts = [_text(LABEL - 12, y + 4, bar.label, "end")]
    if bar.floor is not None:
        at = f"{x(bar.floor):.1f}"
        parts.append(
            f'<line class="floor" x1="{at}" x2="{at}" y1="{y - 10:.1f}" y2="{y + 10:.1f}"/>'
        )
    if bar.ceiling is not None:
        parts.append(f'<circle class="ceiling" cx="{x(bar.ceiling):.1f}" cy="{y:.1f}" r="4"/>')
    if bar.low is not None and bar.high is not None:
        parts.append(
            f'<line class="interval" x1="{x(bar.low):.1f}" x2="{x(bar.high):.1f}" '
            f'y1="{y:.1f}" y2="{y:.1f}"/>'
        )
    if bar.value is not None:
        parts.append(f'<circle class="point" cx="{x(bar.value):.1f}" cy="{y:.1f}" r="4"/>')
    return "".join(parts)


def _cell(x: float, y: float, count: int, share: float, diagonal: bool) -> str:
    kind = "agree" if diagonal else "differ"
    ink = "on-dark" if share > 0.55 else ""
    return (
        f'<rect class="cell {kind}" x="{x}" y="{y}" width="{CELL - 2}" height="{CELL - 2}" '
        f'fill-opacity="{0.06 + 0.94 * share:.2f}"/>'
        + _text(x + CELL / 2 - 1, y + CELL / 2 + 4, str(count), "middle", ink)
    )


def _text(x: float, y: float, text: str, anchor: str, kind: str = "") -> str:
    named = f' class="{kind}"' if kind else ""
    return f'<text{named} x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _svg(width: float, height: float, title: str, body: str) -> str:
    name = escape(title)
    return (
        f'<svg viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}" '
        f'role="img" aria-label="{name}"><title>{name}</title>{body}</svg>'
    )
