"""`fusion_io`, `kernel_timing`: bytes that fusion saves, and whether a measured time can be."""

from statistics import median
from typing import Annotated

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.percentile import nearest_rank
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Bytes = Annotated[float, Field(ge=0, le=1024)]
SPREAD = 0.1
"""Relative spread (90th over 10th percentile, less 1) from which a timing is called unsteady."""


class Pass(Arguments):
    """One kernel over the data."""

    name: str = Field(max_length=60, description="Name, e.g. square")
    read: Bytes = Field(default=0, description="Bytes that it reads for each element")
    write: Bytes = Field(default=0, description="Bytes that it writes for each element")


class FusionIoArguments(Arguments):
    """Arguments of fusion_io."""

    passes: list[Pass] = Field(
        min_length=1, max_length=40, description="Kernels with name, read, write per element"
    )
    fused_read: float = Field(ge=0, le=1024, description="Bytes the fused kernel reads per element")
    fused_write: float = Field(ge=0, le=1024, description="and writes per element")
    elements: float | None = Field(
        default=None, ge=1e-9, le=1e15, description="Elements, for a time"
    )
    bandwidth_tb_s: float | None = Field(
        default=None, ge=1e-9, le=1000, description="Memory bandwidth in TB/s, for a time"
    )
    launch_us: float = Field(
        default=0, ge=0, le=1e4, description="Time of a launch or gap between kernels, us"
    )


@tool(
    group="gpu_kernel_calc",
    example={
        "passes": [
            {"name": "cast", "read": 2, "write": 4},
            {"name": "square", "read": 4, "write": 4},
            {"name": "mean", "read": 4},
            {"name": "scale", "read": 4, "write": 4},
            {"name": "cast back", "read": 4, "write": 2},
            {"name": "weight", "read": 2, "write": 2},
        ],
        "fused_read": 2,
        "fused_write": 2,
        "elements": 67_108_864,
        "bandwidth_tb_s": 3.35,
    },
    drawing=Drawing(
        kind="bars",
        title="Bytes of each pass and of the fused kernel",
        x="kernel",
        x_label="kernel",
        y_label="bytes per element",
        series=(Series("read", "read"), Series("write", "written")),
    ),
)
def fusion_io(given: FusionIoArguments) -> Working:
    """Bytes of a chain of element-wise kernels against one fused kernel, and the time they save.

    Each pass reads and writes memory; fused, intermediate values stay in registers. RMSNorm in
    eager PyTorch (the example) moves nine times the bytes.
    """
    apart = sum(step.read + step.write for step in given.passes)
    fused = given.fused_read + given.fused_write
    if not fused:
        raise ToolError("fused_read", 0, "the fused kernel reads or writes something")
    work = Working(headline="ratio", source="bytes moved by element-wise kernels")
    work.put("ratio", apart / fused, "x", "bytes of the passes over the fused kernel's")
    work.put("passes_bytes", apart, "B/element", "all passes")
    work.put("fused_bytes", fused, "B/element", "fused kernel")
    if given.elements is not None and given.bandwidth_tb_s is not None:
        rate = given.bandwidth_tb_s * 1e12
        slow = apart * given.elements / rate * 1e6 + len(given.passes) * given.launch_us
        fast = fused * given.elements / rate * 1e6 + given.launch_us
        work.put("passes_us", slow, "us", "passes at the whole bandwidth", "floor")
        work.put("fused_us", fast, "us", "fused kernel", "floor")
        work.put("saved_us", slow - fast, "us", "by fusing", "estimate")
    elif given.elements is not None or given.bandwidth_tb_s is not None:
        missing = "elements" if given.elements is None else "bandwidth_tb_s"
        raise ToolError(missing, None, "is needed too for a time")
    sums = " + ".join(plain(step.read + step.write) for step in given.passes)
    work.formula = f"({sums}) / {plain(fused)} = {plain(apart / fused)}x"
    work.assume("no pass finds its input in cache: true once the data exceeds the L2")
    if fused > apart:
        work.warn("the fused kernel moves more than the passes: check its bytes")
    rows = [(step.name, step.read, step.write) for step in given.passes]
    rows.append(("fused", given.fused_read, given.fused_write))
    work.table = [{"kernel": name, "read": read, "write": write} for name, read, write in rows]
    return work


class KernelTimingArguments(Arguments):
    """Arguments of kernel_timing."""

    samples_us: list[Annotated[float, Field(ge=1e-9, le=1e9)]] = Field(
        min_length=1, max_length=2000, description="Measured times of the kernel in us, in order"
    )
    useful_gb: float = Field(ge=1e-9, le=1e5, description="Bytes that it must move, GB (1e9 B)")
    flops: float = Field(default=0, ge=0, le=1e20, description="FLOP that it must do")
    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    dtype: str = Field(default="bf16", max_length=8, description="Format of the arithmetic")
    warm_up: int = Field(default=0, ge=0, le=1000, description="First samples to drop")


@tool(
    group="gpu_kernel_calc",
    example={
        "samples_us": [95, 52, 51, 50.5, 51, 50, 50.5, 52, 51, 50.5],
        "useful_gb": 0.134,
        "gpu": "H100",
        "warm_up": 1,
    },
    drawing=Drawing(
        kind="line",
        title="Samples in order, and the floor",
        x="sample",
        x_label="sample",
        y_label="us",
        series=(Series("us", "measured"), Series("floor_us", "floor")),
    ),
)
def kernel_timing(given: KernelTimingArguments) -> Working:
    """Median and spread of a kernel's times, bandwidth reached, and whether they can be true.

    A median that beats the memory's bandwidth or the peak is no record but a fault: no
    synchronisation, data in L2, or too few bytes counted. It is refused, not reported.
    """
    gpu = find_gpu(given.gpu)
    kept = given.samples_us[given.warm_up :]
    if not kept:
        raise ToolError("warm_up", given.warm_up, f"leaves none of {len(given.samples_us)} samples")
    middle, peak = median(kept), gpu.spec.peak_tflops(given.dtype)
    if peak is None:
        raise ToolError("dtype", given.dtype, f"{gpu.name} has no such peak")
    memory = given.useful_gb * GB / (gpu.spec.bandwidth_tb_s * 1e12) * 1e6
    floor = max(memory, given.flops / (peak * 1e12) * 1e6)
    in_l2 = given.useful_gb * 1e3 <= gpu.spec.l2_mb
    if middle < floor:
        hint = (
            "the data fits in L2: flush it between samples"
            if in_l2
            else ("synchronise before stopping the clock; check the bytes")
        )
        raise ToolError(
            "samples_us", middle, f"median beats the floor of {plain(floor)} us: {hint}"
        )
    work = Working(headline="median_us", source="median of device timings against the roofline")
    work.put("median_us", middle, "us", f"of {len(kept):,} samples")
    low, high = nearest_rank(sorted(kept), 0.1), nearest_rank(sorted(kept), 0.9)
    work.put("p10_us", low, "us", "10th percentile")
    work.put("p90_us", high, "us", "90th percentile")
    work.put("floor_us", floor, "us", "reads at the bandwidth, or arithmetic at the peak", "floor")
    work.put("floor_share", floor / middle, "fraction", "of the roofline that is reached")
    work.put("reached_TB_s", given.useful_gb * 1e3 / middle, "TB/s", "of useful bytes")
    work.formula = f"{plain(floor)} us / {plain(middle)} us = {plain(floor / middle)}"
    if high > low * (1 + SPREAD):
        work.warn(f"unsteady: p90 is {plain(high / low)} times p10: lock clocks, warm up longer")
    if in_l2:
        work.warn("the data fits in L2: without a flush between samples this is no memory timing")
    if given.samples_us[0] > 1.3 * middle and not given.warm_up:
        work.warn("the first sample is a warm-up: drop it")
    work.assume(
        "events around the kernel on the device's own clock, or a synchronisation before each read",
        "the launch is not in the time, or is hidden by the kernels before it",
    )
    gpu.tell(work)
    work.table = [
        {"sample": i, "us": us, "floor_us": floor, "kept": i > given.warm_up}
        for i, us in enumerate(given.samples_us[:400], 1)
    ]
    return work
