"""A simulator's trace: steps that a page walks through, each of lanes of cells; drawn as SVG.

Pure SVG without script or style attribute. Classes: trace-cell, trace-MARK, trace-text.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from html import escape
from typing import Literal, get_args

from pydantic import BaseModel, ConfigDict

Mark = Literal["free", "cached", "held", "shared", "new", "lost", "null"]
"""What a cell stands for; a tool may name each more closely (`Tool.marks`)."""
MARKS: Mapping[Mark, str] = {
    "free": "free",
    "cached": "free, still holds a prefix",
    "held": "held by one",
    "shared": "held by several",
    "new": "new in this step",
    "lost": "lost or wasted",
    "null": "null block",
}
OPACITY: Mapping[str, float] = {
    "free": 0.0,
    "cached": 0.08,
    "held": 0.2,
    "shared": 0.32,
    "new": 0.45,
    "lost": 0.04,
    "null": 0.0,
}
"""Of a cell's fill: text of the same colour stays legible on the darkest."""
DASHED = ("lost", "null", "cached")
"""Marks with a dashed edge, so that they differ without any CSS."""

MOST_STEPS, MOST_CELLS, MOST_LANES = 200, 12_000, 40
WIDTH, LEFT, TOP, LANE, CELL = 640, 124, 48, 24, 18
WIDEST = 44.0
"""Pixels of a cell of width 1 at most."""


class Cell(BaseModel):
    """A box of a lane: a block, a request's tokens, a queued item."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    text: str
    mark: Mark = "held"
    width: float = 1.0
    """In units of the lane; cells of a step share one scale."""


@cache
def blank(mark: Mark) -> Cell:
    """The cell without text of width 1, made once: a picture may hold a thousand of them."""
    return Cell(text="", mark=mark)


class Lane(BaseModel):
    """A row of cells with its name; `indent` makes a tree of lanes."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    label: str
    cells: tuple[Cell, ...]
    indent: int = 0


class Step(BaseModel):
    """The state after one step: what was done, in words, and what it looks like."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    title: str
    said: str
    lanes: tuple[Lane, ...]
    numbers: dict[str, float] = {}
    """Counts beside the picture; each key ends with its unit where it is not a count."""


class Recording:
    """Steps as they happen, up to the bounds; a longer run is only counted."""

    def __init__(self) -> None:
        self.steps: list[Step] = []
        self.left_out = 0
        self._cells = 0

    @property
    def open(self) -> bool:
        """Whether there is room for a step; ask before building one."""
        if len(self.steps) < MOST_STEPS and self._cells < MOST_CELLS:
            return True
        self.left_out += 1
        return False

    def add(self, title: str, said: str, lanes: Sequence[Lane], **numbers: float) -> None:
        """Keep a step; lanes beyond the bound are left out and said."""
        if len(lanes) > MOST_LANES:
            said = f"{said} ({len(lanes) - MOST_LANES} lanes are not shown.)"
            lanes = lanes[:MOST_LANES]
        self._cells += sum(len(lane.cells) for lane in lanes)
        self.steps.append(Step(title=title, said=said, lanes=tuple(lanes), numbers=numbers))

    @property
    def notice(self) -> str:
        """A warning when steps were left out, else empty."""
        if not self.left_out:
            return ""
        shown, all_ = len(self.steps), len(self.steps) + self.left_out
        return f"the trace holds the first {shown:,} of {all_:,} steps; the numbers are of all"


def draw_step(step: Step, marks: Mapping[Mark, str] = MARKS) -> str:
    """SVG of one step, with title, description and a legend of the marks that occur."""
    room = WIDTH - LEFT - 8
    unit = min([WIDEST, *((room - _shift(lane)) / _width(lane) for lane in step.lanes)])
    parts = [_text(8, 20, step.title, 13)]
    for index, lane in enumerate(step.lanes):
        parts.extend(_lane(lane, TOP + index * LANE, unit))
    bottom = TOP + len(step.lanes) * LANE + 8
    parts.extend(_legend(step, {**MARKS, **marks}, bottom))
    return (
        f'<svg class="figure trace" xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {WIDTH} {bottom + 24}" role="img" aria-label="{escape(step.title)}">'
        f"<desc>{escape(_described(step))}</desc>{''.join(parts)}</svg>"
    )


def _shift(lane: Lane) -> float:
    return min(lane.indent * 12.0, 120.0)


def _width(lane: Lane) -> float:
    return max(1.0, sum(cell.width for cell in lane.cells))


def _lane(lane: Lane, top: float, unit: float) -> list[str]:
    at = LEFT + _shift(lane)
    parts = [_text(8 + _shift(lane), top + 13, _cut(lane.label, 16), 12)]
    for cell in lane.cells:
        width = max(1.0, cell.width * unit)
        parts.append(_box(cell, (at, top), width))
        if cell.text and width >= 7.0 * len(cell.text) + 4:
            parts.append(_text(at + width / 2, top + 13, cell.text, 11, "middle"))
        at += width
    return parts


def _box(cell: Cell, corner: tuple[float, float], width: float) -> str:
    dashes = ' stroke-dasharray="3 2"' if cell.mark in DASHED else ""
    return (
        f'<rect class="trace-cell trace-{cell.mark}" x="{corner[0]:.1f}" y="{corner[1]:.1f}" '
        f'width="{max(1.0, width - 1):.1f}" height="{CELL}" fill="currentColor" '
        f'fill-opacity="{OPACITY[cell.mark]}" stroke="currentColor" stroke-opacity="0.5"'
        f"{dashes}><title>{escape(cell.text)} {escape(MARKS[cell.mark])}</title></rect>"
    )


def _legend(step: Step, marks: Mapping[Mark, str], top: float) -> list[str]:
    present = {cell.mark for lane in step.lanes for cell in lane.cells}
    parts, at = [], 8.0
    for mark in (m for m in get_args(Mark) if m in present):
        parts.append(_box(blank(mark), (at, top), 16))
        parts.append(_text(at + 22, top + 13, marks[mark], 11))
        at += 36 + 6.4 * len(marks[mark])
    return parts


def _described(step: Step) -> str:
    lanes = (f"{lane.label}: {' '.join(c.text for c in lane.cells)}" for lane in step.lanes[:8])
    return _cut("; ".join([step.said, *lanes]), 600)


def _cut(words: str, most: int) -> str:
    return words if len(words) <= most else f"{words[: most - 1]}…"


def _text(x: float, y: float, words: str, size: int, anchor: str = "start") -> str:
    return (
        f'<text class="trace-text" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'font-size="{size}" fill="currentColor">{escape(words)}</text>'
    )
