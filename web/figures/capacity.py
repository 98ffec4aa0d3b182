"""KV capacity by model: how many sequences of a context fit in one fixed cache budget."""

from dataclasses import dataclass

from tools.catalog import CATALOG
from tools.precision import GB
from tools.scale import linear
from web.figures.canvas import Canvas
from web.figures.controls import Choice, Settings, Slider, whole, words
from web.figures.figure import LiveFigure, Number, Shown

MODELS = (
    ("Llama-3.3-70B", "Llama 3.3 70B"),
    ("Llama-3.1-8B", "Llama 3.1 8B"),
    ("Qwen3-235B-A22B", "Qwen3 235B"),
    ("Qwen3.8-27B", "Qwen3.8 27B"),
    ("GLM-4.5", "GLM-4.5"),
    ("DeepSeek-V3", "DeepSeek-V3"),
    ("Kimi-K3", "Kimi K3"),
    ("gpt-oss-120b", "gpt-oss-120b"),
)
BUDGET = {"gpu": "H200", "weights_gb": 70, "reserve_gb": 5}


@dataclass(frozen=True, slots=True)
class Holding:
    """One model's cache: bytes a token and besides, GB a sequence, and sequences that fit."""

    name: str
    per_token: float
    fixed: float
    sequence_gb: float
    sequences: float


def show(settings: Settings) -> Shown:
    """Every model at this context and precision, the chosen one marked."""
    held = {name: _hold(name, label, settings) for name, label in MODELS}
    chosen = held[words(settings, "model")]
    ordered = sorted(held.values(), key=lambda holding: holding.sequences)
    budget = CATALOG["memory_budget"].call({**BUDGET, "model": "Llama-3.3-70B"})
    context = whole(settings, "context")
    return Shown(
        title="KV capacity by model",
        said=(
            f"In {budget.value:.1f} GB of cache, {chosen.name} holds {chosen.sequences:.1f} "
            f"sequences of {context:,} tokens: {chosen.sequence_gb:.2f} GB each, "
            f"{chosen.per_token:,.0f} bytes a token."
        ),
        draw=lambda canvas: _draw(canvas, ordered, chosen),
        numbers=(
            Number("sequences", chosen.sequences, f"of {context:,} tokens"),
            Number("one sequence", chosen.sequence_gb, "GB"),
            Number("growing part", chosen.per_token, "B/token"),
            Number("fixed part", chosen.fixed / 1e6, "MB/sequence"),
        ),
        columns=("model", "B/token", "fixed MB", "GB a sequence", "sequences", "whole ones"),
        rows=tuple(
            (h.name, int(h.per_token), h.fixed / 1e6, h.sequence_gb, h.sequences, int(h.sequences))
            for h in ordered
        ),
        marked=ordered.index(chosen),
        notes=(
            f"The budget is one H200 with 70 GB of weights: {budget.formula}. It is held fixed to "
            "compare caches; the weights of most of these models do not fit beside it.",
            "Sequences are a ceiling: whole blocks, activations and longer answers take more.",
        ),
        source="memory_budget and kv_cache; each model's config.json",
    )


def _hold(name: str, label: str, settings: Settings) -> Holding:
    kv, context = words(settings, "kv"), whole(settings, "context")
    cache = CATALOG["kv_cache"].call({"model": name, "kv_dtype": kv, "tokens": context})
    fits = CATALOG["memory_budget"].call(
        {**BUDGET, "model": name, "kv_dtype": kv, "context": context}
    )
    return Holding(
        name=label,
        per_token=cache.value,
        fixed=cache.measures["fixed_bytes"].value,
        sequence_gb=cache.measures["sequence_bytes"].value / GB,
        sequences=fits.measures["sequences"].value,
    )


def _draw(canvas: Canvas, ordered: list[Holding], chosen: Holding) -> float:
    left = 14.0 if canvas.compact else 130.0
    tall = 44 if canvas.compact else 34
    scale = linear(max(holding.sequences for holding in ordered), left, canvas.width - 62)
    for number, holding in enumerate(ordered):
        y = 12 + number * tall
        if canvas.compact:
            canvas.text((left, y + 10), holding.name, size=12)
            y += 16
        else:
            canvas.text((left - 12, y + 16), holding.name, "end")
        width = max(2.0, scale.at(holding.sequences) - left)
        said = f"{holding.name}: {holding.sequences:.1f} sequences"
        canvas.box((left, y), (width, 22), "one" if holding is chosen else "three", said=said)
        canvas.text((left + width + 8, y + 16), f"{holding.sequences:,.1f}")
    bottom = 12 + len(ordered) * tall
    canvas.line((left, 6), (left, bottom))
    return bottom + 8


FIGURE = LiveFigure(
    slug="kv-capacity",
    title="KV capacity by model",
    lead="One budget of cache, eight models. Parameters say little about how many users fit; the "
    "config says it.",
    controls=(
        Choice("model", "Model", MODELS, "Llama-3.3-70B"),
        Slider("context", "Context", 1024, 131_072, 8192, 1024, "tokens"),
        Choice("kv", "KV precision", (("bf16", "BF16"), ("fp8", "FP8")), "bf16"),
    ),
    show=show,
)
