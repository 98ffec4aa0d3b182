"""`step_gap`, `host_gap`: what lies between a floor and a measured step, and what hosts cost."""

from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain

Kind = Literal["kernel", "launch", "host", "sync", "communication", "other"]
WIDEST = 14
"""Characters of a name under a bar."""
CLOSE = 0.02
"""Share of the measured time that may stay unexplained without a warning."""
SUSPECTS = {
    "kernel": "kernels above their own floor: shapes, tiles, quantisation's extra passes",
    "launch": "gaps between kernels: CUDA graphs, fusion",
    "host": "the host's work: scheduling, sampling, detokenising off the critical path",
    "sync": "waits for a copy or an event: async scheduling, no .item() in the step",
    "communication": "collectives: size, algorithm, the slowest rank",
    "other": "not named: look at the trace",
}


class Bucket(Arguments):
    """A part of the trace."""

    name: str = Field(max_length=60, description="Name, e.g. attention kernels over their floor")
    ms: float = Field(ge=0, le=1e7, description="Time on the step's critical path, ms")
    kind: Kind = Field(default="other", description="What it is")


class StepGapArguments(Arguments):
    """Arguments of step_gap."""

    floor_ms: float = Field(
        ge=1e-9, le=1e7, description="Least time of the step, e.g. its reads, ms"
    )
    measured_ms: float = Field(ge=1e-9, le=1e7, description="Measured time of the step, ms")
    buckets: list[Bucket] = Field(
        default=[],
        max_length=40,
        description="Parts of the trace above the floor, without overlap; name, ms, kind",
    )


@tool(
    group="step_gap",
    example={
        "floor_ms": 14.6,
        "measured_ms": 22.4,
        "buckets": [
            {"name": "GEMMs at 85 % of the bandwidth", "ms": 2.6, "kind": "kernel"},
            {"name": "gaps between kernels", "ms": 3.1, "kind": "launch"},
            {"name": "sampling and scheduling", "ms": 1.8, "kind": "host"},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="The measured step: floor, buckets, and the rest",
        x="label",
        x_label="part of the step",
        y_label="ms",
        series=(Series("ms", "ms"),),
    ),
)
def step_gap(given: StepGapArguments) -> Working:
    """Account for the time between a step's floor and its measured time, bucket by bucket.

    Floor and buckets must sum to the measured time: what is left is said as unexplained, and more
    than the measured time means that buckets overlap.
    """
    gap = given.measured_ms - given.floor_ms
    if gap < 0:
        raise ToolError(
            "measured_ms", given.measured_ms, f"is below the floor of {plain(given.floor_ms)} ms"
        )
    explained = sum(bucket.ms for bucket in given.buckets)
    rest = gap - explained
    work = Working(headline="unexplained_ms", source="measured = floor + buckets + unexplained")
    work.put("unexplained_ms", rest, "ms", "neither floor nor bucket")
    work.put("gap_ms", gap, "ms", "measured above the floor")
    work.put("explained_ms", explained, "ms", "in the buckets")
    work.put("floor_share", given.floor_ms / given.measured_ms, "fraction", "floor over measured")
    work.put("slowdown", given.measured_ms / given.floor_ms, "x", "measured over floor")
    for kind in SUSPECTS:
        part = sum(bucket.ms for bucket in given.buckets if bucket.kind == kind)
        if part:
            work.put(f"{kind}_ms", part, "ms", f"in buckets of kind {kind}")
            work.put(f"{kind}_share", part / given.measured_ms, "fraction", "of the step")
    _say(work, given, rest)
    work.formula = (
        f"{plain(given.measured_ms)} - {plain(given.floor_ms)} - "
        f"{plain(explained)} = {plain(rest)} ms"
    )
    rows = [("floor", given.floor_ms, "floor")]
    rows += [(bucket.name, bucket.ms, bucket.kind) for bucket in given.buckets]
    rows += [("unexplained", max(rest, 0.0), "unexplained")]
    work.table = [
        {
            "label": _short(name),
            "part": name,
            "ms": ms,
            "kind": kind,
            "share": ms / given.measured_ms,
        }
        for name, ms, kind in rows
    ]
    return work


def _short(name: str) -> str:
    return name if len(name) <= WIDEST else f"{name[: WIDEST - 1]}…"


def _say(work: Working, given: StepGapArguments, rest: float) -> None:
    slack = CLOSE * given.measured_ms
    if rest < -slack:
        work.warn(
            f"the buckets exceed the gap by {plain(-rest)} ms: they overlap, or count time that "
            "the floor has already"
        )
    elif rest > slack:
        work.warn(f"{plain(rest)} ms are in no bucket: the account does not close yet")
    else:
        work.assume(f"the account closes to within {plain(CLOSE * 100)} % of the step")
    if given.buckets:
        largest = max(given.buckets, key=lambda bucket: bucket.ms)
        work.assume(f"largest: {largest.name}, {plain(largest.ms)} ms. {SUSPECTS[largest.kind]}")
    work.assume("buckets are on the critical path: work hidden behind the GPU is none of them")


class HostGapArguments(Arguments):
    """Arguments of host_gap."""

    gpu_ms: float = Field(ge=1e-9, le=1e7, description="Kernels of a step, without gaps, ms")
    kernels: int = Field(default=0, ge=0, le=10_000_000, description="Kernels of a step")
    launch_us: float = Field(
        default=0, ge=0, le=1e5, description="Host time to launch one kernel, us, e.g. 5"
    )
    graph: bool = Field(default=False, description="A CUDA graph launches all kernels at once")
    gap_us: float = Field(
        default=0, ge=0, le=1e5, description="Idle time of the GPU between two kernels, us"
    )
    host_ms: float = Field(
        default=0, ge=0, le=1e6, description="Host work of a step besides launching, ms"
    )
    overlap: bool = Field(
        default=False, description="The host prepares the next step while the GPU runs (async)"
    )
    batch: int = Field(default=1, ge=1, le=1_000_000, description="Sequences of the step")


@tool(
    group="step_gap",
    example={
        "gpu_ms": 4,
        "kernels": 400,
        "launch_us": 5,
        "gap_us": 1.5,
        "host_ms": 3,
        "batch": 32,
    },
    drawing=Drawing(
        kind="bars",
        title="Step time under each fix",
        x="variant",
        x_label="",
        y_label="ms per step",
        series=(Series("gpu_ms", "kernels"), Series("idle_ms", "GPU idle")),
    ),
)
def host_gap(given: HostGapArguments) -> Working:
    """GPU idle time of a step from launches, gaps and host work; what graphs and overlap win.

    Launching is hidden while kernels are longer than launches. Host work adds to every step unless
    it runs beside the GPU; then the longer of the two decides.
    """
    step = _step(given, graph=given.graph, overlap=given.overlap)
    work = Working(headline="step_ms", source="critical path of host and GPU")
    work.put("step_ms", step, "ms", "step", "estimate")
    idle = step - given.gpu_ms
    work.put("idle_ms", idle, "ms", "in which the GPU does nothing", "estimate")
    work.put("gpu_busy", given.gpu_ms / step, "fraction", "of the step", "estimate")
    rate = given.batch / step * 1e3
    work.put("tokens_per_second", rate, "tokens/s", counted(given.batch, "sequence"), "estimate")
    most = given.batch / given.gpu_ms * 1e3
    work.put("lost_tokens_per_second", most - rate, "tokens/s", "against no idle time", "estimate")

    variants = {
        "as given": (given.graph, given.overlap),
        "eager": (False, False),
        "graph": (True, False),
        "overlap": (False, True),
        "both": (True, True),
    }
    for name, (graph, overlap) in variants.items():
        each = _step(given, graph=graph, overlap=overlap)
        work.table.append(
            {"variant": name, "gpu_ms": given.gpu_ms, "idle_ms": each - given.gpu_ms, "step": each}
        )
    best = _step(given, graph=True, overlap=True)
    work.put("best_ms", best, "ms", "with a graph and overlap", "estimate")
    launch = given.kernels * given.launch_us / 1e3
    work.formula = (
        f"max({plain(given.gpu_ms)} kernels + gaps, {plain(launch)} launches) "
        f"{'and' if given.overlap else '+'} {plain(given.host_ms)} host = {plain(step)} ms"
    )
    work.assume(
        "a graph removes launches and gaps; what is left of the gaps is not counted",
        "kernels are alike: each launch hides behind the kernel before it",
    )
    if launch > given.gpu_ms and not given.graph:
        work.warn("launch-bound: the host cannot launch kernels as fast as the GPU runs them")
    if given.host_ms > given.gpu_ms and given.overlap:
        work.warn("host-bound: the host's work is longer than the GPU's even side by side")
    return work


def _step(given: HostGapArguments, *, graph: bool, overlap: bool) -> float:
    launch = 0.0 if graph else given.kernels * given.launch_us / 1e3
    gaps = 0.0 if graph else max(0, given.kernels - 1) * given.gap_us / 1e3
    if overlap:
        return max(given.gpu_ms + gaps, launch + given.host_ms)
    return max(given.gpu_ms + gaps, launch) + given.host_ms
