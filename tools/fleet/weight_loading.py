"""`weight_loading`: how long a fleet takes to load its weights, by bound and by way."""

from math import ceil, log2

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class Startup(Arguments):
    """One piece of work of a start besides the bytes."""

    name: str = Field(min_length=1, max_length=60, description="What it is, e.g. graph capture")
    seconds: float = Field(ge=0, le=1e5, description="How long it takes, in s")
    during_load: bool = Field(default=False, description="Whether it runs while bytes still arrive")


class LoadingArguments(Arguments):
    """Arguments of weight_loading."""

    weights_gb: float = Field(ge=1e-3, le=1e6, description="Weights of one replica in GB (1e9 B)")
    replicas: int = Field(ge=1, le=100_000, description="Replicas that load the same weights")
    storage_gb_s: float = Field(
        ge=1e-3, le=1e6, description="What the store yields to all readers together, in GB/s"
    )
    nic_gb_s: float = Field(
        ge=1e-3, le=1e5, description="Network of one replica in one direction, in GB/s"
    )
    disk_gb_s: float | None = Field(
        default=None, ge=1e-3, le=1e5, description="Write rate of its disk in GB/s, if it passes it"
    )
    gpu_gb_s: float | None = Field(
        default=None, ge=1e-3, le=1e6, description="Host to GPUs of one replica, all links, in GB/s"
    )
    chunk_mb: float = Field(
        default=64, ge=0.1, le=1e5, description="Piece that a replica passes on, in MB"
    )
    fanout: int = Field(
        default=1, ge=1, le=64, description="Replicas that each one passes on to; 1 is a chain"
    )
    startup: list[Startup] = Field(
        default=[], max_length=20, description="Other work of a start: name, seconds, during_load"
    )


@tool(
    group="weight_loading",
    example={
        "weights_gb": 500,
        "replicas": 125,
        "storage_gb_s": 100,
        "nic_gb_s": 50,
        "gpu_gb_s": 200,
        "startup": [
            {"name": "process and imports", "seconds": 12, "during_load": True},
            {"name": "graph capture", "seconds": 20},
        ],
    },
    drawing=Drawing(
        kind="bars",
        title="Time until the last replica holds the weights",
        x="way",
        x_label="way of loading",
        y_label="seconds",
        series=(Series("seconds", "bytes"),),
    ),
)
def weight_loading(given: LoadingArguments) -> Working:
    """Time to load one checkpoint onto many replicas: each from the store, doubled, or passed on.

    Each is at best the largest of bytes over storage, network, disk and host link. A pipeline of
    chunks reaches the tightest bound plus depth x chunk / rate.
    """
    size, count = given.weights_gb, given.replicas
    local = _local(given)
    naive = max(size * count / given.storage_gb_s, size / min(local))
    hop = given.nic_gb_s / given.fanout
    depth = _depth(count, given.fanout)
    slowest = min(given.storage_gb_s, *local, *([hop] if count > 1 else []))
    piped = size / slowest + depth * given.chunk_mb / 1e3 / hop
    rounds = ceil(log2(count)) if count > 1 else 0
    doubled = size / min(given.storage_gb_s, *local) + rounds * size / min(local)
    work = Working(headline="pipelined_s", source="max of bounds; pipelined broadcast")
    work.put("pipelined_s", piped, "s", "one read, passed on in chunks", "floor")
    work.put("naive_s", naive, "s", "every replica reads the store", "floor")
    work.put("doubling_s", doubled, "s", "whole copies, twice as many each round", "floor")
    work.put("naive_TB", size * count / 1e3, "TB", "read from the store if all do")
    work.put("storage_s", size / given.storage_gb_s, "s", "bound: one copy from the store", "floor")
    work.put("network_s", size / given.nic_gb_s, "s", "bound: one copy into a replica", "floor")
    for key, rate in (("disk_s", given.disk_gb_s), ("gpu_s", given.gpu_gb_s)):
        if rate is not None:
            work.put(key, size / rate, "s", f"bound: {key[:-2]} of one replica", "floor")
    work.put("depth", depth, "hops", "longest way of a chunk", "count")
    _put_startup(work, given, piped)
    work.formula = (
        f"{plain(size)} GB / {plain(slowest)} GB/s + {counted(depth, 'hop')} x "
        f"{plain(given.chunk_mb / 1e3)} GB / {plain(hop)} GB/s = {plain(piped)} s"
    )
    work.assume(
        "GB is 1e9 bytes; rates as given are reached; a replica sends and receives at once",
        "disk and GPU copies run while later chunks arrive",
    )
    work.table = [
        {"way": "all from store", "seconds": naive},
        {"way": "doubling", "seconds": doubled},
        {"way": "pipelined", "seconds": piped},
    ]
    return work


def _local(given: LoadingArguments) -> list[float]:
    rates = (given.nic_gb_s, given.disk_gb_s, given.gpu_gb_s)
    return [rate for rate in rates if rate is not None]


def _depth(replicas: int, fanout: int) -> int:
    """Hops below the replica that reads the store."""
    depth, reached, level = 0, 1, 1
    if fanout == 1:
        return replicas - 1
    while reached < replicas:
        depth, level = depth + 1, level * fanout
        reached += level
    return depth


def _put_startup(work: Working, given: LoadingArguments, load: float) -> None:
    if not given.startup:
        return
    if len({part.name for part in given.startup}) < len(given.startup):
        raise ToolError("startup", "…", "names a piece of work twice")
    hidden = sum(part.seconds for part in given.startup if part.during_load)
    after = sum(part.seconds for part in given.startup if not part.during_load)
    total = max(load, hidden) + after
    work.put("ready_s", total, "s", "until the last replica serves", "estimate")
    work.put("hidden_s", min(hidden, load), "s", "of the start that the bytes hide", "estimate")
    work.assume("work during the load is one sequence of its own, beside the bytes")
