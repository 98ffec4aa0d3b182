"""`outlier_quant`, `scaled_gemm`: loud channels in narrow grids; the price of scales along K."""

from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.kernels.floats import FORMATS
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class OutlierQuantArguments(Arguments):
    """Arguments of outlier_quant."""

    usual: float = Field(ge=1e-9, le=1e4, description="Size of a usual activation, e.g. 0.5")
    outlier: float = Field(ge=1e-9, le=1e6, description="Largest of a loud channel, e.g. 60")
    weight: float = Field(
        default=0.1, ge=1e-9, le=1e3, description="Largest weight of that channel, for smoothing"
    )
    alpha: float = Field(
        default=0.5, ge=0, le=1, description="SmoothQuant's migration strength, 0 to 1"
    )


@tool(
    group="quant_planner",
    example={"usual": 0.5, "outlier": 60},
    drawing=Drawing(
        kind="line",
        title="Relative error of a usual value against the outlier",
        x="outlier",
        x_label="largest activation",
        y_label="half a step over the value",
        series=(Series("int8", "int8 per token"), Series("fp8", "e4m3")),
        log_x=True,
        log_y=True,
    ),
)
def outlier_quant(given: OutlierQuantArguments) -> Working:
    """What a loud channel leaves of INT8's grid for the others, with smoothing, and under FP8.

    One scale per token spans the outlier: usual values get few levels. A scale per channel runs
    along the reduction, which a tensor core cannot apply. SmoothQuant divides the channel by
    s = X^a / W^(1-a) and multiplies the weights; FP8's steps shrink with the value by themselves.
    """
    if given.outlier < given.usual:
        raise ToolError("outlier", given.outlier, f"is less than the usual {given.usual:g}")
    work = Working(headline="levels", source="SmoothQuant (Xiao et al. 2023)")
    step = given.outlier / 127
    work.put("levels", given.usual / step, "levels", "of 127 that a usual value spans")
    work.put(
        "int8_error", _int8(given.usual, given.outlier), "fraction", "half a step, of the value"
    )
    factor = given.outlier**given.alpha / given.weight ** (1 - given.alpha)
    work.put("smooth_factor", factor, "x", "by which the channel is divided")
    smoothed = given.outlier / factor
    peak = max(smoothed, given.usual)
    work.put("smoothed_peak", smoothed, "value", "of the channel afterwards")
    work.put("smoothed_levels", given.usual / (peak / 127), "levels", "of a usual value afterwards")
    work.put("smoothed_error", _int8(given.usual, peak), "fraction", "of a usual value afterwards")
    work.put("smoothed_weight", given.weight * factor, "value", "of that channel's largest weight")
    work.put("fp8_error", _fp8(given.usual, given.outlier), "fraction", "e4m3 per token, at most")
    work.formula = (
        f"{plain(given.usual)} / ({plain(given.outlier)} / 127) = "
        f"{plain(given.usual / step)} levels; e4m3 error {plain(_fp8(given.usual, given.outlier))}"
    )
    if given.usual < step / 2:
        work.warn("usual values are under half a step: they all become 0")
    work.assume(
        "symmetric scales, one per token; the other channels are not smoothed (their factor is 1)",
        "e4m3 keeps its relative error until values fall under its least normal one",
    )
    outliers = sorted({given.usual * 2.0**p for p in range(12)} | {given.outlier})
    work.table = [
        {"outlier": o, "int8": _int8(given.usual, o), "fp8": _fp8(given.usual, o)} for o in outliers
    ]
    return work


def _int8(value: float, peak: float) -> float:
    return min(1.0, peak / 127 / 2 / value)


def _fp8(value: float, peak: float) -> float:
    form = FORMATS["e4m3"]
    scaled = value * form.largest / peak
    return min(1.0, form.ulp(scaled) / 2 / scaled)


class ScaledGemmArguments(Arguments):
    """Arguments of scaled_gemm."""

    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    clock_ghz: float = Field(default=1.83, ge=1e-9, le=10, description="SM clock in GHz")
    tile_m: int = Field(default=128, ge=16, le=512, description="Rows of the tile")
    tile_n: int = Field(default=128, ge=8, le=512, description="Columns of the tile")
    block_k: int = Field(
        default=128, ge=16, le=16_384, description="Elements of K that share a scale"
    )
    dtype: Literal["fp8", "fp4"] = Field(default="fp8", description="Format of both operands")
    instructions: float = Field(
        default=2,
        ge=1,
        le=16,
        description="Lane instructions for each sum and block: multiply by the scale, and add",
    )
    lanes: int = Field(default=128, ge=1, le=4096, description="fp32 lanes of an SM")


@tool(
    group="numerics",
    example={"gpu": "H100", "tile_m": 128, "tile_n": 128, "block_k": 128},
    drawing=Drawing(
        kind="line",
        title="Promotion to fp32 against the tensor core's time",
        x="block_k",
        x_label="elements of K that share a scale",
        y_label="share of the tensor core's time",
        series=(Series("share", "share"),),
        log_x=True,
    ),
)
def scaled_gemm(given: ScaledGemmArguments) -> Working:
    """Price of scales that change along K: partial sums promoted to fp32 on the CUDA cores.

    A tensor core sums along K under one scale. Each block's partial tile is taken out, multiplied
    by its scale and added in fp32; Blackwell applies block scales inside the instruction.
    """
    gpu = find_gpu(given.gpu)
    peak = gpu.spec.peak_tflops(given.dtype)
    if peak is None:
        raise ToolError("dtype", given.dtype, f"{gpu.name} has no such peak")
    per_clock = peak * 1e12 / (gpu.spec.sms * given.clock_ghz * 1e9)

    def clocks(block: float) -> float:
        return 2 * given.tile_m * given.tile_n * block / per_clock

    promotion = given.tile_m * given.tile_n * given.instructions / given.lanes
    share = promotion / clocks(given.block_k)
    work = Working(headline="promotion_share", source="DeepSeek-V3 (2024), section 3.3.2; roofline")
    work.put(
        "promotion_share", share, "x", "clocks of promotion over the tensor core's", "estimate"
    )
    work.put("mma_clocks", clocks(given.block_k), "clocks/block", "of the tensor core", "floor")
    work.put("promotion_clocks", promotion, "clocks/block", "of the fp32 lanes", "floor")
    work.put("slowdown", 1 + share, "x", "if nothing overlaps", "ceiling")
    work.put("overlapped", max(1.0, share), "x", "if two warpgroups alternate", "floor")
    hidden = given.block_k * share
    work.put(
        "hiding_block_k", hidden, "elements", "block from which promotion can hide", "estimate"
    )
    work.formula = (
        f"{given.tile_m} x {given.tile_n} x {plain(given.instructions)} / {given.lanes} = "
        f"{plain(promotion)} clocks against {plain(clocks(given.block_k))}: {plain(share)}"
    )
    if gpu.name.startswith(("B200", "GB200")):
        work.assume("with MX formats the tensor core applies the scales itself: no promotion")
    work.assume("the tile does not matter: both sides scale with its area")
    if share > 1:
        work.warn("promotion takes longer than the products: take larger blocks of K")
    gpu.tell(work)
    work.table = [
        {"block_k": block, "share": promotion / clocks(block)}
        for block in sorted({32, 64, 128, 256, 512, 1024, given.block_k})
    ]
    return work
