"""`lora_fleet`: GPUs for many fine-tunes, merged or as adapters placed in three tiers of memory."""

from itertools import accumulate
from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.working import Working, plain


class LoraFleetArguments(Arguments):
    """Arguments of lora_fleet."""

    adapters: int = Field(ge=1, le=20_000, description="Fine-tunes that are served")
    adapter_mb: float = Field(ge=1e-3, le=1e6, description="Bytes of one adapter in MB (1e6 B)")
    gpus_per_replica: int = Field(ge=1, le=1024, description="GPUs of one replica of the base")
    requests_per_s: float = Field(ge=1e-6, le=1e6, description="Requests/s over all fine-tunes")
    replica_requests_per_s: float = Field(
        ge=1e-6, le=1e6, description="Requests/s that one replica serves at its target"
    )
    slots: int = Field(ge=1, le=10_000, description="Adapters on the GPUs of one replica")
    host_gb: float = Field(ge=0, le=1e5, description="Host memory for adapters per replica in GB")
    host_gb_s: float = Field(default=25, ge=1e-3, le=1e4, description="Host to GPU, in GB/s")
    disk_gb_s: float = Field(default=2, ge=1e-3, le=1e4, description="Disk or store, in GB/s")
    skew: float = Field(
        default=1.0, ge=0, le=4, description="Zipf exponent of the popularity; 0 all alike"
    )
    spare: int = Field(default=1, ge=0, le=1000, description="Replicas beyond the load")


@tool(
    group="lora",
    example={
        "adapters": 500,
        "adapter_mb": 414.2,
        "gpus_per_replica": 2,
        "requests_per_s": 40,
        "replica_requests_per_s": 4,
        "slots": 16,
        "host_gb": 200,
    },
    drawing=Drawing(
        kind="bars",
        title="Share of the requests whose adapter lies in each tier",
        x="tier",
        x_label="tier",
        y_label="share of requests",
        series=(Series("requests", "requests"),),
    ),
)
def lora_fleet(given: LoraFleetArguments) -> Working:
    """GPUs for many fine-tunes on a shared base against one merged copy each, and tier hit rates.

    Every replica keeps the most popular adapters (Zipf) on the GPU, the next in host memory, the
    rest on disk. Merged, each fine-tune needs its own replica before the first request.
    """
    replicas = (
        max(1, ceil(given.requests_per_s / given.replica_requests_per_s - 1e-9)) + given.spare
    )
    shared, merged = replicas * given.gpus_per_replica, given.adapters * given.gpus_per_replica
    work = Working(headline="shared_gpus", source="replicas by load; Zipf popularity")
    work.put("shared_gpus", shared, "GPUs", "adapters on a shared base", "count")
    work.put("merged_gpus", merged, "GPUs", "one merged replica each", "count")
    work.put("saving", merged / shared, "x", "merged over shared", "estimate")
    total = given.adapters * given.adapter_mb / 1e3
    work.put("adapters_GB", total, "GB", "all adapters (GB is 1e9 bytes)")
    rows = _tiers(given)
    for row in rows:
        key = str(row["tier"])
        work.put(f"{key}_share", float(row["requests"]), "fraction", f"found on {key}", "estimate")
    for key, rate in (("host", given.host_gb_s), ("disk", given.disk_gb_s)):
        work.put(f"{key}_ms", given.adapter_mb / rate, "ms", f"loading from {key}", "floor")
    slow = float(rows[1]["requests"]) / given.host_gb_s + float(rows[2]["requests"]) / (
        given.disk_gb_s
    )
    work.put("mean_load_ms", slow * given.adapter_mb, "ms", "mean load per request", "estimate")
    work.formula = (
        f"(ceil({plain(given.requests_per_s)} / {plain(given.replica_requests_per_s)}) + "
        f"{given.spare}) x {given.gpus_per_replica} = {shared:,} GPUs; merged {given.adapters:,} x "
        f"{given.gpus_per_replica} = {merged:,}"
    )
    work.assume(
        f"popularity falls as rank^-{given.skew:g}; every replica keeps the same most popular ones",
        "routing by adapter (each replica its own share) raises the GPU hits",
    )
    work.table = rows
    return work


def _tiers(given: LoraFleetArguments) -> list[dict[str, float | str]]:
    weights = list(accumulate(rank**-given.skew for rank in range(1, given.adapters + 1)))
    on_gpu = min(given.adapters, given.slots)
    on_host = min(given.adapters, on_gpu + int(given.host_gb * 1e3 / given.adapter_mb))
    ends = {"gpu": on_gpu, "host": on_host, "disk": given.adapters}
    rows: list[dict[str, float | str]] = []
    before = 0
    for tier, end in ends.items():
        held = (weights[end - 1] - (weights[before - 1] if before else 0)) if end else 0.0
        rows.append({"tier": tier, "adapters": end - before, "requests": held / weights[-1]})
        before = end
    return rows
