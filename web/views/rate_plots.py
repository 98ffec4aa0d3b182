"""Rates with their intervals as drawings: one a row, or one a week. Knows no page."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from interviewer.review.rates import Rate
from tools.scale import Scale
from web.figures.axes import across, upright
from web.figures.canvas import COMPACT, GLYPH, WIDE, Canvas, shortened

LINE = 34
"""Pixels of a row; on a phone its name stands above it."""


@dataclass(frozen=True, slots=True)
class Row:
    """A rate and what it is of."""

    label: str
    rate: Rate


def drawn(draw: Callable[[Canvas], float], title: str, said: str) -> tuple[Markup, Markup]:
    """The drawing for a page and for a phone; `draw` returns its height."""
    made = []
    for width in (WIDE, COMPACT):
        canvas = Canvas(width)
        height = draw(canvas)
        made.append(Markup(canvas.svg(height, title, said)))
    return made[0], made[1]


def across_rates(canvas: Canvas, rows: Sequence[Row]) -> float:
    """Each rate on a line of its own from 0 to 100 %, with its interval."""
    line = LINE + 18 if canvas.compact else LINE
    longest = max((len(_named(row)) for row in rows), default=0)
    left = 16.0 if canvas.compact else min(320.0, 30.0 + longest * GLYPH * 0.92)
    scale = Scale(0.0, 100.0, left, canvas.width - 28)
    bottom = 16.0 + len(rows) * line
    across(canvas, scale, 8, bottom, "%")
    for number, row in enumerate(rows):
        y = 16.0 + (number + 1) * line - LINE / 2
        if canvas.compact:
            canvas.text((left, y - 14), _named(row, canvas.width - 40), size=12)
        else:
            canvas.text((left - 14, y + 5), _named(row, left - 16), "end", size=12)
        low, high = (100 * end for end in row.rate.interval)
        if not row.rate.assessed:
            continue
        canvas.line((scale.at(low), y), (scale.at(high), y), "one")
        for end in (low, high):
            canvas.line((scale.at(end), y - 6), (scale.at(end), y + 6), "one")
        canvas.dot((scale.at(100 * row.rate.share), y), said=f"{row.label}: {row.rate.words}")
    return bottom + 28


def _named(row: Row, room: float = 10_000) -> str:
    """The label with its counts; where room is short, the label gives way."""
    counts = f", {row.rate.solid} of {row.rate.assessed}"
    return shortened(row.label, room - len(counts) * GLYPH) + counts


def over_time(canvas: Canvas, rows: Sequence[Row]) -> float:
    """A rate a week with its interval upright; no line joins them, since weeks may lack rounds."""
    top, bottom, left = 14.0, 214.0, 44.0
    scale = Scale(0.0, 100.0, bottom, top)
    upright(canvas, scale, left, canvas.width - 16)
    step = (canvas.width - left - 36) / max(1, len(rows) - 1)
    every = max(1, -(-len(rows) * 52 // int(canvas.width - left)))
    for number, row in enumerate(rows):
        x = left + 18 + number * step
        low, high = (scale.at(100 * end) for end in row.rate.interval)
        if row.rate.assessed:
            canvas.line((x, low), (x, high), "one")
            canvas.dot((x, scale.at(100 * row.rate.share)), said=f"{row.label}: {row.rate.words}")
        if number % every == 0:
            canvas.text((x, bottom + 18), row.label, "middle", tone="soft", size=12)
    return bottom + 30
