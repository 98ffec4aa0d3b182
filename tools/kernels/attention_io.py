"""`attention_io`, `l2_pinning`: bytes of attention with and without tiling; what L2 can hold."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import BYTES, GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class AttentionIoArguments(Arguments):
    """Arguments of attention_io."""

    tokens: int = Field(ge=1, le=10_000_000, description="Queries and keys of the prompt")
    head_dim: int = Field(default=128, ge=1, le=1024, description="Width of a head")
    block_q: int = Field(default=128, ge=1, le=65_536, description="Query rows of a tile")
    heads: int = Field(default=1, ge=1, le=100_000, description="Heads x batch, for totals")
    dtype: Dtype = Field(default="bf16", description="Format of Q, K, V, scores and output")
    gpu: str | None = Field(default=None, max_length=60, description="GPU by name, for L2 and time")
    clock_ghz: float | None = Field(
        default=None, ge=1e-9, le=10, description="SM clock in GHz, for the exponentials, e.g. 1.83"
    )
    exp_per_clock: int = Field(
        default=16, ge=1, le=1024, description="Exponentials per clock of an SM (MUFU), Hopper 16"
    )


@tool(
    group="gpu_kernel_calc",
    example={"tokens": 8192, "gpu": "H100", "clock_ghz": 1.83},
    drawing=Drawing(
        kind="bars",
        title="Bytes of one head by three counts",
        x="count",
        x_label="",
        y_label="MB",
        series=(Series("inputs_MB", "Q, K, V, output"), Series("rest_MB", "scores or re-reads")),
    ),
)
def attention_io(given: AttentionIoArguments) -> Working:
    """Bytes of attention: scores written out, FlashAttention's textbook count, and with L2.

    The textbook has each block of queries re-read all keys and values from memory; query blocks
    that run together share them in L2, so that memory sees Q, K, V and the output about once.
    """
    n, d, size = given.tokens, given.head_dim, BYTES[given.dtype]
    inputs = 4 * n * d * size
    naive = inputs + 4 * n * n * size
    blocks = -(-n // given.block_q)
    textbook = (2 * n * d + 2 * n * d * blocks) * size
    work = Working(headline="textbook_ratio", source="FlashAttention (Dao et al. 2022), IO counts")
    work.put("textbook_ratio", naive / textbook, "x", "scores written out against tiled")
    work.put("l2_ratio", naive / inputs, "x", "against Q, K, V, output once (L2 shares K and V)")
    for key, moved, label in (
        ("naive_GB", naive, "scores written and read twice"),
        ("textbook_GB", textbook, f"K and V re-read by {blocks:,} query blocks"),
        ("once_GB", inputs, "each of Q, K, V, output once"),
    ):
        work.put(
            key, moved * given.heads / GB, "GB", label, "floor" if key == "once_GB" else "exact"
        )
    flops = 4.0 * n * n * d
    work.put("intensity_textbook", flops / textbook, "FLOP/B", "of the textbook count, no mask")
    gpu = find_gpu(given.gpu) if given.gpu else None
    if gpu:
        gpu.tell(work)
        _put_gpu(work, given, gpu)
    elif given.clock_ghz is not None:
        raise ToolError("gpu", None, "is needed beside clock_ghz, for its SMs and its peak")
    work.formula = (
        f"(4 x {n:,} x {d} + 4 x {n:,}^2) / (2 x {n:,} x {d} + 2 x {n:,} x {d} x {blocks:,}) = "
        f"{plain(naive / textbook)}; / (4 x {n:,} x {d}) = {plain(naive / inputs)}"
    )
    work.assume("no causal mask; one pass forward; every count in the format given")
    work.table = [
        {"count": "scores written", "inputs_MB": inputs / 1e6, "rest_MB": (naive - inputs) / 1e6},
        {
            "count": "tiled, textbook",
            "inputs_MB": min(inputs, textbook) / 1e6,
            "rest_MB": max(0.0, textbook - inputs) / 1e6,
        },
        {"count": "tiled, L2 shares", "inputs_MB": inputs / 1e6, "rest_MB": 0.0},
    ]
    return work


def _put_gpu(work: Working, given: AttentionIoArguments, gpu: NamedGpu) -> None:
    keys = 2 * given.tokens * given.head_dim * BYTES[given.dtype]
    work.put("kv_in_l2", keys / (gpu.spec.l2_mb * 1e6), "x", "K and V of one head over the L2")
    peak = gpu.spec.peak_tflops(given.dtype) or gpu.spec.bf16_tflops
    if given.clock_ghz is None:
        return
    exps = given.exp_per_clock * gpu.spec.sms * given.clock_ghz * 1e9
    work.put("exp_TOPS", exps / 1e12, "Tops/s", "exponentials of all SMs", "ceiling")
    ratio = (1 / exps) / (4 * given.head_dim / (peak * 1e12))
    work.put("exp_share", ratio, "x", "time of exponentials over time of both products")
    work.put(
        "serial_share", 1 / (1 + ratio), "fraction", "of the peak if neither overlaps", "ceiling"
    )
    work.assume("one exponential for each score: 4 x head_dim FLOPs of products stand beside it")


class L2PinningArguments(Arguments):
    """Arguments of l2_pinning."""

    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    step_gb: float = Field(ge=1e-9, le=1e5, description="Bytes that a step reads once, GB per GPU")
    pinned_mb: float = Field(ge=1e-9, le=1e6, description="Data to keep in L2, MB (1e6 B)")
    reads: int = Field(default=1, ge=1, le=1_000_000, description="Reads of that data in a step")
    pinnable: float = Field(
        default=0.75,
        ge=1e-9,
        le=1,
        description="Share of the L2 that may be set aside (CUDA: 0.75)",
    )
    l2_tb_s: float | None = Field(
        default=None, ge=1e-9, le=1000, description="L2 bandwidth in TB/s; default: counted as free"
    )


@tool(
    group="gpu_kernel_calc",
    example={"step_gb": 17.6, "pinned_mb": 30},
    drawing=Drawing(
        kind="line",
        title="Share of a step's reads that a pinned region takes away",
        x="reads",
        x_label="reads of the pinned data in a step",
        y_label="saved share of the step",
        series=(Series("saved_share", "saved"),),
        log_x=True,
    ),
)
def l2_pinning(given: L2PinningArguments) -> Working:
    """What keeping data in a reserved part of L2 saves of a memory-bound step.

    A step streams far more than the L2 holds, so pinning helps only data that is small and read
    often; a cache region that is read once a step is saved once.
    """
    gpu = find_gpu(given.gpu)
    room = gpu.spec.l2_mb * given.pinnable
    held = min(given.pinned_mb, room)
    rate = gpu.spec.bandwidth_tb_s * 1e12
    work = Working(
        headline="saved_share", source="CUDA guide: L2 set-aside for persisting accesses"
    )

    def step_s(reads: int) -> float:
        return (given.step_gb * GB + held * 1e6 * (reads - 1)) / rate

    def saved_s(reads: int) -> float:
        fast = 1 / (given.l2_tb_s * 1e12) if given.l2_tb_s else 0.0
        return max(0.0, held * 1e6 * reads * (1 / rate - fast))

    step, saved = step_s(given.reads), saved_s(given.reads)
    if held > given.step_gb * 1e3:
        raise ToolError("pinned_mb", given.pinned_mb, "is more than the step reads")
    work.put("saved_share", saved / step, "fraction", "of the step, at most", "ceiling")
    work.put("saved_us", saved * 1e6, "us/step", "at most", "ceiling")
    work.put("step_ms", step * 1e3, "ms", "reads from memory without pinning", "floor")
    work.put("room_MB", room, "MB", f"{plain(given.pinnable * 100)} % of the L2")
    work.put("held_share", held / given.pinned_mb, "fraction", "of the data that fits")
    ratio = given.step_gb * 1e3 / gpu.spec.l2_mb
    work.put("stream_over_l2", ratio, "x", "what a step streams, over the L2")
    work.formula = (
        f"{plain(held)} MB x {given.reads:,} / {plain(step * rate / GB)} GB = {plain(saved / step)}"
    )
    work.assume(
        f"L2 of {plain(gpu.spec.l2_mb)} MB as listed",
        "without pinning nothing of it survives the step's stream",
    )
    if given.pinned_mb > room:
        work.warn(f"{plain(given.pinned_mb)} MB do not fit in {plain(room)} MB")
    gpu.tell(work)
    work.table = [
        {"reads": reads, "saved_share": saved_s(reads) / step_s(reads)}
        for reads in sorted({*(1 << power for power in range(9)), given.reads})
    ]
    return work
