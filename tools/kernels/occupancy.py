"""`occupancy`, `bytes_in_flight`: blocks of an SM by four budgets; bytes that hide latency."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.kernels.multiprocessor import KIB, WARP, blocks_by, limits
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class OccupancyArguments(Arguments):
    """Arguments of occupancy."""

    gpu: str = Field(default="H100", max_length=60, description="CUDA GPU by name, e.g. H100")
    threads: int = Field(ge=1, le=1024, description="Threads of a block")
    registers: int = Field(ge=0, le=255, description="Registers of a thread (32-bit)")
    shared_kib: float = Field(
        default=0, ge=0, le=1024, description="Shared memory of a block in KiB (1024 B)"
    )


@tool(
    group="gpu_kernel_calc",
    example={"gpu": "H100", "threads": 256, "registers": 96, "shared_kib": 48},
    drawing=Drawing(
        kind="bars",
        title="Blocks of an SM that each budget allows",
        x="budget",
        x_label="budget",
        y_label="blocks per SM",
        series=(Series("blocks", "allowed"),),
        marker=Series("resident", "resident"),
    ),
)
def occupancy(given: OccupancyArguments) -> Working:
    """Blocks and warps of an SM: the least of threads, block slots, registers, shared memory.

    Hopper reserves 1 KiB of shared memory for each block, which many tables leave out: the count
    without it is given too.
    """
    gpu = find_gpu(given.gpu)
    capability, sm = limits(gpu)
    shared = -(-int(given.shared_kib * KIB) // 128) * 128
    if shared > sm.shared_block:
        remedy = f"is more than the {sm.shared_block // KIB} KiB that a block may have"
        raise ToolError("shared_kib", given.shared_kib, remedy)
    allowed = blocks_by(sm, given.threads, given.registers, shared)
    blocks = min(allowed.values())
    if blocks == 0:
        raise ToolError("registers", given.registers, f"{given.threads} threads of it do not fit")
    warps = blocks * -(-given.threads // WARP)
    work = Working(
        headline="blocks_per_sm",
        source=f"CUDA programming guide, limits of compute capability {capability}",
    )
    work.put("blocks_per_sm", blocks, "blocks/SM", "resident", "count")
    naive = {**allowed, "shared_memory": sm.shared // shared if shared else sm.blocks}
    unreserved = min(naive.values())
    work.put("blocks_no_reserve", unreserved, "blocks/SM", "if no 1 KiB were reserved", "count")
    work.put("warps_per_sm", warps, "warps/SM", "resident", "count")
    work.put("occupancy", warps * WARP / sm.threads, "fraction", "of the SM's warps")
    for name, count in allowed.items():
        work.put(f"by_{name}", count, "blocks/SM", f"allowed by {name}", "count")
    held = given.registers * given.threads * blocks / sm.registers
    work.put("register_share", held, "fraction", "of the register file in use")
    binding = [name.replace("_", " ") for name, count in allowed.items() if count == blocks]
    limit = ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in allowed.items())
    work.formula = f"min({limit}) = {blocks}; {warps} x {WARP} / {sm.threads:,} threads"
    work.assume(
        f"bound by {' and '.join(binding)}",
        f"each block also takes {sm.reserved // KIB} KiB of shared memory (reserved)",
        "registers are given to a warp in 256s and to warps in fours",
        "more occupancy helps only a kernel that waits for memory and has too few loads in flight",
    )
    gpu.tell(work)
    if unreserved != blocks:
        work.warn(f"tables without the reserved KiB say {unreserved} blocks, not {blocks}")
    work.table = [
        {"budget": name.replace("_", " "), "blocks": count, "resident": blocks}
        for name, count in allowed.items()
    ]
    return work


class BytesInFlightArguments(Arguments):
    """Arguments of bytes_in_flight."""

    gpu: str = Field(default="H100", max_length=60, description="GPU by name")
    latency_ns: float = Field(
        ge=1e-9,
        le=1e6,
        description="Time from a load to its data in ns, e.g. 600 to 800 under load",
    )
    threads_per_sm: int = Field(ge=1, le=4096, description="Threads of an SM that load")
    load_bytes: int = Field(ge=1, le=65_536, description="Bytes of one load of one thread, e.g. 16")
    loads: int = Field(default=1, ge=1, le=1024, description="Loads of a thread in flight at once")


@tool(
    group="gpu_kernel_calc",
    example={"latency_ns": 700, "threads_per_sm": 1024, "load_bytes": 4, "loads": 2},
    drawing=Drawing(
        kind="line",
        title="Bandwidth that loads in flight can reach",
        x="loads",
        x_label="loads of a thread in flight",
        y_label="TB/s",
        series=(Series("reached_TB_s", "reached at most"), Series("peak_TB_s", "memory's peak")),
        log_x=True,
    ),
)
def bytes_in_flight(given: BytesInFlightArguments) -> Working:
    """Bytes that must be in flight to use the whole bandwidth (Little), against those that are.

    Bandwidth x latency over all SMs. A decode GEMV falls short with small loads, few threads or
    too few loads before the first use.
    """
    gpu = find_gpu(given.gpu)
    peak, sms = gpu.spec.bandwidth_tb_s, gpu.spec.sms
    need = peak * 1e12 * given.latency_ns * 1e-9 / sms
    have = given.threads_per_sm * given.load_bytes * given.loads

    def reached(loads: int) -> float:
        flight = given.threads_per_sm * given.load_bytes * loads * sms
        return min(peak, flight / (given.latency_ns * 1e-9) / 1e12)

    work = Working(headline="needed_KiB_per_sm", source="Little's law: bandwidth x latency")
    work.put("needed_KiB_per_sm", need / KIB, "KiB/SM", "in flight for the whole bandwidth")
    work.put("in_flight_KiB_per_sm", have / KIB, "KiB/SM", "in flight as given")
    work.put("reached_TB_s", reached(given.loads), "TB/s", "bandwidth, at most", "ceiling")
    work.put("reached_share", reached(given.loads) / peak, "fraction", "of the peak", "ceiling")
    least = -(-need // (given.threads_per_sm * given.load_bytes))
    work.put("loads_needed", least, "loads/thread", "in flight for the whole bandwidth", "count")
    work.formula = (
        f"{plain(peak)} TB/s x {plain(given.latency_ns)} ns / {sms} SMs = {plain(need)} B; "
        f"{given.threads_per_sm:,} x {given.load_bytes} B x {given.loads} = {have:,} B"
    )
    work.assume("all SMs load alike, and every loaded byte is used (see coalescing)")
    if have < need:
        work.warn(f"latency-bound: {plain(have / need * 100)} % of the bytes that are needed")
    gpu.tell(work)
    work.table = [
        {"loads": n, "reached_TB_s": reached(n), "peak_TB_s": peak}
        for n in sorted({1, 2, 4, 8, 16, 32, given.loads})
    ]
    return work
