"""`lora_batch`: a decode step costs by the distinct adapters in it, not by its requests."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class LoraBatchArguments(Arguments):
    """Arguments of lora_batch."""

    base_ms: float = Field(ge=1e-3, le=1e5, description="Decode step without adapters, in ms")
    adapter_mb: float = Field(ge=1e-3, le=1e6, description="Bytes of one adapter in MB (1e6 B)")
    bandwidth_tb_s: float = Field(
        ge=1e-4, le=1e4, description="Memory bandwidth of all GPUs together in TB/s"
    )
    batch: int = Field(ge=1, le=100_000, description="Requests that want to decode")
    adapters: int = Field(ge=1, le=1_000_000, description="Adapters they choose from, all alike")
    distinct: int | None = Field(
        default=None, ge=1, le=100_000, description="Distinct adapters in the batch, if known"
    )
    slots: int = Field(
        default=1, ge=1, le=10_000, description="Adapters in one batch (vLLM: max_loras, default 1)"
    )


@tool(
    group="lora",
    example={
        "base_ms": 14.6,
        "adapter_mb": 414.2,
        "bandwidth_tb_s": 4.8,
        "batch": 32,
        "adapters": 8,
        "slots": 8,
    },
    drawing=Drawing(
        kind="bars",
        title="A decode step against the distinct adapters in it",
        x="distinct",
        x_label="distinct adapters",
        y_label="ms",
        series=(Series("base_ms", "base"), Series("adapters_ms", "adapters")),
    ),
)
def lora_batch(given: LoraBatchArguments) -> Working:
    """Decode step with several LoRA adapters in one batch, and what too few slots cost.

    Step = base + distinct x adapter bytes / bandwidth; expected distinct of N alike adapters is
    N(1 - (1 - 1/N)^batch). With fewer slots than distinct adapters the batch runs in turns.
    """
    if given.distinct is not None and given.distinct > min(given.batch, given.adapters):
        most = min(given.batch, given.adapters)
        raise ToolError("distinct", given.distinct, f"is at most {most}: requests and adapters")
    expected = given.adapters * (1 - (1 - 1 / given.adapters) ** given.batch)
    distinct = given.distinct if given.distinct is not None else expected
    kind = "floor" if given.distinct is not None else "estimate"
    each = given.adapter_mb / given.bandwidth_tb_s / 1e3
    step = given.base_ms + distinct * each
    turns = max(1, ceil(distinct / given.slots - 1e-9))
    round_ms = turns * given.base_ms + distinct * each
    work = Working(headline="step_ms", source="bytes over bandwidth")
    work.put("step_ms", step, "ms", "step with all adapters in one batch", kind)
    work.put("distinct", distinct, "adapters", "distinct adapters in the batch", kind)
    work.put("per_adapter_ms", each, "ms", "each distinct adapter adds", "floor")
    work.put("overhead", step / given.base_ms - 1, "fraction", "over the base step", kind)
    work.put("turns", turns, "steps", f"for a token of each, with {given.slots} slots", "estimate")
    work.put("round_ms", round_ms, "ms", "until each request has a token", "estimate")
    work.put("slowdown", round_ms / step, "x", "against enough slots", "estimate")
    work.formula = (
        f"{plain(given.base_ms)} ms + {plain(distinct)} x {plain(given.adapter_mb)} MB / "
        f"{plain(given.bandwidth_tb_s)} TB/s = {plain(step)} ms"
    )
    work.assume(
        "the step is bound by memory; each adapter in the batch is read once, like the base",
        "" if given.distinct else "each request picks one of the adapters with equal chance",
    )
    if turns > 1:
        work.warn(f"{given.slots} slots serialise the batch into {turns} turns: raise max_loras")
    counts = sorted({1, 2, 4, 8, 16, 32, 64, round(distinct)})
    work.table = [
        {
            "distinct": n,
            "base_ms": given.base_ms,
            "adapters_ms": n * each,
            "turns": ceil(n / given.slots),
        }
        for n in counts
        if 1 <= n <= min(given.batch, given.adapters)
    ]
    return work
