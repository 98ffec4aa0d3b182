"""`batching_curve`: tokens per second against the batch, its knee, the batch under a target."""

from math import floor

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class CurveArguments(Arguments):
    """Arguments of batching_curve."""

    step_base_ms: float = Field(
        gt=0, le=1e6, description="ms of a step that do not depend on the batch, e.g. the weights"
    )
    step_per_sequence_ms: float = Field(
        default=0, ge=0, le=1e6, description="ms that each sequence adds to a step"
    )
    context: int = Field(
        default=0, ge=0, le=100_000_000, description="Tokens of context per sequence"
    )
    kv_ms_per_1k: float = Field(
        default=0, ge=0, le=1e6, description="ms to read 1,000 cached tokens, added per sequence"
    )
    batch: int = Field(default=1, ge=1, le=1_000_000, description="Sequences in the batch")
    slo_ms: float | None = Field(
        default=None, gt=0, le=1e7, description="Target for the time per output token in ms"
    )
    pool_tokens: int | None = Field(
        default=None, ge=1, le=10**12, description="Tokens that the KV cache holds"
    )


@tool(
    group="batching_curve",
    example={
        "step_base_ms": 14.6,
        "context": 8192,
        "kv_ms_per_1k": 0.0683,
        "slo_ms": 25,
        "batch": 20,
        "pool_tokens": 167000,
    },
    drawing=Drawing(
        kind="line",
        title="Tokens per second against the batch",
        x="batch",
        x_label="sequences in the batch",
        y_label="tokens/s",
        series=(Series("tokens_per_second", "all"), Series("goodput", "within the target")),
        log_x=True,
    ),
)
def batching_curve(given: CurveArguments) -> Working:
    """Throughput of a batch B as B / (a + b B): ceiling, knee, and the batch under a target.

    a is the step's fixed time, b what a sequence adds. Half of the ceiling 1/b is reached at a/b.
    """
    a = given.step_base_ms
    b = given.step_per_sequence_ms + given.context / 1000 * given.kv_ms_per_1k
    step = a + b * given.batch
    work = Working(headline="tokens_per_second", source="a straight line for the step time")
    work.put(
        "tokens_per_second", 1000 * given.batch / step, "tokens/s", f"at batch {given.batch:,}"
    )
    work.put("step_ms", step, "ms", f"a step at batch {given.batch:,}")
    work.put("per_user", 1000 / step, "tokens/s/user", "speed of one user")
    work.put("per_sequence_ms", b, "ms", "what a sequence adds to a step")
    doubled = 2 * step / (a + 2 * b * given.batch)
    work.put("doubling_gain", doubled, "x", "throughput of twice the batch over this one")
    if b:
        work.put("ceiling", 1000 / b, "tokens/s", "limit of an endless batch", "ceiling")
        work.put(
            "knee_batch", a / b, "sequences", "half the ceiling; throughput over step time peaks"
        )
        work.put("ceiling_share", b * given.batch / step, "fraction", "of the ceiling reached")
    else:
        work.warn("a sequence adds no time: throughput grows without limit; give its cost")
    most = _limits(work, given, a, b)
    work.formula = (
        f"B / (a + b B) = {given.batch:,} / ({plain(a)} + {plain(b)} x {given.batch:,}) ms "
        f"= {plain(1000 * given.batch / step)} tokens/s"
    )
    work.assume(
        "every sequence of a batch shares one step time; no prefill in the step; a straight line "
        "holds while reads, not arithmetic, bound the step (decode_roofline gives the crossover)"
    )
    work.table = [_row(size, a, b, given.slo_ms) for size in _sizes(given.batch, most)]
    return work


def _limits(work: Working, given: CurveArguments, a: float, b: float) -> int | None:
    """The batches that a target and the cache allow; the smaller one, if any."""
    limits: list[int] = []
    if given.slo_ms is not None:
        if given.slo_ms < a + b:
            raise ToolError(
                "slo_ms", given.slo_ms, f"is below the {plain(a + b)} ms of a single sequence"
            )
        if b:
            # The rounding keeps a target that is met exactly from losing a sequence.
            limits.append(floor(round((given.slo_ms - a) / b, 9)))
            work.put("slo_batch", limits[-1], "sequences", "largest within the target", "count")
        late = a + b * given.batch > given.slo_ms
        rate = 0.0 if late else 1000 * given.batch / (a + b * given.batch)
        work.put("goodput", rate, "tokens/s", f"within the target at batch {given.batch:,}")
        if late:
            work.warn(f"batch {given.batch:,} misses the target for all its users: goodput is 0")
    if given.pool_tokens is not None:
        if not given.context:
            raise ToolError("context", given.context, "is needed to count sequences in the cache")
        limits.append(given.pool_tokens // given.context)
        work.put("cache_batch", limits[-1], "sequences", "that the KV cache holds", "count")
        if given.batch > limits[-1]:
            work.warn(f"the cache holds only {counted(limits[-1], 'sequence')} of this context")
    if not limits:
        return None
    best = min(limits)
    bound = "cache" if given.pool_tokens is not None and best == limits[-1] else "target"
    if best:
        rate = 1000 * best / (a + b * best)
        work.put("best_batch", best, "sequences", f"goodput peaks here; the {bound} binds", "count")
        work.put("best_goodput", rate, "tokens/s", f"at batch {best:,}")
    return best


def _sizes(batch: int, most: int | None) -> list[int]:
    powers = [2**n for n in range(11)]
    return sorted({*powers, batch, *([most] if most else [])})


def _row(size: int, a: float, b: float, slo_ms: float | None) -> dict[str, float]:
    step = a + b * size
    row = {"batch": size, "step_ms": step, "tokens_per_second": 1000 * size / step}
    if slo_ms is not None:
        row["goodput"] = row["tokens_per_second"] if step <= slo_ms * (1 + 1e-12) else 0.0
    return row
