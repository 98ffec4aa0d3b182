"""`engine_sim`: requests through a serving engine, step by step, with what their users felt."""

from typing import Literal

from pydantic import Field

from tools.arguments import Arguments
from tools.engine.engine_picture import MARKS, Watching
from tools.engine.engine_run import (
    Engine,
    Outcome,
    StepTime,
    run,
    weighted_percentile,
)
from tools.engine.requests import Policy
from tools.engine.scheduler import Rules, Scheduler
from tools.engine.slots import CachedBlocks, CountedBlocks
from tools.engine.static_batches import StaticBatches
from tools.engine.workload import bounded, drawn, written
from tools.figure import Drawing, Series
from tools.percentile import nearest_rank
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class EngineArguments(Arguments):
    """Arguments of engine_sim."""

    requests: str | None = Field(
        default=None,
        max_length=40_000,
        description="Requests, one a line or separated by ';': PROMPT OUTPUT [at=MS] "
        "[priority=N] [prefix=NAME shared=TOKENS]; default: drawn from the seed",
    )
    count: int = Field(default=40, ge=1, le=10_000, description="Requests to draw")
    rate_per_s: float = Field(
        default=4.0, ge=0, le=10_000, description="Arrivals per second; 0: all at once"
    )
    prompt_tokens: float = Field(
        default=800, ge=1, le=100_000, description="Mean prompt length in tokens"
    )
    output_tokens: float = Field(
        default=100, ge=1, le=100_000, description="Mean output length in tokens"
    )
    length_spread: float = Field(
        default=0.5, ge=0, le=4, description="Coefficient of variation of both lengths; 0: fixed"
    )
    seed: int = Field(default=1, ge=0, le=2**31, description="Seed of the drawn requests")
    batching: Literal["continuous", "static"] = Field(
        default="continuous", description="New requests at every step, or in fixed groups"
    )
    scheduling: Literal["sync", "async"] = Field(
        default="sync", description="async: a step is planned while the last one runs"
    )
    stop: Literal["length", "eos"] = Field(
        default="length",
        description="What ends a request: its length, known before, or a token of the model's",
    )
    policy: Policy = Field(default="fcfs", description="Order of waiting and of preemption")
    budget: int = Field(
        default=2048, ge=1, le=1_000_000, description="Tokens per step (max_num_batched_tokens)"
    )
    most_running: int = Field(
        default=256, ge=1, le=10_000, description="Requests that run at once (max_num_seqs)"
    )
    chunked_prefill: bool = Field(default=True, description="Whether a prompt may be split")
    long_prefill_threshold: int = Field(
        default=0,
        ge=0,
        le=1_000_000,
        description="Most prompt tokens of one request a step; 0: no limit",
    )
    reserve_full: bool = Field(default=True, description="Admit only where all known tokens fit")
    watermark: float = Field(
        default=0.0, ge=0, le=0.9, description="Fraction of blocks kept free at an admission"
    )
    blocks: int = Field(
        default=4097, ge=2, le=1_000_000, description="KV blocks, the null block among them"
    )
    block_size: int = Field(default=16, ge=1, le=1024, description="Tokens per block")
    prefix_caching: bool = Field(default=False, description="Whether shared prefixes are reused")
    weights_ms: float = Field(
        default=14.6, ge=0, le=10_000, description="ms per step to read the weights"
    )
    kv_ms_per_1k: float = Field(
        default=0.068, ge=0, le=1000, description="ms per step for 1,000 cached tokens read"
    )
    compute_ms_per_1k: float = Field(
        default=71.0, ge=0, le=10_000, description="ms of arithmetic for 1,000 tokens computed"
    )
    host_ms: float = Field(
        default=1.0, ge=0, le=1000, description="ms per step of scheduling on the CPU"
    )


@tool(
    group="engine_sim",
    example={"requests": "800 4; 800 4; 10 4; 10 4", "budget": 1024},
    drawing=Drawing(
        kind="line",
        title="Requests running and waiting over time",
        x="time_s",
        x_label="seconds",
        y_label="requests",
        series=(Series("running", "running"), Series("waiting", "waiting")),
    ),
    marks=MARKS,
)
def engine_sim(given: EngineArguments) -> Working:
    """Run requests through an engine's scheduler: steps, preemptions, TTFT and ITL percentiles.

    Continuous batching follows vLLM 0.31 V1 (running first, then waiting; recompute preemption).
    A step lasts max(weights + KV reads, arithmetic), plus the host's time unless it is async.
    """
    work = Working(headline="ttft_p50_ms", source="vLLM 0.31 V1 scheduler, run on CPU; roofline")
    requests = (
        written(given.requests)
        if given.requests is not None
        else drawn(
            given.count,
            given.rate_per_s,
            given.prompt_tokens,
            given.output_tokens,
            given.length_spread,
            given.seed,
        )
    )
    bounded(requests, "requests" if given.requests is not None else "count")
    engine = _engine(given)
    watching = Watching(engine, f"{given.batching}, {given.scheduling}")
    outcome = run(engine, requests, _step_time(given), watching.see)
    _put_latency(work, engine, outcome)
    _put_work(work, engine, outcome)
    _explain(work, given, outcome)
    work.table = list(outcome.samples.rows)
    work.show(watching.recording)
    return work


def _engine(given: EngineArguments) -> Engine:
    rules = Rules(
        budget=given.budget,
        most_running=given.most_running,
        policy=given.policy,
        chunked=given.chunked_prefill,
        threshold=given.long_prefill_threshold,
        reserve_full=given.reserve_full,
        watermark=given.watermark,
        overlapped=given.scheduling == "async",
        stop_unknown=given.stop == "eos",
    )
    if given.batching == "static":
        if given.prefix_caching or given.scheduling == "async":
            field = "prefix_caching" if given.prefix_caching else "scheduling"
            raise ToolError(field, getattr(given, field), "is for continuous batching")
        return StaticBatches(rules, CountedBlocks(given.blocks - 1, given.block_size))
    slots = CachedBlocks if given.prefix_caching else CountedBlocks
    return Scheduler(rules, slots(given.blocks - 1, given.block_size))


def _step_time(given: EngineArguments) -> StepTime:
    if not given.weights_ms and not given.host_ms and not given.compute_ms_per_1k:
        raise ToolError("weights_ms", 0, "a step must take time: give weights, compute or host ms")
    return StepTime(
        given.weights_ms,
        given.kv_ms_per_1k,
        given.compute_ms_per_1k,
        given.host_ms,
        given.scheduling == "async",
    )


def _put_latency(work: Working, engine: Engine, outcome: Outcome) -> None:
    requests = outcome.requests
    first = sorted(1000 * (r.first_at - r.arrival) for r in requests)
    whole = sorted(r.last_at - r.arrival for r in requests)
    gaps = engine.emissions.gaps
    for share in (50, 95, 99):
        label = f"p{share} of the time to the first token"
        value = nearest_rank(first, share / 100)
        work.put(f"ttft_p{share}_ms", value, "ms", label, "estimate")
    for share in (50, 95, 99):
        value = 1000 * weighted_percentile(gaps, share / 100)
        label = f"p{share} of the gap between tokens of a request"
        work.put(f"itl_p{share}_ms", value, "ms", label, "estimate")
    longest = 1000 * max((gap for gap, count in gaps if count), default=0.0)
    work.put("itl_max_ms", longest, "ms", "longest gap between two tokens", "estimate")
    per_token = sorted(
        1000 * (r.last_at - r.first_at) / (r.output - 1) for r in requests if r.output > 1
    )
    if per_token:
        work.put(
            "tpot_p50_ms",
            nearest_rank(per_token, 0.5),
            "ms",
            "p50 of a request's mean gap",
            "estimate",
        )
        work.put(
            "tpot_p99_ms",
            nearest_rank(per_token, 0.99),
            "ms",
            "p99 of a request's mean gap",
            "estimate",
        )
    work.put(
        "e2e_p50_s", nearest_rank(whole, 0.5), "s", "p50 from arrival to last token", "estimate"
    )
    work.put(
        "e2e_p99_s", nearest_rank(whole, 0.99), "s", "p99 from arrival to last token", "estimate"
    )


def _put_work(work: Working, engine: Engine, outcome: Outcome) -> None:
    emissions, slots = engine.emissions, engine.slots
    seconds = outcome.seconds - outcome.requests[0].arrival
    work.put("steps", outcome.steps, "steps", "steps of the engine", "count")
    work.put("duration_s", seconds, "s", "from the first arrival to the last token", "estimate")
    work.put("output_tokens", emissions.tokens, "tokens", "tokens sent to users", "count")
    rate = emissions.tokens / seconds if seconds else 0.0
    work.put("tokens_per_second", rate, "tokens/s", "output tokens over the run", "estimate")
    work.put("computed_tokens", outcome.computed, "tokens", "computed, repeats included", "count")
    work.put("preemptions", outcome.preemptions, "preemptions", "requests sent back", "count")
    work.put("recomputed_tokens", emissions.recomputed, "tokens", "lost by preemption", "count")
    work.put("wasted_tokens", emissions.wasted, "tokens", "computed for ended requests", "count")
    work.put("peak_running", outcome.peak_running, "requests", "most that ran at once", "count")
    work.put("peak_blocks", outcome.peak_blocks, "blocks", "most that were held", "count")
    work.put("peak_usage", outcome.peak_blocks / slots.usable, "fraction", "of the usable blocks")
    if isinstance(slots, CachedBlocks):
        rate = slots.hits / slots.asked if slots.asked else 0.0
        work.put("hit_tokens", slots.hits, "tokens", "found in the prefix cache", "count")
        work.put("hit_rate", rate, "fraction", "hits over tokens admitted")


def _explain(work: Working, given: EngineArguments, outcome: Outcome) -> None:
    work.formula = (
        f"step = max({plain(given.weights_ms)} ms + {plain(given.kv_ms_per_1k)} ms x context/1000, "
        f"{plain(given.compute_ms_per_1k)} ms x tokens/1000)"
        + (" + host" if given.scheduling == "sync" else ", at least the host's")
        + f" {plain(given.host_ms)} ms; {outcome.steps:,} steps"
    )
    work.assume(
        f"{given.scheduling} scheduling, {given.batching} batching, {given.policy}; "
        + (
            "a request that ends by length gives its blocks back one step later"
            if given.scheduling == "async" and given.stop == "length"
            else "each ended request computes one token for nothing"
            if given.scheduling == "async"
            else "the step's tokens are back before the next is planned"
        ),
        "percentiles by nearest rank; a gap is between two tokens of one request, and a step's "
        "gap counts once for each of its decoders",
        "attention's arithmetic over the context and detokenization are left out",
    )
    if given.policy == "priority":
        work.assume(
            "requests of equal priority and arrival go in the order given; vLLM leaves such ties "
            "open, and two of them may preempt each other"
        )
    if given.batching == "static":
        work.assume(
            "static: the group's prompts run in one step, without budget; slots of ended "
            "requests are computed as padding until the longest ends"
        )
    if given.requests is None:
        work.assume(
            f"{given.count:,} requests drawn with seed {given.seed}: Poisson arrivals, "
            "log-normal lengths cut at 16 means"
        )
