"""`collectives`: time of one collective by algorithm, the crossover, and the bytes on the wire."""

from collections.abc import Mapping

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu, gpus
from tools.precision import BYTES, MIB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.serving.links import (
    ALGORITHMS,
    Algorithm,
    Link,
    Op,
    crossover,
    fastest,
    second_shot,
    seconds,
    sent,
    steps,
)
from tools.working import Working, plain

CUSTOM_CAP_MIB: Mapping[int, float] = {2: 64, 4: 32, 6: 0.5, 8: 0.25}
"""Largest message of vLLM 0.31's own all-reduce on Hopper, by GPUs."""
SIZES = tuple(4**power * 1024 for power in range(10))


class CollectivesArguments(Arguments):
    """Arguments of collectives."""

    op: Op = Field(default="all_reduce", description="The collective")
    gpus: int = Field(ge=2, le=4096, description="GPUs that take part")
    message_bytes: float | None = Field(
        default=None,
        ge=1e-9,
        le=1e15,
        description="Bytes of the whole vector on each GPU (all_gather: of the result)",
    )
    hidden: int | None = Field(
        default=None, ge=1, le=10_000_000, description="Instead: hidden size of the model, and ..."
    )
    tokens: int = Field(default=1, ge=1, le=100_000_000, description="... tokens of the step")
    dtype: Dtype = Field(default="bf16", description="Format of hidden x tokens")
    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name, for its NVLink in one direction"
    )
    link_gb_s: float | None = Field(
        default=None,
        ge=1e-9,
        le=1e5,
        description="What one GPU can send, GB/s in ONE direction (H100 NVLink: 450, not 900)",
    )
    latency_us: float = Field(
        ge=0, le=1e6, description="Latency of one step in us; NVLink 1 to 3, network 5 to 20"
    )
    algorithm: Algorithm | None = Field(
        default=None, description="ring, one_shot, two_shot, direct; default: the fastest"
    )
    calls: int = Field(default=1, ge=1, le=1_000_000, description="Calls, one after the other")
    measured_us: float | None = Field(
        default=None, ge=1e-9, le=1e9, description="Measured time of one call in us"
    )


@tool(
    group="collectives",
    example={"gpus": 8, "hidden": 8192, "gpu": "H100", "latency_us": 2, "calls": 160},
    drawing=Drawing(
        kind="line",
        title="Time of one call against its size",
        x="KiB",
        x_label="KiB of the vector",
        y_label="us",
        series=(
            Series("ring", "ring"),
            Series("one_shot", "one-shot"),
            Series("two_shot", "two-shot"),
            Series("direct", "direct"),
        ),
        log_x=True,
        log_y=True,
    ),
)
def collectives(given: CollectivesArguments) -> Working:
    """Time of a collective by latency and one-direction bandwidth: ring, one-shot, two-shot.

    Ring all-reduce: 2(n-1) steps that each move S/n. One-shot: each GPU sends all of S to each
    other in one step. Small messages pay for steps, large ones for bytes; the crossover is given.
    """
    work = Working(headline="time_us", source="alpha-beta model of collectives; vLLM 0.31 limits")
    link, size = _link(given, work), _size(given)
    n, op = given.gpus, given.op
    algorithm = given.algorithm or fastest(op, n, size, link)
    if algorithm not in ALGORITHMS[op]:
        known = ", ".join(ALGORITHMS[op])
        raise ToolError("algorithm", algorithm, f"is not one of {op}'s: {known}")
    time = seconds(op, algorithm, n, size, link) * 1e6
    work.put("time_us", time, "us/call", f"{algorithm} {op} over {n:,} GPUs", "estimate")
    work.put("total_ms", time * given.calls / 1e3, "ms", f"{given.calls:,} calls", "estimate")
    work.put("message_bytes", size, "B", "vector on each GPU")
    work.put("steps", steps(op, algorithm, n), "steps", "that wait for one another", "count")
    wire = sent(op, algorithm, n, size)
    work.put("sent_bytes", wire, "B/GPU", "on the wire, one direction, per call")
    latency = steps(op, algorithm, n) * given.latency_us
    work.put("latency_share", latency / time if time else 0.0, "fraction", "steps, not bytes")
    for name in ALGORITHMS[op]:
        each = seconds(op, name, n, size, link) * 1e6
        work.put(f"{name}_us", each, "us/call", f"by {name}", "estimate")
    _put_crossover(work, given, link, size)
    _put_measured(work, given, wire, link)
    count = steps(op, algorithm, n)
    work.formula = (
        f"{count} x {plain(given.latency_us)} us + {plain(wire)} B / {plain(link.bandwidth / 1e9)} "
        f"GB/s = {plain(time)} us"
    )
    work.assume(
        f"{plain(link.bandwidth / 1e9)} GB/s in one direction; no overlap with arithmetic; "
        "reducing itself takes no time"
    )
    work.table = [
        {"KiB": s / 1024, "message_bytes": s}
        | {a: seconds(op, a, n, s, link) * 1e6 for a in ALGORITHMS[op]}
        | {"fastest": fastest(op, n, s, link)}
        for s in sorted({*map(float, SIZES), size})
    ]
    return work


def _size(given: CollectivesArguments) -> float:
    if (given.message_bytes is None) == (given.hidden is None):
        raise ToolError(
            "message_bytes", given.message_bytes, "give either message_bytes or hidden and tokens"
        )
    return given.message_bytes or (given.hidden or 0) * given.tokens * BYTES[given.dtype]


def _link(given: CollectivesArguments, work: Working) -> Link:
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    return Link(one_direction(gpu, given.link_gb_s, work) * 1e9, given.latency_us * 1e-6)


def one_direction(gpu: NamedGpu | None, stated: float | None, work: Working) -> float:
    """GB/s that one GPU sends; a both-directions figure is refused where the GPU is known."""
    if gpu is None and stated is None:
        raise ToolError("link_gb_s", None, "is needed: GB/s in one direction, or a gpu with NVLink")
    if gpu is None:
        both = {g.nvlink_total_gb_s for g in gpus().values() if g.nvlink_total_gb_s}
        if stated in both:
            work.warn(
                f"{plain(stated or 0)} GB/s is quoted for NVLink in both directions together: "
                f"one direction has {plain((stated or 0) / 2)}"
            )
        return stated or 0.0
    gpu.tell(work)
    one, total = gpu.spec.nvlink_per_direction_gb_s, gpu.spec.nvlink_total_gb_s
    if stated is None:
        if one is None:
            raise ToolError("gpu", gpu.name, "has no NVLink: state link_gb_s, in one direction")
        return one
    if one and total and stated > one:
        remedy = f"{gpu.name} sends {plain(one)} GB/s in one direction; {plain(total)} is both ways"
        raise ToolError("link_gb_s", stated, remedy)
    return stated


def _put_crossover(work: Working, given: CollectivesArguments, link: Link, size: float) -> None:
    if given.op != "all_reduce":
        return
    meet = crossover(given.gpus, link)
    if meet is None:
        work.assume("with 2 GPUs one-shot is never slower than a ring")
    else:
        work.put("crossover_bytes", meet, "B", "from here a ring beats one-shot")
        two = second_shot(given.gpus, link) or 0.0
        work.put("two_shot_bytes", two, "B", "from here two-shot beats one-shot")
    cap = CUSTOM_CAP_MIB.get(given.gpus)
    if cap is not None:
        work.put(
            "vllm_cap_bytes", cap * MIB, "B", "largest message of vLLM's own all-reduce (SM90)"
        )
        side = "under" if size <= cap * MIB else "over"
        work.assume(f"{plain(size)} B is {side} vLLM's limit of {plain(cap)} MiB on Hopper")


def _put_measured(work: Working, given: CollectivesArguments, wire: float, link: Link) -> None:
    if given.measured_us is None:
        return
    rate = wire / (given.measured_us * 1e-6)
    if rate > link.bandwidth * 1.001:
        raise ToolError(
            "measured_us",
            given.measured_us,
            f"would mean {plain(rate / 1e9)} GB/s over a link of {plain(link.bandwidth / 1e9)}",
        )
    work.put("measured_GB_s", rate / 1e9, "GB/s", "sent in one direction, as measured")
    work.put("link_share", rate / link.bandwidth, "fraction", "of the link that is reached")
