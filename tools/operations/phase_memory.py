"""`phase_memory`: device memory phase by phase, where free KV pages do not mean free memory."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class Item(Arguments):
    """Something that takes memory in some phases."""

    name: str = Field(
        min_length=1, max_length=60, description="What it is, e.g. encoder activations"
    )
    gb: float = Field(ge=0, le=1e5, description="Its memory in GB (1e9 bytes)")
    phases: list[str] | None = Field(
        default=None, max_length=12, description="Phases in which it is held; none: in all"
    )


class PhaseArguments(Arguments):
    """Arguments of phase_memory."""

    phases: list[str] = Field(
        min_length=1, max_length=12, description="Phases in order, e.g. encode, prefill, decode"
    )
    items: list[Item] = Field(
        min_length=1, max_length=40, description="What is held: name, gb, phases"
    )
    capacity_gb: float = Field(ge=1e-3, le=1e5, description="Memory of the device in GB")
    kv_pool_gb: float = Field(
        default=0, ge=0, le=1e5, description="Of the items: the KV pool, allocated at the start"
    )
    kv_used_share: float = Field(default=1, ge=0, le=1, description="Share of its pages in use")


@tool(
    group="multimodal_voice",
    example={
        "phases": ["encode", "prefill", "decode"],
        "items": [
            {"name": "weights", "gb": 40},
            {"name": "KV pool", "gb": 30},
            {"name": "encoder activations", "gb": 7, "phases": ["encode"]},
            {"name": "embeddings kept", "gb": 2.5, "phases": ["encode", "prefill"]},
            {"name": "prefill activations", "gb": 4, "phases": ["prefill"]},
        ],
        "capacity_gb": 79,
        "kv_pool_gb": 30,
        "kv_used_share": 0.35,
    },
    drawing=Drawing(
        kind="bars",
        title="Memory held in each phase; the stroke is the device",
        x="phase",
        x_label="phase",
        y_label="GB",
        series=(Series("always_GB", "in all phases"), Series("phase_GB", "in this phase")),
        marker=Series("capacity_GB", "capacity"),
    ),
)
def phase_memory(given: PhaseArguments) -> Working:
    """Peak device memory over the phases of a request, against the device and the KV pool.

    Each phase holds its items; the peak is the largest sum, not the sum of all. Pages of the KV
    pool that are free are no memory for an encoder: the pool is one allocation.
    """
    if len(set(given.phases)) < len(given.phases):
        raise ToolError("phases", "…", "names a phase twice")
    for number, item in enumerate(given.items):
        unknown = [name for name in item.phases or () if name not in given.phases]
        if unknown:
            known = ", ".join(given.phases)
            raise ToolError(f"items.{number}.phases", unknown[0], f"is no phase; known: {known}")
    always = sum(item.gb for item in given.items if item.phases is None)
    if given.kv_pool_gb > sum(item.gb for item in given.items):
        raise ToolError("kv_pool_gb", given.kv_pool_gb, "is more than all items: list the pool too")
    held = {
        phase: sum(item.gb for item in given.items if item.phases and phase in item.phases)
        for phase in given.phases
    }
    peak = max(given.phases, key=lambda phase: held[phase])
    work = Working(headline="peak_GB", source="sum of what each phase holds")
    most = always + held[peak]
    work.put("peak_GB", most, "GB", f"peak, in {peak} (GB is 1e9 bytes)", "estimate")
    work.put(
        "left_GB", given.capacity_gb - most, "GB", "of the device left at the peak", "estimate"
    )
    total = sum(item.gb for item in given.items)
    work.put("sum_GB", total, "GB", "of all items, never held at once")
    if given.kv_pool_gb:
        free = given.kv_pool_gb * (1 - given.kv_used_share)
        work.put("free_pages_GB", free, "GB", "free pages of the pool: not free memory")
    parts = [item for item in given.items if item.phases and peak in item.phases]
    terms = " + ".join([plain(always), *(f"{item.name} {plain(item.gb)}" for item in parts)])
    work.formula = f"{peak}: {terms} = {plain(most)} GB of {plain(given.capacity_gb)} GB"
    work.assume("items as measured at their own peaks; the allocator's own cache is not counted")
    if most > given.capacity_gb:
        short = most - given.capacity_gb
        work.warn(
            f"{peak} runs out by {plain(short)} GB although KV pages may be free: shrink the "
            "pool or what this phase holds; a limit on decoded tokens does not help"
        )
    work.table = [
        {
            "phase": phase,
            "always_GB": always,
            "phase_GB": held[phase],
            "capacity_GB": given.capacity_gb,
        }
        for phase in given.phases
    ]
    return work
