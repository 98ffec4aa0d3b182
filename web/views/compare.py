"""Models side by side: cache and memory of each under one setting, or why it is not supported.

Every number is a tool's; a tool that refuses leaves its reason in the model's column.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from tools.catalog import CATALOG
from tools.config_json import parse
from tools.result import Result, ToolError
from tools.scale import linear
from web.figures.canvas import Canvas
from web.figures.controls import Choice, Control, Settings, Slider

MOST = 8
"""Models that are set side by side."""
DEFAULT = ("Llama-3.3-70B", "DeepSeek-V3")

CONTROLS: tuple[Control, ...] = (
    Slider("context", "Context length", 1024, 131_072, 8192, 1024, "tokens"),
    Choice("kv", "KV precision", (("bf16", "BF16"), ("fp8", "FP8")), "bf16"),
    Choice(
        "weights",
        "Weights",
        (
            ("", "As stored"),
            ("bf16", "BF16"),
            ("fp8", "FP8"),
            ("int8", "INT8"),
            ("int4", "INT4"),
        ),
        "",
    ),
    Choice(
        "gpu",
        "GPU",
        tuple((name, name) for name in ("H200", "H100", "A100", "B200", "L40S", "MI300X")),
        "H200",
    ),
    Slider("gpus", "GPUs", 1, 16, 8, hint="They share the model by tensor parallelism."),
    Slider("reserve", "Reserve on each GPU", 0, 20, 5, unit="GB"),
)


@dataclass(frozen=True, slots=True)
class Subject:
    """A model by name, or by the text of its config.json."""

    label: str
    argument: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Value:
    """A number with its unit, or the reason why there is none."""

    value: float | None
    unit: str = ""
    refusal: str = ""


@dataclass(frozen=True, slots=True)
class Column:
    """One model's answers by the label of their row."""

    subject: Subject
    values: Mapping[str, Value]
    refusal: str = ""
    """Why nothing at all is known of it."""
    warnings: tuple[str, ...] = ()

    @property
    def reasons(self) -> Mapping[str, tuple[str, ...]]:
        """Why some rows have no value: each reason once, with the rows that it leaves out."""
        left_out: dict[str, tuple[str, ...]] = {}
        for label, value in self.values.items():
            if value.refusal:
                left_out[value.refusal] = (*left_out.get(value.refusal, ()), label)
        return left_out


@dataclass(frozen=True, slots=True)
class Comparison:
    """The models side by side; `rows` are the labels in their order."""

    columns: tuple[Column, ...]
    rows: tuple[str, ...]
    units: Mapping[str, str]
    """The unit of each row, '' where no model has a value."""
    said: str
    context: int


def subjects(names: str, configs: Sequence[str]) -> tuple[Subject, ...]:
    """The models of a text with one name a line (or commas), then the pasted configs."""
    parts = [part.strip() for line in names.splitlines() for part in line.split(",")]
    named = [Subject(part, {"model": part}) for part in dict.fromkeys(parts) if part]
    pasted = [text for text in configs if text.strip()]
    return (*named, *(_pasted(text, number) for number, text in enumerate(pasted, 1)))


def _pasted(text: str, number: int) -> Subject:
    try:
        kind = parse(text).model_type
    except ToolError:
        kind = "unreadable"
    return Subject(f"config.json {number} ({kind})", {"config": text})


def compare(chosen: Sequence[Subject], settings: Settings) -> Comparison:
    """All models under one setting."""
    columns = tuple(_column(subject, settings) for subject in chosen[:MOST])
    rows = tuple(dict.fromkeys(label for column in columns for label in column.values))
    context = int(settings["context"])
    supported = [column for column in columns if not column.refusal]
    said = (
        f"Assumes {context:,} tokens in each sequence. {len(supported)} of {len(columns)} models "
        "are supported."
    )
    units = {label: _unit(columns, label) for label in rows}
    return Comparison(columns, rows, units, said, context)


def _unit(columns: Sequence[Column], label: str) -> str:
    values = [column.values[label] for column in columns if label in column.values]
    unit = next((value.unit for value in values if value.unit), "")
    return "" if unit in label else unit


def _column(subject: Subject, settings: Settings) -> Column:
    try:
        cache = CATALOG["kv_cache"].call(
            {
                **subject.argument,
                "kv_dtype": settings["kv"],
                "tokens": settings["context"],
                "tp": settings["gpus"],
            }
        )
    except ToolError as error:
        return Column(subject, {}, refusal=_reason(error))
    values = {
        "KV cache, growing part": _of(cache, "bytes_per_token"),
        "fixed part: windows and state": _of(cache, "fixed_bytes"),
        "one sequence": _of(cache, "sequence_GB"),
        "one sequence, on each GPU": _of(cache, "sequence_GB_per_gpu"),
        "copies of the cache": _of(cache, "copies"),
    }
    shape = _tried(lambda: CATALOG["model_config"].call({**subject.argument}))
    values["longest context by config"] = _measure(shape, "max_context")
    total = _measure(shape, "total_params")
    values["parameters"] = total if total.value is None else Value(total.value / 1e9, "billion")
    budget = _tried(lambda: _budget(subject, settings))
    values |= {
        "weights": _measure(budget, "weights_GB"),
        "left for cache": _measure(budget, "kv_GB"),
        "sequences that fit": _measure(budget, "sequences"),
        "whole blocks of sequences": _measure(budget, "sequences_in_blocks"),
    }
    return Column(subject, values, warnings=cache.warnings)


def _budget(subject: Subject, settings: Settings) -> Result:
    given = {
        **subject.argument,
        "gpu": settings["gpu"],
        "gpus": settings["gpus"],
        "kv_dtype": settings["kv"],
        "context": settings["context"],
        "reserve_gb": settings["reserve"],
    }
    if settings["weights"]:
        given["weight_dtype"] = settings["weights"]
    return CATALOG["memory_budget"].call(given)


def _tried(call: Callable[[], Result]) -> Result | ToolError:
    try:
        return call()
    except ToolError as error:
        return error


def _measure(result: Result | ToolError, key: str) -> Value:
    if isinstance(result, ToolError):
        return Value(None, refusal=_reason(result))
    return _of(result, key)


def _of(result: Result, key: str) -> Value:
    measure = result.measures.get(key)
    return (
        Value(measure.value, measure.unit)
        if measure
        else Value(None, refusal="the tool gives no such value for it")
    )


def _reason(error: ToolError) -> str:
    """What a person reads in the column: the remedy, with the value where it is short."""
    value = str(error.value)
    shown = f"{error.field} {value}: " if 0 < len(value) <= 60 else ""
    return f"{shown}{error.remedy}"


def draw(canvas: Canvas, comparison: Comparison) -> float:
    """GB of cache that one sequence takes, per model."""
    label = "one sequence"
    bars = [
        (column.subject.label, column.values[label].value or 0.0)
        for column in comparison.columns
        if not column.refusal
    ]
    canvas.text((14, 18), f"GB of cache for {comparison.context:,} tokens", tone="soft")
    if not bars:
        return 30.0
    scale = linear(max(size for _, size in bars) or 1.0, 14.0, canvas.width - 80)
    y = 34.0
    for name, size in bars:
        canvas.text((14, y + 12), name)
        width = max(2.0, scale.at(size) - scale.start)
        canvas.box((14, y + 19), (width, 22), "one", said=f"{name}: {size:.3g} GB")
        canvas.text((14 + width + 8, y + 35), f"{size:.3g} GB")
        y += 52
    return y + 4
