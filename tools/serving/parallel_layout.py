"""`parallel_layout`: per-GPU weights and cache under tp, pp, ep, dp and cp, and what is sent."""

from pydantic import Field

from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.serving.layout import Layout, Sharded, check
from tools.working import Working, counted, plain

WIRE = 2
"""Bytes of an activation on the wire (bf16)."""


class ParallelLayoutArguments(ModelArguments):
    """Arguments of parallel_layout."""

    tp: int = Field(default=1, ge=1, le=1024, description="GPUs of a tensor-parallel group")
    pp: int = Field(default=1, ge=1, le=256, description="Pipeline stages")
    ep: int = Field(
        default=1,
        ge=1,
        le=4096,
        description="GPUs over which whole experts are spread: 1 or tp x dp",
    )
    dp: int = Field(default=1, ge=1, le=1024, description="Replicas that serve other requests")
    cp: int = Field(
        default=1, ge=1, le=64, description="Decode context parallelism within tp (divides copies)"
    )
    microbatches: int = Field(
        default=1, ge=1, le=100_000, description="Microbatches in flight in the pipeline"
    )
    weight_dtype: Dtype | None = Field(
        default=None, description="Format of the weights; default: as stored"
    )
    kv_dtype: Dtype = Field(default="bf16", description="Format of the KV cache")
    context: int = Field(default=8192, ge=1, le=100_000_000, description="Tokens per sequence")
    sequences: int = Field(
        default=1, ge=1, le=1_000_000, description="Sequences on each replica at once"
    )
    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name, to see whether it fits"
    )
    utilization: float = Field(
        default=0.92, ge=1e-9, le=1, description="Share of the memory that may be used, 0 to 1"
    )


@tool(
    group="parallel_layout",
    example={"model": "Llama-3.3-70B", "tp": 16, "gpu": "H100", "context": 32768},
    drawing=Drawing(
        kind="bars",
        title="Memory of one GPU by tensor parallelism",
        x="tp",
        x_label="GPUs of a tensor-parallel group",
        y_label="GB on one GPU",
        series=(Series("weights_GB", "weights"), Series("kv_GB", "KV cache")),
    ),
)
def parallel_layout(given: ParallelLayoutArguments) -> Working:
    """Weights and KV cache of one GPU under tp, pp, ep, dp and cp, and what each token sends.

    KV heads repeat where tp exceeds them, and an MLA latent is never divided by tp. dp serves
    other requests: it divides no request's cache. ep uses the GPUs of tp and dp.
    """
    model = given.chosen()
    gpu = find_gpu(given.gpu) if given.gpu else None
    layout = Layout(given.tp, given.pp, given.ep, given.dp, given.cp)
    check(layout, model)
    sharded = Sharded(model, layout, given.weight_dtype)
    work = Working(headline="memory_GB_per_gpu", source="vLLM 0.31 sharding; " + model.source)
    weights = sharded.weights()
    kv = sharded.kv_sequence(given.kv_dtype, given.context) * given.sequences
    work.put("memory_GB_per_gpu", (weights + kv) / GB, "GB/GPU", "weights and cache", "floor")
    work.put("weights_GB_per_gpu", weights / GB, "GB/GPU", "weights on the fullest GPU", "floor")
    work.put("kv_GB_per_gpu", kv / GB, "GB/GPU", f"cache of {counted(given.sequences, 'sequence')}")
    token = sharded.kv_per_token(given.kv_dtype)
    work.put("kv_bytes_per_token_per_gpu", token, "B/token/GPU", "one sequence grows by")
    work.put("gpus", layout.gpus, "GPUs", "tp x pp x dp", "count")
    work.put("copies", sharded.share.copies, "x", "how often a replica keeps each token's cache")
    _put_waste(work, sharded, given)
    _put_traffic(work, sharded, model, given)
    _put_room(work, given, gpu, (weights, kv), sharded)
    work.formula = (
        f"weights {plain(weights / GB)} GB + {given.sequences:,} x {given.context:,} tokens x "
        f"{plain(token)} B = {plain((weights + kv) / GB)} GB/GPU over {layout.gpus:,} GPUs"
    )
    for thing in (model, gpu):
        if thing:
            thing.tell(work)
    _say(work, sharded)
    work.table = _rows(model, given)
    return work


def _put_waste(work: Working, sharded: Sharded, given: ParallelLayoutArguments) -> None:
    share, tp = sharded.share, given.tp
    whole = share.growing(given.kv_dtype) * tp
    work.put("kv_bytes_per_token_node", whole, "B/token", "over all GPUs of one replica")
    wasted = whole * (1 - 1 / share.copies)
    work.put("kv_bytes_wasted", wasted, "B/token", "of them in copies beyond the first")
    if share.copies > 1:
        work.warn(
            f"tp={tp} keeps each token's cache {plain(share.copies)} times: more tp frees none of "
            "it; dp or cp would"
        )


def _put_traffic(
    work: Working, sharded: Sharded, model: Model, given: ParallelLayoutArguments
) -> None:
    message = model.config.hidden_size * WIRE
    calls, tp, pp = sharded.all_reduces(), given.tp, given.pp
    work.put("all_reduces_per_token", calls, "calls/token", "one after the other", "count")
    work.put("all_reduce_bytes", message if calls else 0, "B/token", "of one all-reduce")
    wire = calls * 2 * (tp - 1) / tp * message
    work.put("all_reduce_sent_bytes", wire / pp, "B/token/GPU", "sent in them (ring)")
    exchanges = sharded.all_to_alls()
    work.put("all_to_alls_per_step", exchanges, "calls/step", "dispatch and combine", "count")
    work.put("pipeline_bytes", (pp - 1) * message, "B/token", "between stages", "exact")
    bubble = (pp - 1) / (given.microbatches + pp - 1)
    work.put("bubble", bubble, "fraction", "of the stages' time that is idle: (p-1)/(m+p-1)")
    if pp > 1:
        work.assume("stages do not make one token faster: it passes every layer in order")


def _put_room(
    work: Working,
    given: ParallelLayoutArguments,
    gpu: NamedGpu | None,
    held: tuple[float, float],
    sharded: Sharded,
) -> None:
    if gpu is None:
        return
    usable = gpu.spec.memory_gb * given.utilization
    spare = usable - held[0] / GB
    work.put("usable_GB", usable, "GB/GPU", f"{plain(given.utilization * 100)} % of the memory")
    work.put("kv_room_GB", spare, "GB/GPU", "left for cache and all else", "ceiling")
    if spare < held[1] / GB:
        work.warn(f"does not fit: {plain(sum(held) / GB)} GB against {plain(usable)} GB usable")
    token = sharded.kv_per_token(given.kv_dtype)
    if token and spare > 0:
        tokens = spare * GB / token
        work.put("kv_tokens", tokens, "tokens", "that a replica can hold at most", "ceiling")
    work.assume("activations, graphs and buffers are not counted: see memory_budget")


def _say(work: Working, sharded: Sharded) -> None:
    work.assume(
        "weights divide evenly over tp; norms, which every GPU keeps, are counted as divided",
        f"the fullest stage has {sharded.stage_layers} of {sharded.layers} layers, averaged by kind"
        if sharded.layout.pp > 1
        else "",
    )
    if sharded.layout.ep > 1:
        work.assume("ep: each GPU keeps whole experts; no redundant experts")
    elif sharded.model.parameters.experts and sharded.layout.dp > 1:
        work.assume("dp without ep: each replica keeps all experts (vLLM would divide them too)")


def _rows(model: Model, given: ParallelLayoutArguments) -> list[dict[str, float]]:
    rows: list[dict[str, float]] = []
    for tp in sorted({1, 2, 4, 8, 16, 32, given.tp}):
        ep = tp * given.dp if given.ep > 1 else 1
        layout = Layout(tp, given.pp, ep, given.dp)
        try:
            check(layout, model)
            sharded = Sharded(model, layout, given.weight_dtype)
            kv = sharded.kv_sequence(given.kv_dtype, given.context) * given.sequences
        except ToolError:
            continue
        row = {
            "tp": tp,
            "gpus": layout.gpus,
            "weights_GB": sharded.weights() / GB,
            "kv_GB": kv / GB,
            "copies": sharded.share.copies,
            "all_reduces_per_token": sharded.all_reduces(),
        }
        rows.append(row)
    return rows
