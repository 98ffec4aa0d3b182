"""`quant_planner`, `quant_flip`, `dequant_budget`: bits of a weight, and when fewer pay."""

from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

PRESETS: dict[str, tuple[float, int, float, float]] = {
    "mxfp4": (4, 32, 8, 0),
    "nvfp4": (4, 16, 8, 0),
    "int4_g128": (4, 128, 16, 0),
    "int4_g128_zero": (4, 128, 16, 4),
    "int4_g64_zero": (4, 64, 16, 4),
    "mxfp8": (8, 32, 8, 0),
    "fp8_block128x128": (8, 16_384, 32, 0),
    "int8_channel": (8, 4096, 32, 0),
    "bf16": (16, 1, 0, 0),
}
"""Bits of an element, elements of a group, bits of its scale, bits of its zero point."""
Preset = Literal[
    "mxfp4",
    "nvfp4",
    "int4_g128",
    "int4_g128_zero",
    "int4_g64_zero",
    "mxfp8",
    "fp8_block128x128",
    "int8_channel",
    "bf16",
]


class QuantPlannerArguments(Arguments):
    """Arguments of quant_planner."""

    format: Preset | None = Field(default=None, description="A usual format, or its parts below")
    bits: float | None = Field(default=None, ge=1, le=32, description="Bits of an element")
    group: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Elements that share a scale"
    )
    scale_bits: float = Field(default=16, ge=0, le=64, description="Bits of a scale")
    zero_bits: float = Field(default=0, ge=0, le=64, description="Bits of a zero point")
    params_b: float | None = Field(
        default=None, ge=1e-9, le=1e6, description="Parameters in this format, billions, for bytes"
    )
    wide_params_b: float = Field(
        default=0, ge=0, le=1e6, description="Further parameters that stay at 16 bits, billions"
    )


@tool(
    group="quant_planner",
    example={"format": "nvfp4", "params_b": 69.5, "wide_params_b": 1.05},
    drawing=Drawing(
        kind="bars",
        title="Bits per weight: element, scale, zero point",
        x="format",
        x_label="format",
        y_label="bits per weight",
        series=(
            Series("element", "element"),
            Series("scale", "scale"),
            Series("zero", "zero point"),
        ),
    ),
)
def quant_planner(given: QuantPlannerArguments) -> Working:
    """Bits per weight with scales and zero points, and the bytes of a model that keeps a part wide.

    bits + (scale bits + zero bits) / group: 4 + 8/32 = 4.25 for MXFP4, 4 + 8/16 = 4.5 for NVFP4.
    """
    bits, group, scale, zero = _parts(given)
    whole = bits + (scale + zero) / group
    work = Working(headline="bits_per_weight", source="OCP MX 1.0; NVFP4; GPTQ/AWQ group layouts")
    work.put("bits_per_weight", whole, "bits", "element, scale and zero point")
    work.put("overhead_bits", whole - bits, "bits", "of scales and zero points")
    work.put("against_bf16", 16 / whole, "x", "smaller than 16 bits")
    work.formula = f"{plain(bits)} + ({plain(scale)} + {plain(zero)}) / {group:,} = {plain(whole)}"
    if given.params_b is not None:
        narrow, wide = given.params_b * whole / 8, given.wide_params_b * 2
        work.put("narrow_GB", narrow, "GB", "quantised weights (1e9 B)")
        work.put("wide_GB", wide, "GB", "at 16 bits")
        work.put("weights_GB", narrow + wide, "GB", "all weights")
        average = (narrow + wide) * 8 / (given.params_b + given.wide_params_b)
        work.put("average_bits", average, "bits", "over all weights")
        work.put("wide_share", wide / (narrow + wide), "fraction", "of the bytes in wide weights")
    if given.format == "nvfp4":
        work.assume("one more fp32 scale for each tensor, which vanishes in the mean")
    work.assume("padding of rows to whole groups is not counted")
    work.table = [
        {"format": name, "element": b, "scale": s / g, "zero": z / g, "bits": b + (s + z) / g}
        for name, (b, g, s, z) in PRESETS.items()
    ]
    if given.format is None:
        row = {"format": "given", "element": bits, "scale": scale / group, "zero": zero / group}
        work.table.append({**row, "bits": whole})
    return work


def _parts(given: QuantPlannerArguments) -> tuple[float, int, float, float]:
    if given.format is not None:
        if given.bits is not None or given.group is not None:
            raise ToolError("bits", given.bits, "give a format or its bits and group, not both")
        return PRESETS[given.format]
    if given.bits is None or given.group is None:
        missing = "bits" if given.bits is None else "group"
        raise ToolError(missing, None, "is needed: give a format, or bits and group")
    return given.bits, given.group, given.scale_bits, given.zero_bits


class QuantFlipArguments(Arguments):
    """Arguments of quant_flip."""

    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    bits: float = Field(default=4, ge=1, le=16, description="Bits of a weight, scales included")
    math: Literal["bf16", "fp16", "fp8", "fp4"] = Field(
        default="bf16", description="Arithmetic of the weight-only format (W4A16: bf16)"
    )
    other_bits: float = Field(
        default=8, ge=1, le=16, description="Bits of a weight of the format to compare with"
    )
    other_math: Literal["bf16", "fp16", "fp8", "fp4"] = Field(
        default="fp8", description="Arithmetic of that format"
    )
    efficiency: float = Field(
        default=1,
        ge=1e-9,
        le=1,
        description="Share of the peak that the weight-only kernel reaches",
    )


@tool(
    group="quant_planner",
    example={"gpu": "H100", "bits": 4, "math": "bf16", "other_bits": 8, "other_math": "fp8"},
    drawing=Drawing(
        kind="line",
        title="Time of a billion weights by tokens of a step",
        x="tokens",
        x_label="tokens of the step",
        y_label="ms for 1e9 weights",
        series=(
            Series("this_ms", "weight-only"),
            Series("other_ms", "compared with"),
            Series("bf16_ms", "bf16"),
        ),
        log_x=True,
        log_y=True,
    ),
)
def quant_flip(given: QuantFlipArguments) -> Working:
    """Tokens of a step at which a weight-only format loses to one whose arithmetic is narrow too.

    Weight-only saves bytes and keeps wide arithmetic: it becomes compute-bound early, and from the
    flip on the other format is faster. The model cancels: both sides scale with its weights.
    """
    gpu = find_gpu(given.gpu)
    mine, theirs = _peak(gpu, "math", given.math), _peak(gpu, "other_math", given.other_math)
    mine *= given.efficiency
    bandwidth = gpu.spec.bandwidth_tb_s
    ridge = mine / bandwidth * given.bits / 16
    work = Working(headline="flip_tokens", source="roofline of a weight matrix; the model cancels")

    def time(tokens: float, bits: float, peak: float) -> float:
        return max(bits / 8 / bandwidth, 2 * tokens / peak)

    flip = mine * given.other_bits / 16 / bandwidth
    if given.bits < given.other_bits and theirs > mine:
        work.put("flip_tokens", flip, "tokens/step", "from here the other format is faster")
        work.formula = (
            f"{plain(mine)} TFLOPS x {plain(given.other_bits / 8)} B / (2 x {plain(bandwidth)} "
            f"TB/s) = {plain(flip)} tokens"
        )
    else:
        work.headline = "compute_bound_tokens"
        work.assume("no flip: one format is at least as good in bytes and in arithmetic")
        work.formula = (
            f"{plain(mine)} / {plain(bandwidth)} x {plain(given.bits)} / 16 = {plain(ridge)} tokens"
        )
    work.put("compute_bound_tokens", ridge, "tokens/step", "from here it is compute-bound")
    work.put("most_gain", given.other_bits / given.bits, "x", "over the other at small batches")
    work.put("bf16_gain", 16 / given.bits, "x", "over bf16 at small batches", "ceiling")
    work.put("most_loss", max(1.0, theirs / mine), "x", "against the other at large batches")
    wide = _peak(gpu, "math", "bf16")
    work.assume("weights are read once a step; activations and scales are not counted")
    gpu.tell(work)
    marks = {1.0, 4.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0, ridge, flip}
    work.table = [
        {
            "tokens": tokens,
            "this_ms": time(tokens, given.bits, mine),
            "other_ms": time(tokens, given.other_bits, theirs),
            "bf16_ms": time(tokens, 16, wide),
        }
        for tokens in sorted(marks)
    ]
    return work


def _peak(gpu: NamedGpu, field: str, dtype: str) -> float:
    peak = gpu.spec.peak_tflops(dtype)
    if peak is None:
        raise ToolError(field, dtype, f"{gpu.name} has no such arithmetic")
    return peak


class DequantBudgetArguments(Arguments):
    """Arguments of dequant_budget."""

    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    bits: float = Field(default=4, ge=1, le=16, description="Bits of a weight in memory")
    clock_ghz: float = Field(ge=1e-9, le=10, description="SM clock in GHz, e.g. 1.755")
    lanes: int = Field(
        default=128, ge=1, le=4096, description="Lane instructions of an SM per clock (4 x 32)"
    )
    instructions: float | None = Field(
        default=None,
        ge=1e-9,
        le=1000,
        description="Lane instructions that a weight's conversion takes",
    )


@tool(
    group="quant_planner",
    example={"gpu": "H100", "bits": 4, "clock_ghz": 1.755, "instructions": 2},
    drawing=Drawing(
        kind="bars",
        title="Lane instructions for each weight at the whole bandwidth",
        x="bits",
        x_label="bits of a weight",
        y_label="instructions per weight",
        series=(Series("budget", "budget"),),
    ),
)
def dequant_budget(given: DequantBudgetArguments) -> Working:
    """Instructions that each weight may cost if weights arrive at the whole memory bandwidth.

    Issue slots of all SMs over weights per second. A naive int-to-float cast and a scale exceed it;
    bit tricks (an exponent's bits put over the integer, one fused multiply-add for two) fit.
    """
    gpu = find_gpu(given.gpu)
    slots = gpu.spec.sms * given.lanes * given.clock_ghz * 1e9

    def budget(bits: float) -> float:
        return slots / (gpu.spec.bandwidth_tb_s * 1e12 * 8 / bits)

    found = budget(given.bits)
    work = Working(headline="instructions_per_weight", source="issue slots over weights per second")
    work.put("instructions_per_weight", found, "instructions", "lane instructions", "ceiling")
    rate = gpu.spec.bandwidth_tb_s * 8 / given.bits
    work.put("weights_per_second", rate, "1e12 weights/s", "at the whole bandwidth", "ceiling")
    work.put("issue_slots", slots / 1e12, "1e12 instructions/s", "of all SMs", "ceiling")
    work.formula = (
        f"{gpu.spec.sms} x {given.lanes} x {plain(given.clock_ghz)} GHz / ({plain(rate)}e12 "
        f"weights/s) = {plain(found)}"
    )
    if given.instructions is not None:
        share = found / given.instructions
        work.put(
            "bandwidth_share", min(1.0, share), "fraction", "that conversion allows", "ceiling"
        )
        work.put("slots_used", 1 / share, "x", "of the issue slots, for conversion alone")
        if share < 1:
            work.warn("conversion, not memory, bounds this kernel")
    work.assume(
        "every slot is free for conversion: addresses, loads and the products need some too",
        "packed instructions count once for the two weights that they convert",
    )
    gpu.tell(work)
    work.table = [{"bits": str(bits), "budget": budget(bits)} for bits in (2, 3, 4, 6, 8)]
    return work
