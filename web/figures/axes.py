"""Axes of the live figures: ticks with their numbers, drawn under or beside the picture."""

from tools.scale import Scale
from tools.working import plain
from web.figures.canvas import GLYPH, Anchor, Canvas


def across(canvas: Canvas, scale: Scale, top: float, bottom: float, unit: str) -> None:
    """A horizontal axis at `bottom` with faint lines up to `top`; the last tick says the unit."""
    canvas.line((scale.start, bottom), (scale.end, bottom))
    *ticks, last = scale.ticks()
    for value in (*ticks, last):
        canvas.line((scale.at(value), top), (scale.at(value), bottom), "grid")
    words = f"{plain(last)} {unit}"
    at_end = scale.at(last) > scale.end - 30
    anchor: Anchor = "end" if at_end else "middle"
    canvas.text((scale.at(last), bottom + 17), words, anchor, tone="soft", size=12)
    room = len(words) * GLYPH * (1.0 if at_end else 0.5) + 18
    free = [value for value in ticks if scale.at(last) - scale.at(value) > room]
    every = max(1, -(-len(free) * 48 // max(1, round(scale.end - scale.start))))
    for value in free[::every]:
        canvas.text((scale.at(value), bottom + 17), plain(value), "middle", tone="soft", size=12)


def upright(canvas: Canvas, scale: Scale, left: float, right: float) -> None:
    """Numbers beside a vertical scale, with faint lines from `left` to `right`."""
    for value in scale.ticks():
        at = scale.at(value)
        canvas.line((left, at), (right, at), "grid")
        canvas.text((left - 8, at + 4), plain(value), "end", tone="soft", size=12)
