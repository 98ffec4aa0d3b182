"""`pipeline`, `batch_overlap`: bubbles, pipelining against tensor parallelism, two half batches."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.trace import Cell, Lane, Recording, blank
from tools.working import Working, plain


class PipelineArguments(Arguments):
    """Arguments of pipeline."""

    stages: int = Field(ge=1, le=1024, description="Pipeline stages p")
    microbatches: int = Field(ge=1, le=100_000, description="Microbatches m")
    step_ms: float | None = Field(
        default=None, ge=1e-9, le=1e7, description="Time of all layers for one microbatch in ms"
    )
    hop_us: float = Field(
        default=0, ge=0, le=1e6, description="Sending activations to the next stage, us"
    )
    layers: int | None = Field(
        default=None, ge=1, le=10_000, description="Layers, to compare with tp over as many nodes"
    )


@tool(
    group="parallel_layout",
    example={"stages": 4, "microbatches": 8, "step_ms": 20, "hop_us": 20, "layers": 80},
    drawing=Drawing(
        kind="line",
        title="Idle share of a pipeline against its microbatches",
        x="microbatches",
        x_label="microbatches",
        y_label="idle share",
        series=(Series("bubble", "bubble"),),
        log_x=True,
    ),
    marks={"held": "a microbatch", "lost": "idle: the bubble"},
)
def pipeline(given: PipelineArguments) -> Working:
    """Bubble of a pipeline, (p-1)/(m+p-1), and when it beats tensor parallelism over nodes.

    A pipeline does not make one token faster: it passes every layer in order, plus the hops. It
    makes more tokens at once. Tensor parallelism divides the step and pays two all-reduces a layer.
    """
    p, m = given.stages, given.microbatches
    work = Working(headline="bubble", source="GPipe (Huang et al. 2019)")
    bubble = (p - 1) / (m + p - 1)
    work.put("bubble", bubble, "fraction", "of the stages' time that is idle")
    work.put("microbatches_for_10_percent", 9 * (p - 1), "microbatches", "bubble of 10 %", "count")
    work.formula = f"({p} - 1) / ({m} + {p} - 1) = {plain(bubble)}"
    work.assume("stages take equal time; one pass (no backward), no interleaving")
    if given.step_ms is not None:
        _put_times(work, given, given.step_ms)
    if given.layers is not None:
        _put_break_even(work, given, given.layers)
    _draw(work, p, m)
    work.table = [
        {"microbatches": n, "bubble": (p - 1) / (n + p - 1)}
        for n in sorted({1, 2, 4, 8, 16, 32, 64, 128, m})
    ]
    return work


def _draw(work: Working, stages: int, microbatches: int) -> None:
    """The schedule, one column a slot, where it is small enough to see."""
    if stages > 16 or microbatches + stages > 64:
        return
    lanes = []
    for stage in range(stages):
        idle = blank("lost")
        jobs = [Cell(text=str(n + 1), mark="held") for n in range(microbatches)]
        cells = (*[idle] * stage, *jobs, *[idle] * (stages - 1 - stage))
        lanes.append(Lane(label=f"stage {stage + 1}", cells=cells))
    recording = Recording()
    said = "Each stage starts one slot after the one before it; dashed slots are the bubble."
    recording.add("Microbatches through the stages", said, lanes)
    work.show(recording)


def _put_times(work: Working, given: PipelineArguments, step: float) -> None:
    p, m, hop = given.stages, given.microbatches, given.hop_us / 1e3
    work.put("token_ms", step + (p - 1) * hop, "ms", "one microbatch through all stages", "floor")
    total = (m + p - 1) * (step / p + (hop if p > 1 else 0))
    work.put("all_ms", total, "ms", "all microbatches", "floor")
    busy = min(m, p) / (step + p * (hop if p > 1 else 0))
    work.put(
        "steps_per_second", busy * 1e3, "steps/s", "decode steps of all microbatches", "ceiling"
    )
    if m < p:
        work.warn(f"{m} microbatches leave {p - m} of {p} stages idle in steady decode")


def _put_break_even(work: Working, given: PipelineArguments, layers: int) -> None:
    """All-reduce latency at which both take equally long, for a token and in steady throughput."""
    p, step = given.stages, given.step_ms
    if step is None:
        raise ToolError("step_ms", None, "is needed to compare with tensor parallelism")
    if p == 1:
        raise ToolError("stages", p, "needs 2 or more to compare with tensor parallelism")
    calls, hop = 2 * layers, given.hop_us / 1e3
    latency = (step + (p - 1) * hop - step / p) / calls * 1e3
    work.put("tp_latency_us", latency, "us/call", "all-reduce below which tp is faster per token")
    if given.microbatches >= p:
        rate = hop / calls * 1e3
        work.put("tp_throughput_us", rate, "us/call", "below which tp has more throughput")
    work.assume(
        f"tensor parallelism over {p} nodes: step / {p} + {calls:,} all-reduces, no overlap"
    )


class BatchOverlapArguments(Arguments):
    """Arguments of batch_overlap."""

    tokens: int = Field(ge=2, le=10_000_000, description="Tokens of the batch")
    compute_fixed_us: float = Field(
        ge=0, le=1e7, description="Arithmetic of a layer that any batch pays (reading weights), us"
    )
    compute_us_per_token: float = Field(ge=0, le=1e5, description="and what each token adds, us")
    comm_fixed_us: float = Field(ge=0, le=1e7, description="Latency of a layer's exchanges, us")
    comm_us_per_token: float = Field(ge=0, le=1e5, description="and what each token adds, us")
    layers: int = Field(default=1, ge=1, le=10_000, description="Layers")


@tool(
    group="parallel_layout",
    example={
        "tokens": 256,
        "compute_fixed_us": 60,
        "compute_us_per_token": 0.5,
        "comm_fixed_us": 30,
        "comm_us_per_token": 0.6,
        "layers": 58,
    },
    drawing=Drawing(
        kind="line",
        title="A layer's time whole and as two half batches",
        x="tokens",
        x_label="tokens of the batch",
        y_label="us per layer",
        series=(Series("whole_us", "whole"), Series("halves_us", "two halves")),
        log_x=True,
        log_y=True,
    ),
)
def batch_overlap(given: BatchOverlapArguments) -> Working:
    """Gain of two half batches, one computing while the other communicates, and where it turns.

    Whole: compute(b) + comm(b). Halves: 2 x max(compute(b/2), comm(b/2)), as each resource serves
    both. What any batch pays, weights and latency, is paid twice: small batches lose.
    """
    whole, halves = _whole(given, given.tokens), _halves(given, given.tokens)
    if not whole:
        raise ToolError("compute_fixed_us", 0, "everything is 0: give the times of a layer")
    work = Working(headline="speedup", source="two-stage overlap; vLLM 0.31 dual batch overlap")
    work.put("speedup", whole / halves, "x", "of halves against whole", "ceiling")
    work.put("whole_us", whole, "us/layer", "one batch, nothing overlapped", "estimate")
    work.put("halves_us", halves, "us/layer", "two half batches, steady", "floor")
    work.put("saved_ms", (whole - halves) * given.layers / 1e3, "ms", "over all layers", "ceiling")
    work.put("most_speedup", _limit(given), "x", "with ever more tokens", "ceiling")
    even = _break_even(given)
    if even is not None:
        work.put("break_even_tokens", even, "tokens", "smallest batch that gains", "estimate")
    else:
        work.assume("no batch gains with these times")
    half = given.tokens / 2
    work.formula = (
        f"2 x max({plain(_compute(given, half))}, {plain(_comm(given, half))}) us = "
        f"{plain(halves)} against {plain(_compute(given, given.tokens))} + "
        f"{plain(_comm(given, given.tokens))} = {plain(whole)} us"
    )
    work.assume(
        "halves do not slow each other down (no SMs are taken by communication)",
        "vLLM splits from 32 tokens in decode and 512 in prefill by default",
    )
    if halves > whole:
        work.warn("splitting makes this batch slower")
    work.table = [
        {"tokens": t, "whole_us": _whole(given, t), "halves_us": _halves(given, t)}
        for t in sorted({*(2**power for power in range(1, 13)), given.tokens})
    ]
    return work


def _compute(given: BatchOverlapArguments, tokens: float) -> float:
    return given.compute_fixed_us + given.compute_us_per_token * tokens


def _comm(given: BatchOverlapArguments, tokens: float) -> float:
    return given.comm_fixed_us + given.comm_us_per_token * tokens


def _whole(given: BatchOverlapArguments, tokens: float) -> float:
    return _compute(given, tokens) + _comm(given, tokens)


def _halves(given: BatchOverlapArguments, tokens: float) -> float:
    return 2 * max(_compute(given, tokens / 2), _comm(given, tokens / 2))


def _limit(given: BatchOverlapArguments) -> float:
    compute, comm = given.compute_us_per_token, given.comm_us_per_token
    return (compute + comm) / max(compute, comm) if compute or comm else 0.5


def _break_even(given: BatchOverlapArguments) -> float | None:
    """Smallest b with 2f + c b < f + c b + L + k b for both resources; they are linear in b."""
    lack = given.compute_fixed_us - given.comm_fixed_us
    needs = [(lack, given.comm_us_per_token), (-lack, given.compute_us_per_token)]
    if any(short > 0 and not slope for short, slope in needs):
        return None
    return (
        max(2.0, *(short / slope for short, slope in needs if slope))
        if any(slope for _, slope in needs)
        else None
    )
