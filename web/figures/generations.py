"""KV cache per token over four generations of one family, as they ship."""

from functools import cache
from importlib.resources import files
from itertools import pairwise
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tools.catalog import CATALOG
from tools.scale import Scale
from web.figures.canvas import Canvas
from web.figures.controls import Choice, Settings, Slider, whole, words
from web.figures.figure import LiveFigure, Number, Shown


class Point(BaseModel):
    """One generation: computed from a model or config, or bytes with their source."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    when: str = ""
    precision: str
    design: str = ""
    model: str | None = None
    config: dict[str, Any] | None = None
    stated: float | None = Field(default=None, alias="bytes")
    source: str = "computed with kv_cache"

    @property
    def per_token(self) -> float:
        """Bytes a token over all layers."""
        if self.stated is not None:
            return self.stated
        named = {"model": self.model} if self.model else {"config": self.config}
        return CATALOG["kv_cache"].call({**named, "kv_dtype": self.precision}).value


class Generations(BaseModel):
    """generations.json."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    about: str
    points: tuple[Point, ...]
    reference: Point


@cache
def generations() -> Generations:
    """The points in order of time, and the model that they are set beside."""
    text = files("web.figures.data").joinpath("generations.json").read_text("utf-8")
    return Generations.model_validate_json(text)


def show(settings: Settings) -> Shown:
    """The points on a linear or logarithmic scale, and one sequence of the context."""
    data, context = generations(), whole(settings, "context")
    sizes = [point.per_token for point in data.points]
    reference = data.reference.per_token
    factor = sizes[0] / sizes[-1]
    steps = [None, *(before / after for before, after in pairwise(sizes))]
    log = words(settings, "scale") == "log"
    return Shown(
        title="KV cache per token over four generations",
        said=(
            f"From {sizes[0]:,.0f} bytes a token in 2023 to {sizes[-1]:,.0f} in 2026: "
            f"{factor:,.0f} times less. The dashed line is {data.reference.name} with "
            f"{reference:,.0f}."
        ),
        draw=lambda canvas: _draw(canvas, data, sizes, reference, log=log),
        numbers=(
            Number("first to last", factor, "times less"),
            Number(f"a sequence of {context:,}, first", sizes[0] * context / 1e9, "GB"),
            Number("the same, last", sizes[-1] * context / 1e9, "GB"),
            Number(data.reference.name, reference * context / 1e9, "GB"),
        ),
        columns=("model", "when", "B/token", "times less", "GB a sequence", "precision", "from"),
        rows=tuple(
            (p.name, p.when, int(size), step, size * context / 1e9, p.precision, p.source)
            for p, size, step in zip(data.points, sizes, steps, strict=True)
        ),
        notes=(
            "Architecture and precision change together: this is the cache that ships, not one "
            "design against another at equal precision.",
            data.about,
        ),
        source="kv_cache for V1 and V3.2; DeepSeek's model card for the others",
    )


def _draw(
    canvas: Canvas, data: Generations, sizes: list[float], reference: float, *, log: bool
) -> float:
    left, right, top, bottom = 76.0, canvas.width - 16.0, 48.0, 284.0
    ends = (100.0, 1e6) if log else (0.0, 400_000.0)
    scale = Scale(*ends, bottom, top, log=log)
    for value in scale.ticks():
        canvas.line((left, scale.at(value)), (right, scale.at(value)), "grid")
        canvas.text((left - 8, scale.at(value) + 4), f"{value:,.0f}", "end", tone="soft", size=12)
    canvas.text((8, 18), "bytes a token", tone="soft", size=12)
    slot = (right - left) / len(sizes)
    for number, (point, size) in enumerate(zip(data.points, sizes, strict=True)):
        x, y = left + slot * number, scale.at(size)
        said = f"{point.name}, {point.when}: {size:,.0f} bytes a token"
        canvas.box(
            (x + slot * 0.22, y),
            (slot * 0.56, bottom - y),
            "one",
            dashed=bool(point.stated),
            said=said,
        )
        canvas.text((x + slot / 2, y - 7), f"{size:,.0f}", "middle")
        short_name = point.name.removeprefix("DeepSeek ")
        canvas.text((x + slot / 2, bottom + 18), short_name, "middle", size=12)
        canvas.text((x + slot / 2, bottom + 35), point.when, "middle", tone="soft", size=12)
    canvas.line((left, bottom), (right, bottom))
    y = scale.at(reference)
    canvas.line((left, y), (right, y), "mark", dashed=True)
    canvas.text((right, y + 17), f"{data.reference.name}, {reference:,.0f}", "end", size=12)
    return bottom + 46


FIGURE = LiveFigure(
    slug="kv-generations",
    title="KV per token over four generations",
    lead="What one family of models keeps per token, as it ships: attention design and precision "
    "together.",
    controls=(
        Slider("context", "Context", 8192, 1_048_576, 131_072, 8192, "tokens"),
        Choice("scale", "Scale", (("linear", "Linear"), ("log", "Logarithmic")), "linear"),
    ),
    show=show,
)
