"""Bars and counts as the cells of a trace."""

from tools.trace import Cell, Lane, Mark, blank
from tools.working import plain

WIDTH = 12.0
"""Units of a full bar."""
MOST = 48
"""Cells of a row of things; the last says how many more there are."""


def bar(label: str, level: float, size: float, mark: Mark = "held", unit: str = "") -> Lane:
    """A level in its size, the rest free; a level over the size is drawn longer than the bar.

    With a unit it is written to five digits, else as a whole number.
    """
    share = level / size if size else 0.0
    text = f"{plain(level)} {unit}" if unit else f"{level:,.0f}"
    cells = [Cell(text=text, mark=mark, width=max(0.2, WIDTH * min(share, 2.0)))]
    if share < 1:
        cells.append(Cell(text="", mark="free", width=max(0.2, WIDTH * (1 - share))))
    return Lane(label=label, cells=tuple(cells))


def row(label: str, count: int, mark: Mark) -> Lane:
    """A cell for each of `count` things."""
    shown = [blank(mark)] * min(count, MOST)
    if count > MOST:
        shown[-1] = Cell(text=f"+{count - MOST + 1:,}", mark=mark, width=2.0)
    return Lane(label=label, cells=tuple(shown))
