"""`op_intensity`: FLOPs per byte of one operation, beside the GPU's ridge."""

from dataclasses import dataclass
from typing import Literal

from pydantic import Field

from tools.architecture import Architecture, CachedLayers
from tools.attention import pair_width
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import BYTES, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

Op = Literal["linear", "decode_attention", "prefill_attention"]


class IntensityArguments(ModelArguments):
    """Arguments of op_intensity."""

    op: Op = Field(
        description="linear: a weight matrix; decode_attention: one query; prefill_attention"
    )
    tokens: int = Field(
        default=1,
        ge=1,
        le=10_000_000,
        description="linear: tokens per step; attention: tokens of context or prompt",
    )
    k: int | None = Field(default=None, ge=1, le=1_000_000, description="linear: inputs")
    n: int | None = Field(default=None, ge=1, le=1_000_000, description="linear: outputs")
    heads: int | None = Field(default=None, ge=1, le=10_000, description="Query heads, no model")
    kv_heads: int | None = Field(default=None, ge=1, le=10_000, description="KV heads, no model")
    head_dim: int = Field(default=128, ge=1, le=65_536, description="Width of a head, no model")
    weight_dtype: Dtype = Field(default="bf16", description="Format of the weights")
    kv_dtype: Dtype = Field(default="bf16", description="Format of keys and values")
    activation_dtype: Dtype = Field(default="bf16", description="Format of inputs and outputs")
    math_dtype: Literal["bf16", "fp16", "fp8", "fp4", "int8"] = Field(
        default="bf16", description="Format of the arithmetic, which decides the peak"
    )
    gpu: str | None = Field(default=None, max_length=60, description="GPU by name, for the ridge")
    peak_tflops: float | None = Field(
        default=None, ge=1e-6, le=1e6, description="Dense peak in TFLOPS, not the GPU's"
    )
    bandwidth_tb_s: float | None = Field(
        default=None, ge=1e-6, le=1000, description="Memory bandwidth in TB/s, not the GPU's"
    )


@dataclass(frozen=True)
class Cost:
    """FLOPs and bytes of one operation."""

    flops: float
    read: float
    formula: str

    @property
    def intensity(self) -> float:
        """FLOP per byte."""
        return self.flops / self.read


@tool(
    group="op_intensity",
    example={"op": "decode_attention", "model": "Llama-3.3-70B", "tokens": 8192, "gpu": "H100"},
    drawing=Drawing(
        kind="line",
        title="Intensity against the tokens of a step",
        x="tokens_per_step",
        x_label="tokens per step",
        y_label="FLOP per byte",
        series=(
            Series("linear", "weight matrices"),
            Series("attention", "attention"),
            Series("ridge", "ridge"),
        ),
        log_x=True,
        log_y=True,
    ),
)
def op_intensity(given: IntensityArguments) -> Working:
    """FLOPs per byte of one operation, and whether the GPU's memory or arithmetic bounds it.

    A weight matrix gains with the tokens of a step. Decode attention does not: its intensity is
    fixed by the heads per KV head and the cache's format. MLA counts in its absorbed form.
    """
    model = given.chosen() if given.names_model else None
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    named = [thing.source for thing in (model, gpu.spec if gpu else None) if thing]
    work = Working(headline="intensity", source="; ".join(["FLOPs over bytes", *named]))
    cost = _cost(given, model, work)
    work.formula = f"{cost.formula} = {plain(cost.intensity)} FLOP/B"
    work.put("intensity", cost.intensity, "FLOP/B", f"arithmetic intensity of {given.op}")
    work.put("flops", cost.flops, "FLOP", "arithmetic, 2 per multiply-add")
    work.put("bytes", cost.read, "B", "bytes moved, each once")
    ridge = _put_ridge(work, cost, given, gpu)
    for thing in (model, gpu):
        if thing:
            thing.tell(work)
    work.table = _rows(given, cost, ridge)
    return work


def _cost(given: IntensityArguments, model: Model | None, work: Working) -> Cost:
    if given.op == "linear":
        return _linear(given, model, work)
    group, shape = _attention_shape(given, model)
    if given.op == "prefill_attention":
        return _prefill_attention(given, shape, group)
    return _decode_attention(given, shape, group, work)


def _linear(given: IntensityArguments, model: Model | None, work: Working) -> Cost:
    k = given.k or (model.config.hidden_size if model else None)
    n = given.n or (model.config.intermediate_size if model else None)
    if k is None or n is None:
        missing = "k" if k is None else "n"
        raise ToolError(missing, None, "is needed: the matrix has k inputs and n outputs")
    m, wide, thin = given.tokens, BYTES[given.weight_dtype], BYTES[given.activation_dtype]
    work.assume("weights, inputs and outputs move once; scales of a quantisation not counted")
    read = k * n * wide + m * (k + n) * thin
    text = f"2 x {m:,} x {k:,} x {n:,} FLOP / ({k:,} x {n:,} x {wide:g} B + {m:,} x ({k:,} + {n:,})"
    return Cost(2.0 * m * k * n, read, f"{text} x {thin:g} B)")


def _attention_shape(
    given: IntensityArguments, model: Model | None
) -> tuple[CachedLayers, Architecture]:
    if model is not None:
        if not model.architecture.cached:
            raise ToolError("model", model.name, "has no attention layer")
        return model.architecture.cached[0], model.architecture
    if given.heads is None or given.kv_heads is None:
        missing = "heads" if given.heads is None else "kv_heads"
        raise ToolError(missing, None, "is needed: give a model, or heads and kv_heads")
    if given.heads % given.kv_heads:
        raise ToolError("kv_heads", given.kv_heads, f"does not divide {given.heads} heads")
    group = CachedLayers("full", 1, given.kv_heads, 2 * given.head_dim)
    shape = Architecture("given", given.heads, given.head_dim, given.head_dim, (group,), None, ())
    return group, shape


def _decode_attention(
    given: IntensityArguments, shape: Architecture, group: CachedLayers, work: Working
) -> Cost:
    size = BYTES[given.kv_dtype]
    context = given.tokens if group.window is None else min(given.tokens, group.window)
    if group.latent:
        value = group.width - shape.latent_rope
        per_head = 2 * (group.width + value)
        plain_flops = 2 * (shape.qk_width + shape.v_width)
        ratio = per_head / plain_flops
        work.put("absorbed_ratio", ratio, "x", "FLOPs per cached token over those of plain heads")
        work.assume("MLA in its absorbed form: every head works on the one cached latent")
    else:
        per_head = 2 * group.width
    flops, read = shape.heads * per_head * context, group.heads * group.width * size * context
    work.put("flops_per_token", shape.heads * per_head, "FLOP/token/layer", "per cached token")
    flip = flops / read * BYTES[given.weight_dtype] / 2
    work.put("flip_batch", flip, "sequences", "batch at which weight matrices reach this intensity")
    work.assume("one layer, one sequence; the batch cancels; queries and outputs are not counted")
    text = f"{shape.heads} heads x {per_head} FLOP / ({group.heads} x {group.width} x {size:g} B)"
    return Cost(float(flops), float(read), text)


def _prefill_attention(given: IntensityArguments, shape: Architecture, group: CachedLayers) -> Cost:
    n, size, thin = given.tokens, BYTES[given.kv_dtype], BYTES[given.activation_dtype]
    width = pair_width(shape, group)
    flops = 2.0 * shape.heads * width * n * n / 2
    moved = n * (shape.heads * width * thin + group.heads * group.width * size)
    text = (
        f"{shape.heads} x {width} x {n:,}^2 FLOP (causal) / {plain(moved)} B (Q, K, V, output once)"
    )
    return Cost(flops, moved, text)


def _put_ridge(
    work: Working, cost: Cost, given: IntensityArguments, gpu: NamedGpu | None
) -> float | None:
    bandwidth = given.bandwidth_tb_s or (gpu.spec.bandwidth_tb_s if gpu else None)
    peak = given.peak_tflops or (gpu.spec.peak_tflops(given.math_dtype) if gpu else None)
    if gpu and peak is None:
        raise ToolError("math_dtype", given.math_dtype, f"{gpu.name} has no such peak")
    if bandwidth is None or peak is None:
        return None
    ridge = peak / bandwidth
    work.put("ridge", ridge, "FLOP/B", f"dense {given.math_dtype} peak over bandwidth")
    work.put(
        "ridge_share", cost.intensity / ridge, "x", "intensity over ridge; memory-bound below 1"
    )
    seconds = max(cost.flops / (peak * 1e12), cost.read / (bandwidth * 1e12))
    work.put("floor_us", seconds * 1e6, "us", "least time on one GPU", "floor")
    work.put(
        "attainable_TFLOPS", min(peak, cost.intensity * bandwidth), "TFLOPS", "most", "ceiling"
    )
    tokens = ridge * BYTES[given.weight_dtype] / 2
    work.put(
        "crossover_tokens", tokens, "tokens/step", "from here a weight matrix is compute-bound"
    )
    bound = "memory" if cost.intensity < ridge else "arithmetic"
    work.assume(
        f"bound by {bound}: {plain(cost.intensity)} against a ridge of {plain(ridge)} FLOP/B"
    )
    return ridge


def _rows(given: IntensityArguments, cost: Cost, ridge: float | None) -> list[dict[str, float]]:
    rows = []
    for tokens in (2**power for power in range(11)):
        row: dict[str, float] = {"tokens_per_step": tokens}
        row["linear"] = 2 * tokens / BYTES[given.weight_dtype]
        if given.op != "linear":
            row["attention"] = cost.intensity
        if ridge is not None:
            row["ridge"] = ridge
        rows.append(row)
    return rows
