"""`kv_quota`: KV cache that a batch class may hold before interactive tokens or memory suffer."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class KvQuotaArguments(Arguments):
    """Arguments of kv_quota."""

    tpot_ms: float = Field(ge=0.1, le=1e5, description="Longest step for interactive users, in ms")
    weights_gb: float = Field(
        ge=1e-3, le=1e6, description="Weights read per step in GB (1e9 B), all GPUs"
    )
    bandwidth_tb_s: float = Field(
        ge=1e-3, le=1e4, description="Memory bandwidth of all GPUs together in TB/s"
    )
    bandwidth_efficiency: float = Field(
        ge=0.05, le=1, description="Share of the bandwidth that is reached, measured"
    )
    kv_bytes_per_token: float = Field(ge=1, le=1e9, description="KV bytes per token, all GPUs")
    kv_pool_gb: float = Field(ge=1e-3, le=1e6, description="KV cache of the replica in GB")
    interactive_sequences: int = Field(
        ge=0, le=1_000_000, description="Interactive sequences at their peak"
    )
    interactive_context: float = Field(
        ge=0, le=1e8, description="Mean tokens cached for each of them"
    )
    batch_context: float = Field(ge=1, le=1e8, description="Mean tokens of a batch sequence")


@tool(
    group="quota_fairness",
    example={
        "tpot_ms": 30,
        "weights_gb": 70,
        "bandwidth_tb_s": 4.8,
        "bandwidth_efficiency": 0.8,
        "kv_bytes_per_token": 163840,
        "kv_pool_gb": 54.7,
        "interactive_sequences": 16,
        "interactive_context": 8192,
        "batch_context": 4096,
    },
    drawing=Drawing(
        kind="line",
        title="Decode step against the cache that the batch class holds",
        x="batch_GB",
        x_label="GB held by the batch class",
        y_label="ms",
        series=(Series("step_ms", "step"), Series("tpot_ms", "target")),
    ),
)
def kv_quota(given: KvQuotaArguments) -> Working:
    """Largest KV cache of a low-priority class that keeps the step under the TPOT target.

    Every running sequence's cache is read each step, whatever its priority: batch KV <= min(target
    x bandwidth - weights - interactive KV, pool - interactive KV).
    """
    rate = given.bandwidth_tb_s * 1e3 * given.bandwidth_efficiency
    interactive = given.interactive_sequences * given.interactive_context
    used = interactive * given.kv_bytes_per_token / GB
    by_step = given.tpot_ms / 1e3 * rate - given.weights_gb - used
    by_memory = given.kv_pool_gb - used
    if by_step < 0:
        least = (given.weights_gb + used) / rate * 1e3
        raise ToolError(
            "tpot_ms", given.tpot_ms, f"is missed without batch work: {plain(least)} ms"
        )
    if by_memory < 0:
        raise ToolError(
            "kv_pool_gb", given.kv_pool_gb, f"is below the interactive {plain(used)} GB"
        )
    quota = min(by_step, by_memory)
    work = Working(headline="quota_GB", source="bytes read per step over bandwidth")
    bound = "the step" if by_step < by_memory else "memory"
    work.put("quota_GB", quota, "GB", f"that batch work may hold, bound by {bound}", "estimate")
    work.put("by_step_GB", by_step, "GB", "that the TPOT target leaves", "estimate")
    work.put("by_memory_GB", by_memory, "GB", "that interactive caches leave of the pool")
    each = given.batch_context * given.kv_bytes_per_token / GB
    work.put("sequences", int(quota / each), "sequences", "of the batch class at once", "count")
    work.put("quota_share", quota / given.kv_pool_gb, "fraction", "of the pool", "estimate")
    full = (given.weights_gb + given.kv_pool_gb) / rate * 1e3
    work.put("full_ms", full, "ms", "step if batch work fills the pool", "estimate")
    work.formula = (
        f"min({plain(given.tpot_ms)} ms x {plain(rate)} GB/s - {plain(given.weights_gb)} - "
        f"{plain(used)}, {plain(given.kv_pool_gb)} - {plain(used)}) = {plain(quota)} GB"
    )
    work.assume(
        "GB is 1e9 bytes; the step is bound by memory; prefill of the batch class is not in it",
        "a priority that only orders the queue does not bound this: cap what runs",
    )
    if full > given.tpot_ms:
        work.warn(f"without the cap batch work makes the step {plain(full)} ms")
    work.table = [
        {
            "batch_GB": by_memory * part / 10,
            "step_ms": (given.weights_gb + used + by_memory * part / 10) / rate * 1e3,
            "tpot_ms": given.tpot_ms,
        }
        for part in range(11)
    ]
    return work
