"""`lora_memory`: size of an adapter, and of the slots that an engine reserves for adapters."""

from pydantic import Field

from tools.checkpoints import ModelArguments
from tools.figure import Drawing, Series
from tools.fleet.lora_shapes import Targets, params_per_rank
from tools.precision import BYTES, GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class LoraArguments(ModelArguments):
    """Arguments of lora_memory."""

    rank: int = Field(ge=1, le=4096, description="Rank of the adapter")
    targets: Targets = Field(default="all", description="Linear layers that the adapter changes")
    params_per_rank: int | None = Field(
        default=None,
        ge=1,
        le=10**9,
        description="Inputs + outputs over all target matrices, instead of a model's",
    )
    dtype: Dtype = Field(default="bf16", description="Format of the adapter")
    adapters: int = Field(default=1, ge=1, le=1_000_000, description="Adapters that are served")
    slots: int = Field(
        default=1, ge=1, le=10_000, description="Adapters in one batch (vLLM: max_loras, default 1)"
    )
    max_rank: int = Field(
        default=16, ge=1, le=4096, description="Largest rank a slot holds (vLLM: max_lora_rank)"
    )


@tool(
    group="lora",
    example={
        "model": "Llama-3.3-70B",
        "rank": 16,
        "adapters": 500,
        "slots": 8,
        "max_rank": 128,
    },
    drawing=Drawing(
        kind="bars",
        title="Reserved slots: what adapters fill and what is padding",
        x="max_rank",
        x_label="largest rank that a slot holds",
        y_label="GB",
        series=(Series("used_GB", "adapters"), Series("padding_GB", "padding")),
    ),
)
def lora_memory(given: LoraArguments) -> Working:
    """Parameters and bytes of LoRA adapters, and of GPU slots padded to the largest rank.

    Per matrix r x (in + out). Slots are reserved at max_rank for every matrix, whatever the
    adapters' own rank: they take max_rank / rank times the memory.
    """
    if given.rank > given.max_rank:
        raise ToolError("rank", given.rank, f"does not fit a slot of max_rank {given.max_rank}")
    work = Working(headline="adapter_MB", source="LoRA (Hu et al., 2021): r x (in + out)")
    each, slot = _sizes(given, work)
    wide = BYTES[given.dtype]
    params, size = each * given.rank, each * given.rank * wide
    reserved = slot * given.max_rank * wide * given.slots
    work.put("adapter_MB", size / 1e6, "MB", f"one adapter of rank {given.rank}")
    work.put("adapter_params", params, "parameters", "of one adapter")
    work.put("adapters_GB", size * given.adapters / GB, "GB", counted(given.adapters, "adapter"))
    work.put("slots_GB", reserved / GB, "GB", f"{counted(given.slots, 'slot')}, all GPUs")
    work.put("multiplier", given.max_rank / given.rank, "x", "slot over the rank it holds")
    used = min(given.slots, given.adapters) * size
    work.put("padding_GB", (reserved - used) / GB, "GB", "reserved and never filled")
    work.formula = (
        f"{given.rank} x {each:,} = {params:,} parameters x {wide:g} B = {plain(size / 1e6)} MB"
    )
    work.assume(
        "MB is 1e6 bytes; no adapter on embedding or lm_head; scaling factors not counted",
        "slots cover every linear layer, as vLLM reserves them, also where adapters change fewer",
    )
    if given.slots < given.adapters:
        work.warn(
            f"{counted(given.slots, 'slot')} for {given.adapters:,} adapters: a batch holds at "
            f"most {given.slots} of them, others wait"
        )
    work.table = [
        {
            "max_rank": rank,
            "used_GB": used / GB,
            "padding_GB": slot * rank * wide * given.slots / GB - used / GB,
        }
        for rank in sorted({8, 16, 32, 64, 128, 256, given.max_rank})
        if rank >= given.rank
    ]
    return work


def _sizes(given: LoraArguments, work: Working) -> tuple[int, int]:
    """Parameters per rank of the adapter and of a slot."""
    if given.params_per_rank is not None:
        if given.names_model:
            raise ToolError("params_per_rank", given.params_per_rank, "give it or a model")
        return given.params_per_rank, given.params_per_rank
    model = given.chosen()
    model.tell(work)
    return params_per_rank(model, given.targets), params_per_rank(model, "all")
