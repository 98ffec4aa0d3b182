"""`spec_batch`: where batching takes the gain of speculation away, for up to four drafters."""

from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import Field

from tools.arguments import Arguments, Chance
from tools.cache_layout import Share
from tools.checkpoints import Model, ModelArguments
from tools.decode_step import read_bytes
from tools.figure import Drawing, Series
from tools.hardware import find_gpu
from tools.parameters import Experts
from tools.precision import BYTES, GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.serving.acceptance import expected_tokens
from tools.working import Working, plain

BATCHES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
MOST = 1 << 16
"""Batch below which the end of the gain is sought."""


class Drafter(Arguments):
    """One way to draft."""

    name: str = Field(max_length=40, description="Name, e.g. EAGLE-3")
    alphas: list[Chance] = Field(
        min_length=1, max_length=16, description="Acceptance by position; its length is the draft's"
    )
    weights_gb: float = Field(
        default=0, ge=0, le=1e5, description="Weights that one draft pass reads, GB over all GPUs"
    )
    params_b: float | None = Field(
        default=None, ge=0, le=1e5, description="Their number in billions; default weights_gb / 2"
    )
    parallel: bool = Field(default=False, description="One pass drafts all positions (Medusa)")


class SpecBatchArguments(ModelArguments):
    """Arguments of spec_batch."""

    drafters: list[Drafter] = Field(min_length=1, max_length=4, description="Drafters to compare")
    gpu: str = Field(max_length=60, description="GPU by name, e.g. H100")
    gpus: int = Field(default=1, ge=1, le=1024, description="GPUs that share target and drafter")
    weight_dtype: Dtype | None = Field(default=None, description="Format of the target's weights")
    weights_gb: float | None = Field(
        default=None, ge=1e-9, le=1e6, description="Target's weights in GB over all GPUs, no model"
    )
    params_b: float | None = Field(
        default=None,
        ge=1e-9,
        le=1e6,
        description="Target's active parameters in billions, no model",
    )
    kv_dtype: Dtype = Field(default="bf16", description="Format of the KV cache")
    kv_bytes_per_token: float | None = Field(
        default=None, ge=0, le=1e9, description="KV bytes per token over all GPUs, no model"
    )
    context: int = Field(default=0, ge=0, le=100_000_000, description="Tokens of context")
    batch: int = Field(default=1, ge=1, le=65_536, description="Sequences that decode together")
    compute_efficiency: float = Field(
        default=1, ge=1e-9, le=1, description="Share of the dense peak that is reached, 0 to 1"
    )


@dataclass(frozen=True)
class Target:
    """The target's step on one GPU, bytes and FLOPs."""

    weights: float
    expert: float
    experts: Experts | None
    kv_sequence: float
    flops: float
    """Per token."""
    bandwidth: float
    peak: float

    def ms(self, batch: int, tokens: int) -> float:
        """Time of a step over `tokens` positions of each sequence: reads or arithmetic."""
        read = self.experts.expected(batch * tokens) if self.experts else 0.0
        moved = self.weights + self.expert * read + batch * self.kv_sequence
        return max(moved / self.bandwidth, batch * tokens * self.flops / self.peak) * 1e3

    def draft_ms(self, batch: int, drafter: Drafter, gpus: int) -> float:
        """Time of all draft passes for one step."""
        params = drafter.weights_gb / 2 if drafter.params_b is None else drafter.params_b
        read = drafter.weights_gb * GB / gpus / self.bandwidth
        work = 2 * params * 1e9 / gpus * batch / self.peak
        passes = 1 if drafter.parallel else len(drafter.alphas)
        return passes * max(read, work) * 1e3

    def speedup(self, batch: int, drafter: Drafter, gpus: int) -> float:
        """Against plain decoding at the same batch."""
        tokens = len(drafter.alphas) + 1
        spent = self.ms(batch, tokens) + self.draft_ms(batch, drafter, gpus)
        return self.ms(batch, 1) / spent * expected_tokens(drafter.alphas)


@tool(
    group="spec_decode",
    example={
        "drafters": [
            {"name": "EAGLE", "alphas": [0.8, 0.8, 0.8, 0.8], "weights_gb": 2},
            {"name": "Medusa", "alphas": [0.6, 0.5, 0.4, 0.4], "weights_gb": 2, "parallel": True},
        ],
        "model": "Llama-3.3-70B",
        "gpu": "H100",
        "gpus": 8,
        "context": 2048,
    },
    drawing=Drawing(
        kind="line",
        title="Speedup of each drafter against the batch",
        x="batch",
        x_label="sequences that decode together",
        y_label="speedup, x",
        series=(
            Series("drafter_1", "drafter 1"),
            Series("drafter_2", "drafter 2"),
            Series("drafter_3", "drafter 3"),
            Series("drafter_4", "drafter 4"),
        ),
        log_x=True,
    ),
)
def spec_batch(given: SpecBatchArguments) -> Working:
    """Speedup of speculation against batch size from a step model: reads or arithmetic.

    Verification of g drafts is free while the step is memory-bound; it costs arithmetic beyond
    ridge / (g + 1) sequences. A long context makes room again: its reads hide arithmetic.
    """
    work = Working(headline="speedup", source="roofline of the verify step; Leviathan et al. 2023")
    target = _target(given, work)
    first, length = given.drafters[0], len(given.drafters[0].alphas)
    tokens = expected_tokens(first.alphas)
    now = target.speedup(given.batch, first, given.gpus)
    work.put("speedup", now, "x", f"of {first.name} at batch {given.batch:,}", "estimate")
    work.put("expected_tokens", tokens, "tokens/step", f"of {first.name}, with the bonus token")
    work.put("plain_ms", target.ms(given.batch, 1), "ms", "plain step", "floor")
    verify = target.ms(given.batch, length + 1)
    work.put("verify_ms", verify, "ms", f"step over {length + 1} tokens each", "floor")
    draft = target.draft_ms(given.batch, first, given.gpus)
    work.put("draft_ms", draft, "ms", "all draft passes of a step", "floor")
    _put_spare(work, target, length)
    for number, drafter in enumerate(given.drafters, 1):
        _put_end(work, target, drafter, given, number)
    _put_flip(work, target, given)
    work.formula = (
        f"{plain(target.ms(given.batch, 1))} ms x {plain(tokens)} / ({plain(verify)} + "
        f"{plain(draft)} ms) = {plain(now)}x"
    )
    work.table = _rows(target, given)
    return work


def _target(given: SpecBatchArguments, work: Working) -> Target:
    gpu = find_gpu(given.gpu)
    model = given.chosen() if given.names_model else None
    gpu.tell(work)
    if model:
        model.tell(work)
    stored = given.weight_dtype or (model.stored_dtype if model else "bf16")
    peak = gpu.arithmetic(stored, work) * 1e12 * given.compute_efficiency
    work.assume(
        "arithmetic of attention is left out; work divides evenly over the GPUs without "
        "communication; a rejected draft costs as much as an accepted one; a drafter's own cache "
        "is not read"
    )
    weights, expert, experts, params = _weights(given, model)
    return Target(
        weights / given.gpus,
        expert / given.gpus,
        experts,
        _kv(given, model),
        2 * params / given.gpus,
        gpu.spec.bandwidth_tb_s * 1e12,
        peak,
    )


def _weights(
    given: SpecBatchArguments, model: Model | None
) -> tuple[float, float, Experts | None, float]:
    if model is None:
        for field, figure in (("weights_gb", given.weights_gb), ("params_b", given.params_b)):
            if figure is None:
                raise ToolError(field, None, "is needed: give a model, or weights_gb and params_b")
        return (given.weights_gb or 0) * GB, 0.0, None, (given.params_b or 0) * 1e9
    if given.weights_gb is not None or given.params_b is not None:
        raise ToolError("weights_gb", given.weights_gb, "give a model or figures, not both")
    sizes = model.parameters
    total = model.weight_bytes(given.weight_dtype)[0]
    if not sizes.experts:
        return total, 0.0, None, float(sizes.active)
    size = BYTES[given.weight_dtype] if given.weight_dtype else total / sizes.total
    expert = sizes.experts.layers * sizes.experts.each * size
    return total - expert * sizes.experts.count, expert, sizes.experts, float(sizes.active)


def _kv(given: SpecBatchArguments, model: Model | None) -> float:
    if model is not None:
        share = Share(model.architecture, given.gpus, argument="gpus")
        return read_bytes(model.architecture, share, given.kv_dtype, given.context)
    if given.kv_bytes_per_token is None and given.context:
        raise ToolError("kv_bytes_per_token", None, "is needed with a context and no model")
    return (given.kv_bytes_per_token or 0) * given.context / given.gpus


def _put_spare(work: Working, target: Target, length: int) -> None:
    """Sequences up to which verifying all drafts hides behind the reads."""
    if target.experts:
        work.assume("a mixture of experts reads more experts for more drafts, even at batch 1")
        return
    per_sequence = (length + 1) * target.flops / target.peak - target.kv_sequence / target.bandwidth
    if per_sequence > 0:
        batch = target.weights / target.bandwidth / per_sequence
        work.put("spare_batch", batch, "sequences", "from here verification is compute-bound")


def _put_end(
    work: Working, target: Target, drafter: Drafter, given: SpecBatchArguments, number: int
) -> None:
    def slower(batch: int) -> bool:
        return target.speedup(batch, drafter, given.gpus) < 1

    high = next((b for b in (2**p for p in range(17)) if slower(b)), None)
    if high is None:
        work.assume(f"{drafter.name}: no slowdown up to batch {MOST:,}")
        return
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if slower(middle) else (middle, high)
    key = "slowdown_batch" if number == 1 else f"slowdown_batch_{number}"
    work.put(key, high, "sequences", f"{drafter.name} slows down from here", "estimate")


def _put_flip(work: Working, target: Target, given: SpecBatchArguments) -> None:
    def best(batch: int) -> int:
        factors = [target.speedup(batch, d, given.gpus) for d in given.drafters]
        return factors.index(max(factors)) if max(factors) > 1 else -1

    names = ["plain decoding" if n < 0 else given.drafters[n].name for n in map(best, BATCHES)]
    for batch, before, after in zip(BATCHES[1:], names, names[1:], strict=False):
        if before != after:
            work.assume(f"from batch {batch} of those drawn, {after} is fastest, not {before}")
            if "flip_batch" not in work.measures:
                label = f"{after} overtakes {before}"
                work.put("flip_batch", batch, "sequences", f"{label} by this batch", "estimate")


def _rows(target: Target, given: SpecBatchArguments) -> list[dict[str, float | str]]:
    rows: list[dict[str, float | str]] = []
    for batch in sorted({*BATCHES, given.batch}):
        row: dict[str, float | str] = {"batch": batch, "plain_ms": target.ms(batch, 1)}
        for number, drafter in enumerate(given.drafters, 1):
            row[f"drafter_{number}"] = target.speedup(batch, drafter, given.gpus)
        row["best_length"] = _best_length(target, given.drafters[0], batch, given.gpus)
        rows.append(row)
    return rows


def _best_length(target: Target, drafter: Drafter, batch: int, gpus: int) -> int:
    """Draft length of the first drafter that is fastest at a batch; 0: do not speculate."""
    shorter: Sequence[Drafter] = [
        drafter.model_copy(update={"alphas": drafter.alphas[:length]})
        for length in range(1, len(drafter.alphas) + 1)
    ]
    factors = [1.0, *(target.speedup(batch, d, gpus) for d in shorter)]
    return factors.index(max(factors))
