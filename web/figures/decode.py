"""One decode step of Llama 3.3 70B: reads against arithmetic, by batch, context, KV precision."""

from dataclasses import dataclass

from tools.catalog import CATALOG
from tools.result import Result
from tools.scale import linear
from tools.working import plain
from web.figures.axes import across
from web.figures.canvas import Canvas, Ink
from web.figures.controls import Choice, Settings, Slider, whole, words
from web.figures.figure import LiveFigure, Number, Shown

LIMIT_MS = 40.0
"""MLPerf's limit on time per output token, interactive scenario of Llama 2 70B."""
MODEL = {"model": "Llama-3.3-70B", "weights_gb": 70}
LADDER = (1, 2, 5, 10, 20, 40, 80, 140, 200)


@dataclass(frozen=True)
class Step:
    """One decode step in ms; compute at half of the dense peak."""

    batch: int
    weights: float
    cache: float
    compute: float
    floor: float
    per_user: float
    total: float
    fits: bool

    @property
    def memory(self) -> float:
        """ms of reading."""
        return self.weights + self.cache


def show(settings: Settings) -> Shown:
    """The step at these settings, and a ladder of batches beside it."""
    result, capacity = _run(settings, whole(settings, "batch")), _capacity(settings)
    step = _step(result, capacity)
    batches = sorted({*LADDER, step.batch})
    ladder = [_step(_run(settings, batch), capacity) for batch in batches]
    bound = "reading" if step.memory >= step.compute else "arithmetic"
    said = (
        f"At batch {step.batch} and {whole(settings, 'context'):,} tokens of context a step takes "
        f"at least {step.floor:.1f} ms: {step.memory:.1f} ms of reading "
        f"({step.weights:.1f} weights, {step.cache:.1f} cache) "
        f"against {step.compute:.1f} ms of arithmetic at half the peak. "
        f"{bound.capitalize()} sets the pace."
    )
    return Shown(
        title="One decode step",
        said=said,
        draw=lambda canvas: _draw(canvas, step),
        numbers=(
            Number("step floor", step.floor, "ms"),
            Number("per user", step.per_user, "tokens/s"),
            Number("in all", step.total, "tokens/s"),
            Number("sequences that fit", capacity, "at this context"),
        ),
        warning="" if step.fits else _does_not_fit(step, capacity),
        columns=(
            "batch",
            "weights ms",
            "cache ms",
            "arithmetic ms",
            "step floor ms",
            "tokens/s per user",
            "tokens/s in all",
            "fits",
        ),
        rows=tuple(_row(step) for step in ladder),
        marked=batches.index(step.batch),
        notes=(
            "The floor is the larger of reading and arithmetic at the full peak; the bar of "
            "arithmetic is drawn at half the peak. Attention's arithmetic and kernel overheads are "
            "left out, so a real step is slower.",
            "The dashed line is MLPerf's 40 ms per output token (Llama 2 70B, interactive).",
            f"Weights 70 GB (FP8); 5 GB reserved; {result.formula}.",
        ),
        source=result.source,
    )


def _run(settings: Settings, batch: int) -> Result:
    return CATALOG["decode_roofline"].call(
        {
            **MODEL,
            "weight_dtype": "fp8",
            "gpu": words(settings, "gpu"),
            "kv_dtype": words(settings, "kv"),
            "context": whole(settings, "context"),
            "batch": batch,
            "compute_efficiency": 0.5,
        }
    )


def _capacity(settings: Settings) -> float:
    result = CATALOG["memory_budget"].call(
        {
            **MODEL,
            "gpu": words(settings, "gpu"),
            "reserve_gb": 5,
            "kv_dtype": words(settings, "kv"),
            "context": whole(settings, "context"),
        }
    )
    return result.measures["sequences"].value


def _step(result: Result, capacity: float) -> Step:
    value = {name: measure.value for name, measure in result.measures.items()}
    batch = int(result.inputs["batch"])
    return Step(
        batch=batch,
        weights=value["weights_ms"],
        cache=value["kv_ms"],
        compute=value["compute_estimate_ms"],
        floor=value["step_floor_ms"],
        per_user=value["tokens_per_second_per_user"],
        total=value["tokens_per_second"],
        fits=batch <= int(capacity),
    )


def _row(step: Step) -> tuple[str | float, ...]:
    return (
        step.batch,
        step.weights,
        step.cache,
        step.compute,
        step.floor,
        step.per_user,
        step.total,
        "yes" if step.fits else "no",
    )


def _does_not_fit(step: Step, capacity: float) -> str:
    return (
        f"A batch of {step.batch} does not fit: the cache holds {plain(capacity)} sequences of "
        "this context. The times below are what it would take if it did."
    )


def _draw(canvas: Canvas, step: Step) -> float:
    left = 14.0 if canvas.compact else 104.0
    lift = 22 if canvas.compact else 0
    scale = linear(max(step.memory, step.compute, LIMIT_MS * 1.15), left, canvas.width - 16)
    first, second = 62 + lift, 126 + lift * 2
    bottom = second + 54
    across(canvas, scale, 40, bottom, "ms")
    parts = f"reading: weights {step.weights:.1f} + cache {step.cache:.1f} ms"
    for y, name in ((first, parts if canvas.compact else "reading"), (second, "arithmetic")):
        at = (left, y - 8) if canvas.compact else (left - 12, y + 25)
        canvas.text(at, name, "start" if canvas.compact else "end")
    middle = scale.at(step.weights)
    canvas.box((left, first), (middle - left, 38), "one", said=f"weights {step.weights:.2f} ms")
    canvas.box(
        (middle, first),
        (scale.at(step.memory) - middle, 38),
        "two",
        said=f"cache {step.cache:.2f} ms",
    )
    if not canvas.compact:
        _name_parts(canvas, step, (left, middle, scale.at(step.memory)), first)
    end = scale.at(step.compute)
    canvas.box((left, second), (end - left, 38), "three", said=f"arithmetic {step.compute:.2f} ms")
    canvas.text((min(end + 8, canvas.width - 60), second + 24), f"{step.compute:.1f} ms")
    limit = scale.at(LIMIT_MS)
    canvas.line((limit, 32), (limit, bottom), "mark", dashed=True)
    words_of_limit = "40 ms limit" if canvas.compact else "MLPerf interactive limit, 40 ms"
    late = limit > canvas.width * 0.6
    canvas.text((limit + (6 if not late else 0), 24), words_of_limit, "end" if late else "start")
    return bottom + 30


def _name_parts(canvas: Canvas, step: Step, ends: tuple[float, float, float], top: float) -> None:
    _inside(canvas, ends[:2], top, f"weights {step.weights:.1f}")
    _inside(canvas, ends[1:], top, f"cache {step.cache:.1f}", light=True)


def _inside(
    canvas: Canvas, ends: tuple[float, float], top: float, words_: str, *, light: bool = False
) -> None:
    """Words in a box, if they fit."""
    if ends[1] - ends[0] > len(words_) * 7.4 + 6:
        tone: Ink = "ink" if light else "on"
        canvas.text(((ends[0] + ends[1]) / 2, top + 24), words_, "middle", tone=tone)


FIGURE = LiveFigure(
    slug="decode-step",
    title="One decode step",
    lead="Every step reads all weights and everyone's cache. See how batch, context and the "
    "precision of the cache move the floor of a step, and when the cache no longer fits.",
    controls=(
        Slider("batch", "Batch", 1, 200, 20, unit="sequences"),
        Slider("context", "Context", 1024, 131_072, 8192, 1024, "tokens"),
        Choice("kv", "KV precision", (("bf16", "BF16"), ("fp8", "FP8")), "bf16"),
        Choice("gpu", "GPU", (("H200", "H200"), ("B200", "B200"), ("MI300X", "MI300X")), "H200"),
    ),
    show=show,
)
