"""`memory_budget`: memory that is left for KV cache, and the tokens and sequences that it holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, floor
from typing import Literal

from pydantic import Field

from tools.cache_layout import EVENLY, Share, block_groups, blocks_per_sequence, row_bytes
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import GB, GIB, MIB, Dtype, scales_note
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain

Engine = Literal["vllm", "tensorrt-llm", "sglang"]

DEFAULT_FRACTION: Mapping[Engine, float] = {"vllm": 0.92, "tensorrt-llm": 0.9}
MEANING: Mapping[Engine, str] = {
    "vllm": "vLLM: the fraction is of the whole memory; KV = memory x fraction - weights - reserve",
    "tensorrt-llm": "TensorRT-LLM: share of what is free: KV = (memory - weights - reserve) x it",
    "sglang": "SGLang: the fraction holds weights and KV; the reserve must fit in the rest",
}


class MemoryArguments(ModelArguments):
    """Arguments of memory_budget."""

    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name, e.g. H200, H100, B200"
    )
    memory_gb: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e5,
        description="Memory of one GPU in GB (1e9 B), instead of the GPU's",
    )
    memory_basis: Literal["nominal", "nvidia-smi"] = Field(
        default="nominal", description="The vendor's GB, or the MiB that nvidia-smi reports"
    )
    gpus: int = Field(
        default=1, ge=1, le=1024, description="GPUs that share the model by tensor parallelism"
    )
    engine: Engine = Field(default="vllm", description="Whose meaning of the fraction holds")
    utilization: float | None = Field(
        default=None,
        ge=1e-6,
        le=1,
        description="The engine's memory fraction; vLLM 0.92 by default",
    )
    weight_dtype: Dtype | None = Field(
        default=None, description="Format of the weights; default: as the checkpoint stores them"
    )
    weights_gb: float | None = Field(
        default=None,
        ge=0,
        le=1e6,
        description="Weights in GB (1e9 B) over all GPUs, instead of the model's",
    )
    reserve_gb: float | None = Field(
        default=None,
        ge=0,
        le=1e4,
        description="GB per GPU for activations, CUDA graphs, NCCL and other buffers",
    )
    kv_dtype: Dtype = Field(default="bf16", description="Format of the KV cache")
    kv_bytes_per_token: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e9,
        description="KV bytes per token over all GPUs, instead of the model's",
    )
    context: int | None = Field(
        default=None,
        ge=1,
        le=100_000_000,
        description="Tokens of each sequence, to count sequences",
    )
    block: int = Field(default=16, ge=1, le=1024, description="Tokens per block of the paged cache")
    batched_tokens: int = Field(
        default=8192,
        ge=1,
        le=1_000_000,
        description="max_num_batched_tokens, for the concurrency that vLLM logs",
    )


@dataclass(frozen=True)
class Budget:
    """Bytes on one GPU."""

    memory: float
    fraction: float
    weights: float
    reserve: float
    engine: Engine

    @property
    def room(self) -> float:
        """Left for KV cache; negative where it does not fit."""
        if self.engine == "tensorrt-llm":
            return (self.memory - self.weights - self.reserve) * self.fraction
        if self.engine == "sglang":
            return self.memory * self.fraction - self.weights
        return ceil(self.memory * self.fraction) - self.weights - self.reserve

    @property
    def kv(self) -> float:
        """Bytes for KV cache."""
        return max(0.0, self.room)


@tool(
    group="memory_budget",
    example={
        "gpu": "H200",
        "model": "Llama-3.3-70B",
        "weights_gb": 70,
        "reserve_gb": 5,
        "context": 8192,
    },
    drawing=Drawing(
        kind="bars",
        title="Memory of one GPU against the number of GPUs",
        x="gpus",
        x_label="GPUs",
        y_label="GB (1e9 bytes) per GPU",
        series=(
            Series("weights_GB", "weights"),
            Series("reserve_GB", "reserve"),
            Series("kv_GB", "KV cache"),
            Series("unused_GB", "not used"),
        ),
    ),
)
def memory_budget(given: MemoryArguments) -> Working:
    """GB left for KV cache after weights and reserve, and the tokens and sequences that it holds.

    vLLM: memory x utilization - weights - reserve. Sequences are given as a fraction, as whole
    ones, and as the blocks of the paged cache allow; that is a ceiling, not a promise.
    """
    model = given.chosen() if given.names_model else None
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    source = "; ".join(
        [
            MEANING[given.engine],
            *([model.source] if model else []),
            *([gpu.spec.source] if gpu else []),
        ]
    )
    work = Working(headline="kv_GB", source=source)
    budget = _budget(given, model, gpu, work)
    _put_budget(work, budget, given)
    _put_basis(work, budget, given, gpu)
    _put_tokens(work, budget, given, model)
    work.formula = _formula(budget, given.gpus)
    work.assume("GB is 1e9 bytes, GiB is 2^30", MEANING[given.engine])
    for named in (model, gpu):
        if named:
            named.tell(work)
    work.table = _rows(budget, given)
    return work


def _budget(
    given: MemoryArguments, model: Model | None, gpu: NamedGpu | None, work: Working
) -> Budget:
    fraction = (
        given.utilization if given.utilization is not None else DEFAULT_FRACTION.get(given.engine)
    )
    if fraction is None:
        raise ToolError(
            "utilization",
            None,
            "is needed for sglang: its mem_fraction_static, which it sets by model and GPU",
        )
    if given.reserve_gb is None:
        work.warn(
            "no reserve_gb: activations, graphs and buffers are left out; the real pool is smaller"
        )
    budget = Budget(
        memory=_memory(given, gpu, work),
        fraction=fraction,
        weights=_weights(given, model, work) / given.gpus,
        reserve=(given.reserve_gb or 0.0) * GB,
        engine=given.engine,
    )
    spare = budget.memory * (1 - fraction)
    if given.engine == "sglang" and budget.reserve > spare:
        work.warn(
            f"the reserve does not fit in the {plain(spare / GB)} GB that the fraction leaves"
        )
    return budget


def _memory(given: MemoryArguments, gpu: NamedGpu | None, work: Working) -> float:
    if given.memory_gb is not None:
        return given.memory_gb * GB
    if gpu is None:
        raise ToolError("gpu", None, "is required: a GPU's name, or memory_gb")
    if given.memory_basis == "nominal":
        work.assume(f"{gpu.name}: the vendor's {plain(gpu.spec.memory_gb)} GB, taken as decimal")
        return gpu.spec.memory_gb * GB
    if gpu.spec.memory_mib_nvidia_smi is None:
        raise ToolError(
            "memory_basis",
            given.memory_basis,
            f"no nvidia-smi figure for {gpu.name}; use nominal or memory_gb",
        )
    work.assume(f"{gpu.name}: {gpu.spec.memory_mib_nvidia_smi:,} MiB as nvidia-smi reports")
    return gpu.spec.memory_mib_nvidia_smi * MIB


def _weights(given: MemoryArguments, model: Model | None, work: Working) -> float:
    if given.weights_gb is not None:
        work.assume(f"weights: {plain(given.weights_gb)} GB over all GPUs, as given")
        return given.weights_gb * GB
    if model is None:
        raise ToolError("model", None, "is required: a model's name, its config, or weights_gb")
    total, how = model.weight_bytes(given.weight_dtype)
    work.assume(how, scales_note(given.weight_dtype, "the weights") if given.weight_dtype else "")
    return total


def _put_budget(work: Working, budget: Budget, given: MemoryArguments) -> None:
    kind = "ceiling" if given.reserve_gb is None else "exact"
    n = given.gpus
    work.put(
        "kv_GB",
        budget.kv * n / GB,
        "GB",
        f"left for KV cache over {counted(n, 'GPU')}",
        kind,
    )
    work.put("kv_GiB", budget.kv * n / GIB, "GiB", "left for KV cache, all GPUs", kind)
    work.put("kv_GB_per_gpu", budget.kv / GB, "GB/GPU", "left for KV cache on one GPU", kind)
    work.put("memory_GB", budget.memory / GB, "GB/GPU", "memory of one GPU")
    work.put(
        "usable_GB",
        budget.memory * budget.fraction / GB,
        "GB/GPU",
        f"{plain(budget.fraction * 100)} % of it",
    )
    work.put("weights_GB", budget.weights * n / GB, "GB", "weights over all GPUs")
    work.put("weights_GB_per_gpu", budget.weights / GB, "GB/GPU", "weights on one GPU")
    work.put("reserve_GB", budget.reserve / GB, "GB/GPU", "activations, graphs and buffers")
    if budget.room <= 0:
        work.put("short_GB", -budget.room / GB, "GB/GPU", "missing before the first token of cache")
        work.warn(f"does not fit: {plain(-budget.room / GB)} GB short on each GPU")
    once = Budget(budget.memory, budget.fraction, 0.0, budget.reserve, budget.engine)
    if once.kv > 0:
        least = (
            floor(
                budget.weights
                * n
                / (once.kv / (budget.fraction if budget.engine == "tensorrt-llm" else 1))
            )
            + 1
        )
        work.put(
            "least_gpus",
            least,
            "GPUs",
            "fewest that hold the weights and leave some cache",
            "count",
        )


def _put_basis(work: Working, budget: Budget, given: MemoryArguments, gpu: NamedGpu | None) -> None:
    """The same with the other reading of the GPU's memory, where both are known."""
    if gpu is None or given.memory_gb is not None or gpu.spec.memory_mib_nvidia_smi is None:
        return
    smi = gpu.spec.memory_mib_nvidia_smi * MIB
    for key, memory, said in (
        ("nominal", gpu.spec.memory_gb * GB, "the vendor's GB"),
        ("nvidia_smi", smi, "nvidia-smi's MiB"),
    ):
        other = Budget(memory, budget.fraction, budget.weights, budget.reserve, budget.engine)
        work.put(f"kv_GB_{key}", other.kv * given.gpus / GB, "GB", f"left for KV cache by {said}")


def _put_tokens(work: Working, budget: Budget, given: MemoryArguments, model: Model | None) -> None:
    if given.kv_bytes_per_token is not None:
        work.assume(EVENLY if given.gpus > 1 else "")
        per_token = given.kv_bytes_per_token / given.gpus
        _put_counts(work, budget, given, per_token, per_token * (given.context or 0))
        return
    if model is None:
        if given.context:
            raise ToolError(
                "kv_bytes_per_token", None, "is needed to count sequences: give it, or a model"
            )
        return
    work.assume(scales_note(given.kv_dtype, "the cache"))
    share = Share(model.architecture, given.gpus, argument="gpus")
    if share.copies > 1:
        work.warn(
            f"{given.gpus} GPUs keep the cache {share.copies:g} times: only KV heads are divided"
        )
    one = share.sequence(given.kv_dtype, given.context) if given.context else 0.0
    _put_counts(work, budget, given, share.growing(given.kv_dtype), one)
    _put_blocks(work, budget, given, share)


def _put_counts(
    work: Working, budget: Budget, given: MemoryArguments, per_token: float, one: float
) -> None:
    if per_token:
        work.put("kv_tokens", budget.kv / per_token, "tokens", "tokens of cache, ideal", "ceiling")
        work.put(
            "bytes_per_token_per_gpu", per_token, "B/token/GPU", "KV cache per token on one GPU"
        )
    if one:
        number = budget.kv / one
        work.put(
            "sequences",
            number,
            "sequences",
            f"sequences of {given.context:,} tokens, as a fraction",
            "ceiling",
        )
        work.put("whole_sequences", floor(number), "sequences", "whole sequences, ideal", "ceiling")
        work.put("sequence_GB_per_gpu", one / GB, "GB/sequence/GPU", "one sequence on one GPU")


def _put_blocks(work: Working, budget: Budget, given: MemoryArguments, share: Share) -> None:
    """vLLM's block pool: usable blocks, sequences in whole blocks, and the figures that it logs."""
    groups = block_groups(share.architecture)
    if not groups or given.engine != "vllm" or share.cp > 1:
        return
    block = (
        max(g.count * row_bytes(g.layers, given.kv_dtype, share.heads(g.layers)) for g in groups)
        * given.block
    )
    total = int(budget.kv // block)
    usable = max(0, total - 1)
    work.put(
        "blocks",
        usable,
        "blocks",
        f"blocks of {given.block} tokens, without the null block",
        "count",
    )
    if not given.context or not total:
        return
    if share.architecture.recurrent:
        work.assume("blocks leave out the state layers: vLLM pads their pages, which costs more")
    whole = ceil(given.context / given.block)
    now = sum(
        min(whole, blocks_per_sequence(g.layers, given.context, given.block, 1)) for g in groups
    )
    logged = sum(
        blocks_per_sequence(g.layers, given.context, given.block, given.batched_tokens)
        for g in groups
    )
    work.put(
        "sequences_in_blocks",
        usable // now,
        "sequences",
        "whole sequences in whole blocks",
        "ceiling",
    )
    work.put(
        "concurrency_logged",
        total / logged,
        "x",
        f"maximum concurrency that vLLM logs at {given.context:,} tokens",
    )
    reported = int(total / logged * given.context)
    work.put(
        "tokens_logged",
        reported,
        "tokens",
        "GPU KV cache size that vLLM logs: concurrency x max_model_len",
    )


def _formula(budget: Budget, gpus: int) -> str:
    memory, weights, reserve = (
        plain(part / GB) for part in (budget.memory, budget.weights, budget.reserve)
    )
    texts: Mapping[Engine, str] = {
        "vllm": f"{memory} GB x {budget.fraction:g} - {weights} GB - {reserve} GB",
        "tensorrt-llm": f"({memory} GB - {weights} GB - {reserve} GB) x {budget.fraction:g}",
        "sglang": f"{memory} GB x {budget.fraction:g} - {weights} GB",
    }
    text = f"{texts[budget.engine]} = {plain(budget.room / GB)} GB"
    return text if gpus == 1 else f"{text} per GPU, x {gpus} = {plain(budget.room * gpus / GB)} GB"


def _rows(budget: Budget, given: MemoryArguments) -> list[dict[str, float]]:
    rows = []
    for number in sorted({1, 2, 4, 8, given.gpus}):
        here = Budget(
            budget.memory,
            budget.fraction,
            budget.weights * given.gpus / number,
            budget.reserve,
            budget.engine,
        )
        if here.room <= 0:
            continue
        used = here.weights + here.reserve + here.kv
        rows.append(
            {
                "gpus": number,
                "weights_GB": here.weights / GB,
                "reserve_GB": here.reserve / GB,
                "kv_GB": here.kv / GB,
                "unused_GB": max(0.0, here.memory - used) / GB,
            }
        )
    return rows
