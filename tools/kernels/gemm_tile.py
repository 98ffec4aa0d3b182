"""`gemm_tile`: what pins each side of a GEMM tile: reuse, swizzle, registers, shared memory."""

from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.kernels.multiprocessor import KIB, limits
from tools.precision import BYTES
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

SWIZZLE_ROW, SHARED_PER_CLOCK, WARPGROUP_ROWS = 128, 128, 64
"""Bytes of a swizzled row; shared-memory bytes of an SM a clock; rows of a Hopper instruction."""
SHAPES = ((64, 128), (128, 128), (128, 192), (128, 256), (192, 256), (256, 256))


class GemmTileArguments(Arguments):
    """Arguments of gemm_tile."""

    tile_m: int = Field(default=128, ge=16, le=1024, description="Rows of the tile")
    tile_n: int = Field(default=256, ge=8, le=1024, description="Columns of the tile")
    tile_k: int | None = Field(
        default=None, ge=8, le=1024, description="Depth of a stage; default: one swizzled row"
    )
    dtype: Literal["bf16", "fp16", "fp8", "fp4"] = Field(
        default="bf16", description="Format of both operands"
    )
    stages: int | None = Field(
        default=None, ge=1, le=64, description="Stages in flight; default: as many as fit"
    )
    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    clock_ghz: float = Field(default=1.83, ge=1e-9, le=10, description="SM clock in GHz")
    pair: bool = Field(
        default=False, description="Two SMs share the B operand (Blackwell's paired instruction)"
    )


@tool(
    group="gpu_kernel_calc",
    example={"tile_m": 128, "tile_n": 256, "gpu": "H100"},
    drawing=Drawing(
        kind="line",
        title="Reuse of a tile and the register file that its sum takes",
        x="area",
        x_label="rows x columns of the tile",
        y_label="FLOP/B / 100; share of registers",
        series=(
            Series("intensity_100", "FLOP per byte loaded / 100"),
            Series("register_share", "register share"),
        ),
        log_x=True,
    ),
)
def gemm_tile(given: GemmTileArguments) -> Working:
    """Budgets of a GEMM tile: FLOP per loaded byte, accumulator, stages, operand traffic.

    M and N set the reuse, 2MN/(M+N) per element; a 128-byte swizzled row sets K; the fp32 sum of
    M x N fills registers (Hopper) or tensor memory (Blackwell); stages fill shared memory.
    """
    gpu = find_gpu(given.gpu)
    capability, sm = limits(gpu)
    size = BYTES[given.dtype]
    row = int(SWIZZLE_ROW / size)
    m, n, k = given.tile_m, given.tile_n, given.tile_k or row
    stage = (m + n) * k * size
    most = int(sm.shared_block // stage)
    if most < 1:
        raise ToolError("tile_k", k, f"a stage of {plain(stage)} B exceeds the shared memory")
    stages = given.stages or most
    if stages > most:
        raise ToolError("stages", stages, f"at most {most} of {plain(stage)} B fit")
    work = Working(headline="intensity", source="reuse of a tile; CUDA guide for the budgets")
    work.put("intensity", _intensity(m, n, size), "FLOP/B", "for each byte loaded from L2")
    blackwell = capability == "10.0"
    where = "tensor memory" if blackwell else "the register file"
    work.put("accumulator_KiB", m * n * 4 / KIB, "KiB", "fp32 sums of the tile")
    share = m * n * 4 / (256 * KIB)
    work.put("register_share", share, "fraction", f"of {where} (256 KiB) for the sums")
    if share > 1:
        raise ToolError("tile_n", n, f"sums of {m} x {n} exceed {where}")
    work.put("swizzle_k", row, "elements", "of a 128-byte row, which K is a multiple of", "count")
    work.put("stage_KiB", stage / KIB, "KiB", "both operands of a stage")
    work.put("stages", stages, "stages", f"in flight; {most} fit", "count")
    work.put("in_flight_KiB", stages * stage / KIB, "KiB/SM", "operands in flight or in use")
    _put_operands(work, given, gpu, (m, n, k), blackwell=blackwell)
    work.put("thread_copies", stage / 16, "instructions", "16-byte cp.async of a stage", "count")
    work.put("tma_copies", 2, "instructions", "TMA copies instead, issued by one thread", "count")
    work.formula = (
        f"2 x {m} x {n} / (({m} + {n}) x {size:g} B) = {plain(_intensity(m, n, size))} FLOP/B; "
        f"{m} x {n} x 4 B / 256 KiB = {plain(share)}"
    )
    if k % row:
        work.warn(f"K of {k} is no multiple of the swizzled row of {row}: banks conflict")
    if blackwell:
        work.assume("the sums lie in tensor memory: registers are free for the epilogue")
    gpu.tell(work)
    work.table = [
        {
            "area": rows * columns,
            "tile": f"{rows} x {columns}",
            "intensity_100": _intensity(rows, columns, size) / 100,
            "register_share": rows * columns * 4 / (256 * KIB),
        }
        for rows, columns in SHAPES
    ]
    return work


def _intensity(m: int, n: int, size: float) -> float:
    return 2 * m * n / ((m + n) * size)


def _put_operands(
    work: Working,
    given: GemmTileArguments,
    gpu: NamedGpu,
    tile: tuple[int, int, int],
    *,
    blackwell: bool,
) -> None:
    """Shared-memory bytes that the tensor core reads, against its time."""
    m, n, k = tile
    size, peak = BYTES[given.dtype], gpu.spec.peak_tflops(given.dtype)
    if peak is None:
        raise ToolError("dtype", given.dtype, f"{gpu.name} has no such peak")
    rows = 128 if blackwell else WARPGROUP_ROWS
    again = -(-m // rows)
    read = (m + again * n / (2 if given.pair else 1)) * k * size
    if given.pair and not blackwell:
        raise ToolError("pair", True, f"{gpu.name} has no instruction over two SMs")
    per_clock = peak * 1e12 / (gpu.spec.sms * given.clock_ghz * 1e9)
    clocks = 2 * m * n * k / per_clock
    work.put("operand_KiB", read / KIB, "KiB/stage", "that the tensor core reads", "estimate")
    work.put("mma_clocks", clocks, "clocks/stage", "of the tensor core at its peak", "floor")
    share = read / SHARED_PER_CLOCK / clocks
    work.put(
        "shared_share", share, "x", "time of those reads over it: below 1 it keeps up", "estimate"
    )
    work.assume(
        f"an instruction covers {rows} rows and reads B anew for each; A once; "
        f"{SHARED_PER_CLOCK} B of shared memory a clock"
    )
