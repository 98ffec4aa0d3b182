"""A live figure: its settings, and the function that turns them into pictures, numbers, a table."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from web.figures.canvas import COMPACT, WIDE, Canvas
from web.figures.controls import Control, Settings

Cell = str | int | float | None


def short(value: Cell) -> str:
    """A value on its own: four significant digits, thousands apart, nothing for None."""
    if isinstance(value, float):
        return _decimals(value, 0 if value.is_integer() else _needed(abs(value)))
    return f"{value:,}" if isinstance(value, int) else value or ""


def columns_of(rows: Sequence[Sequence[Cell]]) -> tuple[tuple[str, ...], ...]:
    """The rows as text, each column of fractions with the same number of decimals."""
    return tuple(zip(*map(_column, zip(*rows, strict=True)), strict=True))


def _column(cells: Sequence[Cell]) -> list[str]:
    fractions = [abs(cell) for cell in cells if isinstance(cell, float)]
    if not fractions or all(value.is_integer() for value in fractions):
        return [short(cell) for cell in cells]
    most = _needed(max(fractions))
    return [_decimals(c, most) if isinstance(c, int | float) else short(c) for c in cells]


def _needed(size: float) -> int:
    """Decimals that give a number of this size four significant digits."""
    return 0 if size >= 1000 else 1 if size >= 100 else 2 if size >= 1 else 3


def _decimals(value: float, number: int) -> str:
    return f"{value:,.{number}f}".replace("-", "−")


@dataclass(frozen=True, slots=True)
class Number:
    """A number beside the picture, as it is shown and as it is."""

    label: str
    value: float
    unit: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure under one setting."""

    title: str
    said: str
    """One sentence: what the picture shows. It is the picture's description too."""
    draw: Callable[[Canvas], float]
    """Draws on a canvas of either width; returns the height."""
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    marked: int | None = None
    """The row that is the present setting's."""
    numbers: tuple[Number, ...] = ()
    warning: str = ""
    """What a reader must see before the picture, such as 'does not fit'."""
    notes: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    """Per row, the card that it is about; empty where rows are of no card."""
    source: str = ""
    steps: int = 0
    """The last step of a figure that is walked through."""

    def drawings(self) -> tuple[str, str]:
        """The picture for a page and the one for a phone."""
        wide, compact = (self._drawn(Canvas(width)) for width in (WIDE, COMPACT))
        return wide, compact

    def _drawn(self, canvas: Canvas) -> str:
        return canvas.svg(self.draw(canvas), self.title, self.said)


@dataclass(frozen=True, slots=True)
class LiveFigure:
    """A figure of the gallery."""

    slug: str
    title: str
    lead: str
    controls: Sequence[Control]
    show: Callable[[Settings], Shown]
    stepped: str = ""
    """The slider that is a step to walk through, where there is one."""
