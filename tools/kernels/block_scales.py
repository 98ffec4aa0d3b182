"""`block_scales`, `scale_leakage`, `kv_quant_error`: what the choice of a scale does to values."""

from collections.abc import Sequence
from math import exp, fsum
from random import Random
from typing import Annotated, Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.kernels.attention_math import dot
from tools.kernels.scaling import (
    SCHEMES,
    Element,
    largest,
    quantise,
    relative_rms,
    stored,
)
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Number = Annotated[float, Field(ge=-1e6, le=1e6)]
SchemeName = Literal["mxfp4", "nvfp4", "mxfp6", "mxfp8", "fp8_b128", "int8_g128", "int4_g128"]


class BlockScalesArguments(Arguments):
    """Arguments of block_scales."""

    scheme: SchemeName = Field(default="nvfp4", description="Format with its block and scale")
    values: list[Number] | None = Field(
        default=None, min_length=1, max_length=512, description="Values; default: random normal"
    )
    count: int = Field(default=64, ge=1, le=512, description="Random values")
    outlier: float = Field(
        default=1, ge=1, le=1e5, description="The last random value is multiplied by this"
    )
    seed: int = Field(default=0, ge=0, le=2**32, description="Seed of the random values")


@tool(
    group="numerics",
    example={"scheme": "nvfp4", "count": 128, "outlier": 4},
    drawing=Drawing(
        kind="bars",
        title="Relative error of the same values by scheme",
        x="scheme",
        x_label="scheme",
        y_label="rms error / rms value",
        series=(Series("error", "error"),),
    ),
)
def block_scales(given: BlockScalesArguments) -> Working:
    """Error of values under block-scaled formats: element, scale format and block size decide.

    MXFP4 and NVFP4 share the eight magnitudes of e2m1. A power-of-two scale (e8m0) is off by up to
    two; an e4m3 scale over 16 values is close, for 4.5 bits instead of 4.25.
    """
    random = Random(given.seed)
    values = given.values or [random.gauss(0, 1) for _ in range(given.count)]
    if given.values is None:
        values[-1] *= given.outlier
    work = Working(headline="error", source="OCP MX 1.0 (block 32, e8m0); NVFP4 (block 16, e4m3)")
    errors: dict[str, float] = {}
    for name, scheme in SCHEMES.items():
        found, clipped = quantise(values, scheme)
        errors[name] = relative_rms(found, values)
        zeros = sum(f == 0 != v for f, v in zip(found, values, strict=True))
        work.table.append(
            {
                "scheme": name,
                "error": errors[name],
                "bits": scheme.bits,
                "clipped": clipped,
                "zeros": zeros,
                "block": scheme.block,
            }
        )
        if name == given.scheme:
            work.put("error", errors[name], "fraction", "rms error over rms value", "estimate")
            worst = max(abs(f - v) for f, v in zip(found, values, strict=True))
            work.put("largest_error", worst, "value", "of one element")
            work.put("bits_per_value", scheme.bits, "bits", "with the block's scale")
            work.put("clipped", clipped, "values", "beyond the largest element", "count")
            work.put("zeros", zeros, "values", "that became 0", "count")
            work.formula = (
                f"{scheme.element} in blocks of {scheme.block} with a {scheme.scale} scale: "
                f"{plain(scheme.bits)} bits, error {plain(errors[name])}"
            )
    if errors["nvfp4"]:
        ratio = errors["mxfp4"] / errors["nvfp4"]
        work.put("mxfp4_over_nvfp4", ratio, "x", "error of the two on these values", "estimate")
    work.assume(
        "e8m0 by the OCP rule (exponent of the peak less that of the largest element); it may clip",
        "nvfp4 has one more fp32 scale for the tensor, which is not in the bits per value",
    )
    return work


class ScaleLeakageArguments(Arguments):
    """Arguments of scale_leakage."""

    own: list[Number] = Field(
        min_length=1, max_length=512, description="Activations of one user's token"
    )
    neighbour_peak: float = Field(
        ge=1e-9, le=1e6, description="Largest activation of another request in the batch"
    )
    element: Element = Field(default="e4m3", description="Format of the activations")
    scope: Literal["tensor", "token", "static"] = Field(
        default="tensor", description="What shares a scale: the whole batch, a token, a constant"
    )
    static_peak: float = Field(
        default=100, ge=1e-9, le=1e6, description="Calibrated peak of a static scale"
    )


@tool(
    group="numerics",
    example={"own": [0.11, -0.52, 1.3, 0.04, -2.4, 0.8], "neighbour_peak": 60},
    drawing=Drawing(
        kind="line",
        title="Error of one user's values against a neighbour's peak",
        x="neighbour_peak",
        x_label="largest activation of the neighbour",
        y_label="relative error",
        series=(Series("error", "error"),),
        log_x=True,
    ),
)
def scale_leakage(given: ScaleLeakageArguments) -> Working:
    """How another request in the batch changes one user's values through a shared scale.

    A scale over the whole batch takes the largest activation of all; a scale per token, or a fixed
    one, does not depend on the neighbours.
    """
    own = max(abs(value) for value in given.own)
    if not own:
        raise ToolError("own", given.own[:8], "are all 0: nothing can change")
    alone = _stored(given, 0.0)
    beside = _stored(given, given.neighbour_peak)
    changed = sum(a != b for a, b in zip(alone, beside, strict=True))
    work = Working(headline="changed", source="dynamic activation quantisation with a shared scale")
    work.put("changed", changed, "values", "differ with the neighbour in the batch", "count")
    worst = max(abs(a - b) for a, b in zip(alone, beside, strict=True))
    work.put("largest_change", worst, "value", "of one value")
    work.put("error_alone", relative_rms(alone, given.own), "fraction", "alone in the batch")
    work.put("error_beside", relative_rms(beside, given.own), "fraction", "beside the neighbour")
    scale = _scale(given, given.neighbour_peak) / _scale(given, 0.0)
    work.put("scale_ratio", scale, "x", "of the scales")
    work.formula = (
        f"scale {plain(_scale(given, 0.0))} alone, {plain(_scale(given, given.neighbour_peak))} "
        f"beside: {changed} of {len(given.own)} values change"
    )
    if changed:
        work.warn("one user's outputs depend on another's inputs: scale by token, or statically")
    else:
        work.assume("these values do not change" if given.scope == "tensor" else "no leak")
    work.assume("the reduction order of the batch is another, smaller leak (see accumulate)")
    peaks = sorted({own * 4.0**p for p in range(-2, 8)} | {given.neighbour_peak})
    work.table = [
        {"neighbour_peak": peak, "error": relative_rms(_stored(given, peak), given.own)}
        for peak in peaks
    ]
    return work


def _scale(given: ScaleLeakageArguments, neighbour: float) -> float:
    peak = max(abs(value) for value in given.own)
    peak = {"tensor": max(peak, neighbour), "token": peak, "static": given.static_peak}[given.scope]
    return peak / largest(given.element)


def _stored(given: ScaleLeakageArguments, neighbour: float) -> list[float]:
    return stored(given.element, given.own, _scale(given, neighbour))


class KvQuantErrorArguments(Arguments):
    """Arguments of kv_quant_error."""

    element: Element = Field(default="e4m3", description="Format of the cache")
    key_outlier: float = Field(
        default=10, ge=1, le=1000, description="A few key channels are this many times larger"
    )
    tokens: int = Field(default=12, ge=2, le=64, description="Tokens in the cache")
    dim: int = Field(default=16, ge=4, le=64, description="Width of the head")
    sharpness: float = Field(
        default=1, ge=1e-9, le=100, description="Factor on the logits: sharp attention errs more"
    )
    seed: int = Field(default=0, ge=0, le=2**32, description="Seed of the random cache")


@tool(
    group="numerics",
    example={"element": "int4", "key_outlier": 10},
    drawing=Drawing(
        kind="bars",
        title="Error of the output by where the scales lie",
        x="layout",
        x_label="scales",
        y_label="relative error",
        series=(Series("key_error", "from keys"), Series("value_error", "from values")),
    ),
)
def kv_quant_error(given: KvQuantErrorArguments) -> Working:
    """How errors of cached keys and values reach the output, by tensor, token or channel scales.

    A key's error changes a logit, which the softmax exponentiates: weights are off by e^error. A
    value's error is averaged by the weights. Keys have large channels, so their scales go there.
    """
    random = Random(given.seed)
    loud = {0, given.dim // 2}
    keys = [
        [random.gauss(0, 1) * (given.key_outlier if c in loud else 1) for c in range(given.dim)]
        for _ in range(given.tokens)
    ]
    values = [[random.gauss(0, 1) for _ in range(given.dim)] for _ in range(given.tokens)]
    query = [random.gauss(0, 1) / (given.key_outlier if c in loud else 1) for c in range(given.dim)]
    factor = given.sharpness / given.dim**0.5
    true, logits = _attend(query, keys, values, factor)
    work = Working(headline="key_error_token", source="KIVI (Liu et al. 2024): keys by channel")
    for axis in ("tensor", "token", "channel"):
        rough = _by_axis(keys, axis, given.element)
        out, off = _attend(query, rough, values, factor)
        worst = max(abs(a - b) for a, b in zip(off, logits, strict=True))
        other = _attend(query, keys, _by_axis(values, axis, given.element), factor)[0]
        key, value = relative_rms(out, true), relative_rms(other, true)
        work.table.append(
            {
                "layout": f"by {axis}",
                "key_error": key,
                "value_error": value,
                "logit_error": worst,
            }
        )
        work.put(f"key_error_{axis}", key, "fraction", f"keys by {axis}", "estimate")
        work.put(f"value_error_{axis}", value, "fraction", f"values by {axis}", "estimate")
        work.put(f"logit_error_{axis}", worst, "nats", f"largest, keys by {axis}", "estimate")
        work.put(f"weight_factor_{axis}", exp(min(worst, 100.0)), "x", "on a weight", "estimate")
    gain = work.measures["key_error_token"].value / (work.measures["key_error_channel"].value or 1)
    work.formula = f"keys by token {plain(work.measures['key_error_token'].value)}, by channel "
    work.formula += f"{plain(work.measures['key_error_channel'].value)}: {plain(gain)}x"
    work.assume(
        "one head, one query, random cache from the seed; two key channels are large",
        "scales by channel need all tokens of a group: new tokens wait in full precision",
    )
    return work


def _by_axis(rows: Sequence[Sequence[float]], axis: str, element: str) -> list[list[float]]:
    if axis == "channel":
        columns = [_one(column, element) for column in zip(*rows, strict=True)]
        return [list(row) for row in zip(*columns, strict=True)]
    if axis == "token":
        return [_one(row, element) for row in rows]
    flat = _one([value for row in rows for value in row], element)
    width = len(rows[0])
    return [flat[start : start + width] for start in range(0, len(flat), width)]


def _one(values: Sequence[float], element: str) -> list[float]:
    """Under one exact scale."""
    scale = max(map(abs, values)) / largest(element) or 1.0
    return stored(element, values, scale)


def _attend(
    query: Sequence[float],
    keys: Sequence[Sequence[float]],
    values: Sequence[Sequence[float]],
    factor: float,
) -> tuple[list[float], list[float]]:
    logits = [factor * dot(query, key) for key in keys]
    top = max(logits)
    weights = [exp(logit - top) for logit in logits]
    total = fsum(weights)
    output = [dot(weights, column) / total for column in zip(*values, strict=True)]
    return output, logits
