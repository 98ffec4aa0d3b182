"""Dev and Delta: the two roles behind the title, and the path of feedback that joins them."""

from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from web.figures.canvas import Canvas, Tone, fitted
from web.figures.controls import Choice, Settings, words
from web.figures.figure import LiveFigure, Number, Shown

Side = Literal["dev", "delta", "feedback"]
TITLES: dict[Side, str] = {
    "dev": "Dev: one capability, many customers",
    "delta": "Delta: one customer, many capabilities",
    "feedback": "What passes between them",
}


class Box(BaseModel):
    """One thing that happens on a side, and who says so."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    side: Side
    name: str
    what: str
    said_by: str = Field(alias="from")


class Roles(BaseModel):
    """roles.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    source: str
    boxes: tuple[Box, ...]


@cache
def roles() -> Roles:
    """The boxes in the order in which they are drawn."""
    return Roles.model_validate_json(files("web.figures.data").joinpath("roles.json").read_bytes())


def show(settings: Settings) -> Shown:
    """All boxes, those of the chosen side filled."""
    data, chosen = roles(), words(settings, "side")
    marked = [box for box in data.boxes if box.side == chosen]
    told = "; ".join(f"{box.name}, {box.what}" for box in marked)
    return Shown(
        title="Dev and Delta",
        said=f"{TITLES[marked[0].side]}. {told}.",
        draw=lambda canvas: _draw(canvas, data.boxes, chosen),
        numbers=(Number("boxes on this side", len(marked), "boxes"),),
        columns=("side", "box", "what happens", "said by"),
        rows=tuple((box.side, box.name, box.what, box.said_by) for box in data.boxes),
        notes=(
            "Without the Dev half there is no path back, and the work is consulting: ask an "
            "employer who owns the platform and how feedback reaches its roadmap.",
            data.about,
        ),
        source=data.source,
    )


def _draw(canvas: Canvas, boxes: Sequence[Box], chosen: str) -> float:
    gap = 24.0
    wide = canvas.width - 28 if canvas.compact else (canvas.width - 28 - gap) / 2
    y = 8.0
    dev = _column(canvas, boxes, "dev", (14.0, y), wide, chosen)
    corner = (14.0, dev + 12) if canvas.compact else (14.0 + wide + gap, y)
    delta = _column(canvas, boxes, "delta", corner, wide, chosen)
    y = max(dev, delta) + 12
    canvas.line((14, y), (canvas.width - 14, y), "grid")
    return _column(canvas, boxes, "feedback", (14.0, y + 8), canvas.width - 28.0, chosen) + 6


def _column(
    canvas: Canvas,
    boxes: Sequence[Box],
    side: Side,
    corner: tuple[float, float],
    wide: float,
    chosen: str,
) -> float:
    """The boxes of a side under its title; the y below them."""
    x, y = corner
    canvas.text((x, y + 16), TITLES[side], size=14)
    y += 28
    for box in (box for box in boxes if box.side == side):
        lines = fitted(box.what, wide - 28)
        tall = 34 + 17 * len(lines)
        tone: Tone = "three" if side == chosen else "none"
        canvas.box((x, y), (wide, tall), tone, dashed=side == "feedback", said=box.what)
        canvas.text((x + 14, y + 22), box.name)
        canvas.wrapped((x + 14, y + 40), box.what, wide - 28)
        y += tall + 10
    return y


FIGURE = LiveFigure(
    slug="dev-and-delta",
    title="Dev and Delta",
    lead="The two roles that the title comes from, and the path of feedback that keeps the second "
    "from being a consultancy.",
    controls=(
        Choice(
            "side",
            "Side",
            (("dev", "Dev"), ("delta", "Delta"), ("feedback", "Feedback")),
            "delta",
        ),
    ),
    show=show,
)
