"""`tp_scaling`: what each doubling of tensor parallelism buys once its all-reduces are paid."""

from pydantic import Field

from tools.checkpoints import Model, ModelArguments
from tools.decode_step import read_bytes
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.serving.collectives import one_direction
from tools.serving.layout import Layout, Sharded
from tools.serving.links import Link, fastest, seconds
from tools.working import Working, plain

SIZES = (1, 2, 4, 8, 16, 32)


class TpScalingArguments(ModelArguments):
    """Arguments of tp_scaling."""

    gpu: str = Field(max_length=60, description="GPU by name, e.g. H100")
    latency_us: float = Field(
        ge=0, le=1e5, description="Latency of one step of an all-reduce in us, e.g. 2 over NVLink"
    )
    link_gb_s: float | None = Field(
        default=None,
        ge=1e-9,
        le=1e5,
        description="GB/s in one direction; default: the GPU's NVLink",
    )
    tp: int = Field(default=8, ge=1, le=1024, description="GPUs to look at")
    domain: int = Field(default=8, ge=1, le=1024, description="GPUs that NVLink joins")
    node_link_gb_s: float | None = Field(
        default=None, ge=1e-9, le=1e5, description="Beyond them: GB/s per GPU in one direction, and"
    )
    node_latency_us: float | None = Field(
        default=None, ge=0, le=1e6, description="latency of a step between nodes in us"
    )
    weight_dtype: Dtype | None = Field(default=None, description="Format; default: as stored")
    kv_dtype: Dtype = Field(default="bf16", description="Format of the KV cache")
    context: int = Field(default=0, ge=0, le=100_000_000, description="Tokens per sequence")
    batch: int = Field(default=1, ge=1, le=65_536, description="Sequences that decode together")


@tool(
    group="parallel_layout",
    example={"model": "Llama-3.3-70B", "gpu": "H100", "latency_us": 2, "weight_dtype": "fp8"},
    drawing=Drawing(
        kind="bars",
        title="Decode step by tensor parallelism",
        x="tp",
        x_label="GPUs of the tensor-parallel group",
        y_label="ms per step",
        series=(Series("memory_ms", "reads"), Series("comm_ms", "all-reduces")),
        marker=Series("ideal_ms", "reads of 1 GPU / tp"),
    ),
)
def tp_scaling(given: TpScalingArguments) -> Working:
    """Decode step over 1 to 32 tensor-parallel GPUs: reads shrink, the all-reduces do not.

    Step = (weights / tp + cache of one GPU) / bandwidth + calls x the fastest all-reduce.
    """
    model, gpu = given.chosen(), find_gpu(given.gpu)
    if model.parameters.experts:
        raise ToolError("model", model.name, "is a mixture of experts: see parallel_layout and moe")
    work = Working(headline="step_ms", source="roofline of reads and alpha-beta of all-reduces")
    gpu_link = one_direction(gpu, given.link_gb_s, work)
    memory, comm = _step(given, model, gpu, given.tp, gpu_link)
    step = memory + comm
    work.put("step_ms", step, "ms", f"decode step over {given.tp:,} GPUs", "estimate")
    work.put("memory_ms", memory, "ms", "reads of one GPU", "floor")
    work.put("comm_ms", comm, "ms", "all-reduces", "estimate")
    work.put("comm_share", comm / step, "fraction", "of the step", "estimate")
    calls = Sharded(model, Layout(given.tp), given.weight_dtype).all_reduces()
    work.put("all_reduces", calls, "calls/token", "one after the other", "count")
    one = sum(_step(given, model, gpu, 1, gpu_link))
    work.put("speedup", one / step, "x", "against one GPU, if it held the model", "estimate")
    per_gpu = given.batch / step * 1e3 / given.tp
    work.put("tokens_per_second_per_gpu", per_gpu, "tokens/s/GPU", "at this batch", "estimate")
    message = model.config.hidden_size * 2 * given.batch
    work.formula = (
        f"{plain(memory)} ms reads + {calls:,} all-reduces of {message:,} B = {plain(memory)} + "
        f"{plain(comm)} = {plain(step)} ms"
    )
    model.tell(work)
    work.assume(
        "each all-reduce is the fastest of ring, one-shot and two-shot; nothing overlaps; "
        "a ring over nodes runs at the link between them",
        "the embedding table counts among the weights that are read",
    )
    work.table = _rows(given, model, gpu, gpu_link)
    return work


def _step(
    given: TpScalingArguments, model: Model, gpu: NamedGpu, tp: int, gpu_link: float
) -> tuple[float, float]:
    """Reads and all-reduces in ms."""
    sharded = Sharded(model, Layout(tp), given.weight_dtype)
    kv = read_bytes(model.architecture, sharded.share, given.kv_dtype, given.context)
    reads = sharded.weights() + kv * given.batch
    memory = reads / (gpu.spec.bandwidth_tb_s * 1e12) * 1e3
    if tp == 1:
        return memory, 0.0
    size = model.config.hidden_size * 2.0 * given.batch
    link = Link(gpu_link * 1e9, given.latency_us * 1e-6)
    if tp > given.domain:
        link = _between(given, tp)
    each = seconds("all_reduce", fastest("all_reduce", tp, size, link), tp, size, link)
    return memory, sharded.all_reduces() * each * 1e3


def _between(given: TpScalingArguments, tp: int) -> Link:
    for field in ("node_link_gb_s", "node_latency_us"):
        if getattr(given, field) is None:
            raise ToolError(
                field, None, f"is needed: {tp} GPUs exceed the domain of {given.domain}"
            )
    return Link((given.node_link_gb_s or 0) * 1e9, (given.node_latency_us or 0) * 1e-6)


def _rows(
    given: TpScalingArguments, model: Model, gpu: NamedGpu, gpu_link: float
) -> list[dict[str, float]]:
    rows: list[dict[str, float]] = []
    alone = _step(given, model, gpu, 1, gpu_link)[0]
    for tp in sorted({*SIZES, given.tp}):
        try:
            memory, comm = _step(given, model, gpu, tp, gpu_link)
        except ToolError:
            continue
        rows.append(
            {
                "tp": tp,
                "memory_ms": memory,
                "comm_ms": comm,
                "step_ms": memory + comm,
                "ideal_ms": alone / tp,
                "tokens_per_second_per_gpu": given.batch / (memory + comm) * 1e3 / tp,
            }
        )
    return rows
