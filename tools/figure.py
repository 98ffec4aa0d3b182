"""Draws a result's table as SVG: pure, no script, no style attribute; colours come from classes.

Classes: figure-axis, figure-grid, figure-text, figure-marker, figure-line, figure-series, figure-N.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from html import escape
from itertools import accumulate
from typing import Any, Literal

from tools.result import Result
from tools.scale import Scale, linear
from tools.working import plain

WIDTH, FOOT = 640, 52
LEFT, RIGHT, TOP, BOTTOM = 84, 624, 44, 308
LABEL_ROOM = 52
"""Pixels that a tick's label needs beside the next."""
OPACITY = (0.85, 0.5, 0.28, 0.12)
"""Of the n-th series' fill, so that series differ without any CSS."""
DASHES = ("none", "6 4", "2 3", "8 3 2 3")

Row = Mapping[str, Any]
Point = tuple[float, float]


@dataclass(frozen=True)
class Series:
    """A column of the table and its name in the legend."""

    column: str
    label: str


@dataclass(frozen=True)
class Drawing:
    """How to draw a table: stacked bars, lines, or intervals with series (low, middle, high)."""

    kind: Literal["bars", "line", "interval"]
    title: str
    x: str
    x_label: str
    y_label: str
    series: tuple[Series, ...]
    log_x: bool = False
    log_y: bool = False
    marker: Series | None = None
    """A column drawn as a stroke over each bar."""


def draw(result: Result, drawing: Drawing) -> str:
    """SVG text with role, title and description; series and rows without numbers are left out."""
    present = tuple(s for s in drawing.series if any(s.column in row for row in result.table))
    drawing = replace(drawing, series=present)
    rows = [row for row in result.table if _complete(row, drawing)]
    if not rows or not present:
        return ""
    body = KINDS[drawing.kind](rows, drawing)
    bottom = _interval_bottom(rows) if drawing.kind == "interval" else BOTTOM
    key = sha256(repr((result.tool, result.inputs, result.table)).encode()).hexdigest()[:10]
    return (
        f'<svg class="figure" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {WIDTH} {bottom + FOOT}" '
        f'role="img" aria-labelledby="f{key}t f{key}d">'
        f'<title id="f{key}t">{escape(drawing.title)}</title>'
        f'<desc id="f{key}d">{escape(_describe(rows, drawing))}</desc>'
        f"{''.join([*body, *_legend(drawing)])}</svg>"
    )


# --- kinds ---


def _bars(rows: Sequence[Row], drawing: Drawing) -> list[str]:
    stacks = [[_number(row, s.column) for s in drawing.series] for row in rows]
    marks = [_number(row, drawing.marker.column) for row in rows] if drawing.marker else []
    sums = [total for stack in stacks for total in accumulate(stack)] + marks
    y = linear(max(sums), BOTTOM, TOP, min(sums))
    slot = (RIGHT - LEFT) / len(rows)
    parts = [*_y_axis(y, drawing), *_x_names(rows, drawing, slot)]
    for index, (row, stack) in enumerate(zip(rows, stacks, strict=True)):
        left, base = LEFT + slot * index + slot * 0.2, 0.0
        for number, (series, value) in enumerate(zip(drawing.series, stack, strict=True)):
            top, bottom = sorted((y.at(base + value), y.at(base)))
            said = f"{_name(row[drawing.x])}: {series.label} {plain(value)}"
            parts.append(_box((left, top), (slot * 0.6, bottom - top), number, said))
            base += value
        if marks:
            parts.append(_stroke((left - slot * 0.1, y.at(marks[index])), slot * 0.8))
    return parts


def _line(rows: Sequence[Row], drawing: Drawing) -> list[str]:
    xs = [_number(row, drawing.x) for row in rows]
    values = [_number(row, s.column) for row in rows for s in drawing.series]
    x = Scale(min(xs), max(xs), LEFT + 8, RIGHT - 8, drawing.log_x and min(xs) > 0)
    if drawing.log_y and min(values) > 0:
        y = Scale(min(values), max(values), BOTTOM, TOP, log=True)
    else:
        y = linear(max(values), BOTTOM, TOP, min(values))
    parts = [*_y_axis(y, drawing), *_x_ticks(x, xs if drawing.log_x else x.ticks(), drawing)]
    for number, series in enumerate(drawing.series):
        points = [
            (x.at(v), y.at(_number(row, series.column))) for v, row in zip(xs, rows, strict=True)
        ]
        parts.append(_path(points, number))
        for row, point in zip(rows, points, strict=True):
            here, there = plain(_number(row, drawing.x)), plain(_number(row, series.column))
            parts.append(_dot(point, number, f"{here}: {series.label} {there}"))
    return parts


def _interval(rows: Sequence[Row], drawing: Drawing) -> list[str]:
    low, middle, high = (series.column for series in drawing.series)
    x = Scale(
        -1.0 if min(_number(row, low) for row in rows) < 0 else 0.0, 1.0, LEFT + 60, RIGHT - 8
    )
    bottom = _interval_bottom(rows)
    slot = (bottom - TOP) / len(rows)
    parts = _x_ticks(x, x.ticks(), drawing, bottom)
    for index, row in enumerate(rows):
        y = TOP + slot * (index + 0.5)
        ends = (x.at(_number(row, low)), x.at(_number(row, high)))
        said = f"{_name(row[drawing.x])}: {plain(_number(row, low))} to {plain(_number(row, high))}"
        parts.append(_text(LEFT + 48, y + 4, _name(row[drawing.x]), "end"))
        parts.append(_path([(ends[0], y), (ends[1], y)], 0))
        parts.extend(_path([(end, y - 7), (end, y + 7)], 0) for end in ends)
        parts.append(_dot((x.at(_number(row, middle)), y), 0, said))
    return parts


KINDS: Mapping[str, Callable[[Sequence[Row], Drawing], list[str]]] = {
    "bars": _bars,
    "line": _line,
    "interval": _interval,
}


# --- axes and words ---


def _y_axis(y: Scale, drawing: Drawing) -> list[str]:
    parts = [_text(LEFT - 68, TOP - 24, drawing.y_label, "start")]
    for value in y.ticks():
        at = y.at(value)
        parts.append(
            f'<line class="figure-grid" x1="{LEFT}" x2="{RIGHT}" y1="{at:.1f}" y2="{at:.1f}" '
            f'stroke="currentColor" stroke-opacity="0.15"/>'
        )
        parts.append(_text(LEFT - 8, at + 4, plain(value), "end"))
    return parts


def _interval_bottom(rows: Sequence[Row]) -> int:
    return min(BOTTOM, TOP + 56 * len(rows))


def _x_ticks(
    x: Scale, values: Sequence[float], drawing: Drawing, bottom: int = BOTTOM
) -> list[str]:
    parts, last = _foot(drawing, bottom), -1e9
    for value in sorted(set(values)):
        at = x.at(value)
        if at - last >= LABEL_ROOM:
            parts.append(_text(at, bottom + 18, plain(value), "middle"))
            last = at
    return parts


def _x_names(rows: Sequence[Row], drawing: Drawing, slot: float) -> list[str]:
    every = max(1, round(LABEL_ROOM / slot + 0.49)) if slot < LABEL_ROOM else 1
    names = (
        _text(LEFT + slot * (index + 0.5), BOTTOM + 18, _name(row[drawing.x]), "middle")
        for index, row in enumerate(rows)
        if index % every == 0
    )
    return [*_foot(drawing, BOTTOM), *names]


def _legend(drawing: Drawing) -> list[str]:
    if drawing.kind == "interval" or (len(drawing.series) < 2 and not drawing.marker):
        return []
    parts, left = [], float(RIGHT)
    entries = [(s.label, number) for number, s in enumerate(drawing.series)]
    for label, number in reversed(entries):
        left -= 7.2 * len(label) + 32
        if drawing.kind == "line":
            parts.append(_path([(left - 12, TOP - 29), (left + 10, TOP - 29)], number))
        else:
            parts.append(_box((left, TOP - 34), (10, 10), number, label))
        parts.append(_text(left + 15, TOP - 25, label, "start"))
    if drawing.marker:
        left -= 7.2 * len(drawing.marker.label) + 32
        parts.append(_stroke((left, TOP - 29), 14))
        parts.append(_text(left + 19, TOP - 25, drawing.marker.label, "start"))
    return parts


def _describe(rows: Sequence[Row], drawing: Drawing) -> str:
    shown = (*drawing.series, *((drawing.marker,) if drawing.marker else ()))
    ends = [rows[0], rows[-1]] if len(rows) > 1 else list(rows)
    says = (
        f"{drawing.x_label} {_name(row[drawing.x])}: ".lstrip()
        + ", ".join(f"{s.label} {plain(_number(row, s.column))}" for s in shown)
        for row in ends
    )
    return f"{drawing.y_label}. {'; '.join(says)}."


# --- marks ---


def _box(corner: Point, size: Point, number: int, said: str) -> str:
    return (
        f'<rect class="figure-series figure-{number + 1}" x="{corner[0]:.1f}" y="{corner[1]:.1f}" '
        f'width="{size[0]:.1f}" height="{size[1]:.1f}" fill="currentColor" '
        f'fill-opacity="{OPACITY[number % len(OPACITY)]}"><title>{escape(said)}</title></rect>'
    )


def _path(points: Sequence[Point], number: int) -> str:
    text = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
    return (
        f'<polyline class="figure-line figure-{number + 1}" points="{text}" fill="none" '
        f'stroke="currentColor" stroke-width="2" '
        f'stroke-dasharray="{DASHES[number % len(DASHES)]}"/>'
    )


def _dot(point: Point, number: int, said: str) -> str:
    return (
        f'<circle class="figure-series figure-{number + 1}" cx="{point[0]:.1f}" '
        f'cy="{point[1]:.1f}" r="3.5" fill="currentColor"><title>{escape(said)}</title></circle>'
    )


def _stroke(start: Point, length: float) -> str:
    x, y = start
    return (
        f'<line class="figure-marker" x1="{x:.1f}" x2="{x + length:.1f}" y1="{y:.1f}" y2="{y:.1f}" '
        f'stroke="currentColor" stroke-width="2"/>'
    )


def _foot(drawing: Drawing, bottom: int) -> list[str]:
    line = (
        f'<line class="figure-axis" x1="{LEFT}" x2="{RIGHT}" y1="{bottom}" y2="{bottom}" '
        f'stroke="currentColor"/>'
    )
    middle = (LEFT + RIGHT) / 2
    return [line, _text(middle, bottom + FOOT - 12, drawing.x_label or drawing.y_label, "middle")]


def _text(x: float, y: float, words: str, anchor: str) -> str:
    return (
        f'<text class="figure-text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-size="12" fill="currentColor">{escape(words)}</text>'
    )


# --- the table ---


def _complete(row: Row, drawing: Drawing) -> bool:
    numeric = [s.column for s in drawing.series] + ([drawing.x] if drawing.kind == "line" else [])
    return drawing.x in row and all(isinstance(row.get(name), int | float) for name in numeric)


def _number(row: Row, column: str) -> float:
    value = row.get(column)
    return float(value) if isinstance(value, int | float) else 0.0


def _name(value: object) -> str:
    return plain(value) if isinstance(value, int | float) else str(value)
