"""`prefill_roofline`: a prompt's arithmetic, the least time to its first token, its parts."""

from dataclasses import dataclass

from pydantic import Field

from tools.attention import attention_flops
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.hardware import NamedGpu, find_gpu
from tools.precision import BYTES, GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class PrefillArguments(ModelArguments):
    """Arguments of prefill_roofline."""

    params_b: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e6,
        description="Billions of parameters that work on a token, instead of the model's",
    )
    tokens: int = Field(ge=1, le=100_000_000, description="New tokens of the prompt")
    cached_tokens: int = Field(
        default=0, ge=0, le=100_000_000, description="Tokens before them that a prefix cache holds"
    )
    weight_dtype: Dtype | None = Field(
        default=None, description="Format of the weights; default: as the checkpoint stores them"
    )
    gpu: str | None = Field(
        default=None, max_length=60, description="GPU by name, e.g. H200, H100, B200"
    )
    peak_tflops: float | None = Field(
        default=None, ge=1e-6, le=1e6, description="Dense peak of one GPU in TFLOPS, not the GPU's"
    )
    bandwidth_tb_s: float | None = Field(
        default=None, ge=1e-6, le=1000, description="Memory bandwidth of one GPU in TB/s (1e12 B/s)"
    )
    gpus: int = Field(
        default=1, ge=1, le=1024, description="GPUs that share the work, without loss"
    )
    compute_efficiency: float | None = Field(
        default=None,
        ge=1e-6,
        le=1,
        description="Share of the peak that is reached; gives an estimate beside the floor",
    )


@dataclass(frozen=True)
class Prefill:
    """The work of a prompt over all GPUs, as functions of its length."""

    body: float
    """Parameters that work on each token."""
    head: float
    """Parameters that work on the last token only."""
    model: Model | None
    peak: float
    """FLOP/s of all GPUs."""
    weights_s: float | None
    """Seconds to read the weights once."""

    def dense(self, tokens: int) -> float:
        """FLOPs of the weight matrices."""
        return 2 * self.body * tokens + 2 * self.head

    def attention(self, tokens: int, cached: int) -> float:
        """FLOPs of attention; 0 where no model says its shape."""
        return attention_flops(self.model.architecture, tokens, cached) if self.model else 0.0


@tool(
    group="prefill_roofline",
    example={
        "model": "Llama-3.3-70B",
        "tokens": 8192,
        "weight_dtype": "fp8",
        "gpu": "H200",
        "compute_efficiency": 0.5,
    },
    drawing=Drawing(
        kind="bars",
        title="Arithmetic of a prompt per token against its length",
        x="tokens",
        x_label="tokens of the prompt",
        y_label="GFLOP per token",
        series=(
            Series("dense_GFLOP_per_token", "weight matrices"),
            Series("attention_GFLOP_per_token", "attention"),
        ),
    ),
)
def prefill_roofline(given: PrefillArguments) -> Working:
    """FLOPs of a prompt and the least time to its first token.

    Dense: 2 x parameters x tokens. Attention: causal, over the cached prefix too. Floor: the
    arithmetic at the dense peak, or one read of the weights if that takes longer. An estimate
    needs an efficiency.
    """
    model = given.chosen() if given.names_model else None
    gpu = find_gpu(given.gpu) if given.gpu is not None else None
    named = [thing.source for thing in (model, gpu.spec if gpu else None) if thing]
    work = Working(
        headline="ttft_floor_ms", source="; ".join(["roofline: FLOPs over peak", *named])
    )
    prefill = _prefill(given, model, gpu, work)
    _put_flops(work, prefill, given)
    _put_times(work, prefill, given)
    work.assume(
        "no queueing, no scheduling, no transfer between GPUs: a floor of the engine's part"
    )
    for thing in (model, gpu):
        if thing:
            thing.tell(work)
    work.table = _rows(prefill, given)
    return work


def _prefill(
    given: PrefillArguments, model: Model | None, gpu: NamedGpu | None, work: Working
) -> Prefill:
    body, head = _parameters(given, model, work)
    bandwidth = given.bandwidth_tb_s or (gpu.spec.bandwidth_tb_s if gpu else None)
    weights = _weights(given, model)
    return Prefill(
        body=body,
        head=head,
        model=model,
        peak=_peak(given, model, gpu, work) * given.gpus,
        weights_s=weights / (bandwidth * 1e12 * given.gpus) if weights and bandwidth else None,
    )


def _parameters(given: PrefillArguments, model: Model | None, work: Working) -> tuple[float, float]:
    """(parameters at work on every token, on the last one only)."""
    if given.params_b is not None:
        work.assume(f"{plain(given.params_b)}e9 parameters work on each token, as given")
        return given.params_b * 1e9, 0.0
    if model is None:
        raise ToolError("model", None, "is required: a model's name, its config, or params_b")
    sizes = model.parameters
    head = sizes.head or sizes.embedding
    work.assume(
        f"{plain(sizes.active_body / 1e9)}e9 parameters work on each token; "
        f"lm_head ({plain(head / 1e9)}e9) on the last one only; the embedding does no arithmetic"
    )
    return float(sizes.active_body), float(head)


def _weights(given: PrefillArguments, model: Model | None) -> float | None:
    """Bytes of the weights that one pass reads: no embedding table unless it is the lm_head."""
    if given.params_b is not None:
        return given.params_b * 1e9 * BYTES[given.weight_dtype] if given.weight_dtype else None
    if model is None:
        return None
    sizes = model.parameters
    total, _ = model.weight_bytes(given.weight_dtype)
    wide = BYTES[given.weight_dtype] if given.weight_dtype else 2.0
    lookup = sizes.embedding * wide if sizes.head else 0.0
    if not sizes.experts:
        return total - lookup
    dense = (sizes.total - sizes.routed) * wide
    reached = sizes.experts.expected(given.tokens) / sizes.experts.count
    return dense - lookup + (total - dense) * reached


def _peak(
    given: PrefillArguments, model: Model | None, gpu: NamedGpu | None, work: Working
) -> float:
    """FLOP/s of one GPU."""
    if given.peak_tflops is not None:
        return given.peak_tflops * 1e12
    if gpu is None:
        raise ToolError("gpu", None, "is required: a GPU's name, or peak_tflops")
    stored = given.weight_dtype or (model.stored_dtype if model else "bf16")
    return gpu.arithmetic(stored, work) * 1e12


def _put_flops(work: Working, prefill: Prefill, given: PrefillArguments) -> None:
    dense = prefill.dense(given.tokens)
    attention = prefill.attention(given.tokens, given.cached_tokens)
    work.put("dense_FLOP", dense, "FLOP", "weight matrices")
    work.put("total_FLOP", dense + attention, "FLOP", "in all")
    if prefill.model is None:
        work.warn("attention is left out: without a model its shape is not known")
    else:
        work.put("attention_FLOP", attention, "FLOP", "attention, causal")
        share = attention / (dense + attention)
        work.put("attention_share", share, "fraction", "attention's share of the arithmetic")
        work.assume(_kinds(prefill.model))
    if given.cached_tokens:
        whole = given.tokens + given.cached_tokens
        all_of_it = prefill.dense(whole) + prefill.attention(whole, 0)
        saved = 1 - (dense + attention) / all_of_it
        work.put("saved_share", saved, "fraction", "arithmetic that the cached prefix saves")


def _kinds(model: Model) -> str:
    parts = [
        f"{group.layers} {group.kind}" + (f" (window {group.window:,})" if group.window else "")
        for group in model.architecture.cached
    ]
    rest = "; state updates of linear layers not counted" if model.architecture.recurrent else ""
    return f"attention in {' + '.join(parts)} layers, half a square (causal){rest}"


def _put_times(work: Working, prefill: Prefill, given: PrefillArguments) -> None:
    flops, dense = (work.measures[key].value for key in ("total_FLOP", "dense_FLOP"))
    compute = flops / prefill.peak * 1e3
    floor = max(compute, (prefill.weights_s or 0.0) * 1e3)
    tokens, gpus = given.tokens, counted(given.gpus, "GPU")
    work.put("ttft_floor_ms", floor, "ms", f"least time to the first token on {gpus}", "floor")
    work.put("compute_ms", compute, "ms", "arithmetic at the dense peak", "floor")
    work.put("tokens_per_second", tokens * 1e3 / floor, "tokens/s", "most prompt tokens", "ceiling")
    if prefill.weights_s is not None:
        crossover = prefill.weights_s * prefill.peak / (2 * prefill.body)
        work.put("weights_ms", prefill.weights_s * 1e3, "ms", "reading the weights once", "floor")
        work.put(
            "crossover_tokens",
            crossover,
            "tokens",
            "prompt from which arithmetic takes longer than reading the weights",
        )
    if given.compute_efficiency is not None:
        at = f"at {plain(given.compute_efficiency * 100)} % of the peak"
        estimate = max(compute / given.compute_efficiency, floor)
        work.put("ttft_estimate_ms", estimate, "ms", f"time to the first token {at}", "estimate")
    work.formula = (
        f"({plain(dense / 1e12)} + {plain((flops - dense) / 1e12)}) TFLOP / "
        f"{plain(prefill.peak / 1e12)} TFLOPS = {plain(compute)} ms"
    )


def _rows(prefill: Prefill, given: PrefillArguments) -> list[dict[str, float]]:
    lengths = sorted({*(1024 * 4**power for power in range(6)), given.tokens})
    return [
        {
            "tokens": n,
            "dense_GFLOP_per_token": prefill.dense(n) / n / GB,
            "attention_GFLOP_per_token": prefill.attention(n, given.cached_tokens) / n / GB,
            "compute_ms": (prefill.dense(n) + prefill.attention(n, given.cached_tokens))
            / prefill.peak
            * 1e3,
        }
        for n in lengths
    ]
