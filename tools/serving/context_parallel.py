"""`context_parallel`: a prompt split over GPUs: keys and values on the wire, and when they hide."""

from pydantic import Field

from tools.attention import attention_flops
from tools.cache_layout import growing_bytes
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.precision import Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class ContextParallelArguments(ModelArguments):
    """Arguments of context_parallel."""

    tokens: int = Field(ge=1, le=100_000_000, description="Tokens of the prompt")
    cp: int = Field(ge=2, le=1024, description="GPUs (or tensor-parallel nodes) in the ring")
    gpus_per_rank: int = Field(
        default=1, ge=1, le=64, description="GPUs of one member: tp within it"
    )
    gpu: str = Field(max_length=60, description="GPU by name, for its arithmetic")
    link_gb_s: float = Field(
        ge=1e-9, le=1e5, description="What one member sends, GB/s in one direction, e.g. 50 per NIC"
    )
    kv_dtype: Dtype = Field(default="bf16", description="Format of keys and values on the wire")
    compute_efficiency: float = Field(
        default=1, ge=1e-9, le=1, description="Share of the dense bf16 peak that attention reaches"
    )


@tool(
    group="parallel_layout",
    example={
        "model": "Llama-3.3-70B",
        "tokens": 1_000_000,
        "cp": 4,
        "gpus_per_rank": 8,
        "gpu": "H100",
        "link_gb_s": 400,
    },
    drawing=Drawing(
        kind="bars",
        title="Attention work of each member of the ring, even share = 1",
        x="member",
        x_label="member, in the order of the prompt",
        y_label="work, even share = 1",
        series=(Series("contiguous", "contiguous split"),),
        marker=Series("zigzag", "zigzag split"),
    ),
)
def context_parallel(given: ContextParallelArguments) -> Working:
    """Ring attention over a prompt: bytes of keys and values sent, and when attention hides them.

    Each member keeps its queries and passes keys and values on. A contiguous split under a causal
    mask gives the last member almost twice the even share; two chunks each, front and back, do not.
    """
    model, gpu = given.chosen(), find_gpu(given.gpu)
    if given.tokens < 2 * given.cp:
        raise ToolError("tokens", given.tokens, f"is too short for {given.cp} members")
    work = Working(headline="comm_ms", source="Ring Attention (Liu et al. 2023); striped variants")
    row = growing_bytes(model.architecture, given.kv_dtype)
    if not row:
        raise ToolError("model", model.name, "keeps no growing cache: nothing is passed on")
    sent = row * given.tokens * (given.cp - 1) / given.cp
    comm = sent / (given.link_gb_s * 1e9) * 1e3
    flops = attention_flops(model.architecture, given.tokens) / given.cp
    rate = gpu.spec.bf16_tflops * 1e12 * given.gpus_per_rank * given.compute_efficiency
    compute = flops / rate * 1e3
    work.put("comm_ms", comm, "ms", "sending keys and values, all layers", "floor")
    work.put("attention_ms", compute, "ms", "attention of one member, even split", "floor")
    work.put("exposed_ms", max(0.0, comm - compute), "ms", "that attention cannot hide", "floor")
    work.put("sent_GB", sent / 1e9, "GB/member", "keys and values passed on")
    work.put("hiding_tokens", given.tokens * comm / compute, "tokens", "prompt from which it hides")
    _put_alternatives(work, given, model)
    work.formula = (
        f"{plain(row)} B x {given.tokens:,} x {given.cp - 1}/{given.cp} / "
        f"{plain(given.link_gb_s)} GB/s = {plain(comm)} ms, attention {plain(compute)} ms"
    )
    model.tell(work)
    gpu.tell(work)
    work.assume(
        "linear layers are not counted: they need no exchange under this split",
        "all members send at once; hops of one step wait for the slowest member",
    )
    if any(group.window for group in model.architecture.cached):
        work.warn("windowed layers pass fewer keys; only layers that keep every token are counted")
    work.table = _rows(given.cp)
    return work


def _put_alternatives(work: Working, given: ContextParallelArguments, model: Model) -> None:
    hidden, layers = model.config.hidden_size, len(model.architecture.kinds)
    reduced = 2 * layers * 2 * (given.cp - 1) / given.cp * hidden * 2.0 * given.tokens
    work.put("tp_sent_GB", reduced / 1e9, "GB/member", "tensor parallelism instead: all-reduces")
    ratio = reduced / (work.measures["sent_GB"].value * 1e9)
    work.put("tp_ratio", ratio, "x", "what tensor parallelism would send, against this")
    work.put(
        "imbalance", (2 * given.cp - 1) / given.cp, "x", "last member's work, contiguous split"
    )


def _rows(cp: int) -> list[dict[str, float]]:
    """Causal pairs of each member over the even share; zigzag pairs chunk i with 2cp-1-i."""
    shown = range(cp) if cp <= 16 else [round(i * (cp - 1) / 15) for i in range(16)]
    return [{"member": i, "contiguous": (2 * i + 1) / cp, "zigzag": 1.0} for i in shown]
