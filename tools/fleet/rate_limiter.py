"""`rate_limiter`: token buckets that reserve at admission and refund at completion."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.fleet.bar import bar
from tools.fleet.buckets import Bucket, Limited, Request, replay
from tools.registry import tool
from tools.result import ToolError
from tools.trace import MARKS, Recording
from tools.working import Working, counted, plain


class LimiterArguments(Arguments):
    """Arguments of rate_limiter."""

    tokens_per_s: float = Field(
        ge=1e-3, le=1e9, description="Refill of the shared bucket in tokens/s"
    )
    burst_tokens: float = Field(ge=1, le=1e12, description="Size of the shared bucket in tokens")
    user_tokens_per_s: float | None = Field(
        default=None, ge=1e-3, le=1e9, description="Refill of each user's own bucket in tokens/s"
    )
    user_burst_tokens: float | None = Field(
        default=None, ge=1, le=1e12, description="Size of each user's own bucket in tokens"
    )
    refund: bool = Field(
        default=True, description="Whether tokens that were reserved and not used come back"
    )
    requests: list[Request] = Field(
        min_length=1,
        max_length=500,
        description="Requests: user, at_s, prompt_tokens, max_tokens, output_tokens, seconds",
    )


@tool(
    group="quota_fairness",
    example={
        "tokens_per_s": 100,
        "burst_tokens": 10000,
        "user_tokens_per_s": 50,
        "user_burst_tokens": 6000,
        "requests": [
            {"at_s": 0, "prompt_tokens": 1000, "max_tokens": 4000, "output_tokens": 200},
            {"at_s": 1, "prompt_tokens": 1000, "max_tokens": 4000, "output_tokens": 300},
            {"user": "b", "at_s": 2, "prompt_tokens": 500, "max_tokens": 99, "output_tokens": 9},
            {"at_s": 12, "prompt_tokens": 1000, "max_tokens": 4000, "output_tokens": 50},
            {"user": "b", "at_s": 13, "prompt_tokens": 20000, "max_tokens": 9, "output_tokens": 9},
        ],
    },
    drawing=Drawing(
        kind="line",
        title="Tokens left in the shared bucket after each event",
        x="at_s",
        x_label="seconds",
        y_label="tokens",
        series=(Series("left", "shared bucket"),),
    ),
    marks={**MARKS, "held": "tokens left", "free": "taken or not yet refilled"},
)
def rate_limiter(given: LimiterArguments) -> Working:
    """Admit, delay or refuse requests by a shared bucket and one per user, in tokens.

    A request reserves prompt + max_tokens in both buckets or in none, and gets back what it did not
    use when it ends. What can never fit is refused for good, without a Retry-After.
    """
    if (given.user_tokens_per_s is None) != (given.user_burst_tokens is None):
        missing = "user_burst_tokens" if given.user_burst_tokens is None else "user_tokens_per_s"
        raise ToolError(missing, None, "is needed too: a bucket has a rate and a size")
    for number, request in enumerate(given.requests):
        if request.output_tokens > request.max_tokens:
            raise ToolError(
                f"requests.{number}.output_tokens",
                request.output_tokens,
                f"is more than the {request.max_tokens:,} of max_tokens, at which an engine stops",
            )
    run = _run(given, refund=given.refund)
    work = Working(headline="admitted", source="token bucket with reserve and refund")
    total = len(given.requests)
    work.put("admitted", run.admitted, "requests", f"admitted of {total:,}", "count")
    work.put("delayed", run.delayed, "requests", "refused with a Retry-After", "count")
    work.put("never", run.never, "requests", "refused for good: they can never fit", "count")
    work.put("reserved_tokens", run.reserved, "tokens", "reserved at admission", "count")
    work.put("used_tokens", run.used, "tokens", "used by the admitted", "count")
    work.put("refunded_tokens", run.refunded, "tokens", "given back at completion", "count")
    other = _run(given, refund=not given.refund).admitted
    key, ways = ("with_refund", "with") if not given.refund else ("without_refund", "without")
    work.put(key, other, "requests", f"admitted {ways} a refund", "count")
    above = "most that a window's charge passed its refill by"
    work.put("worst_window", run.worst_window, "tokens", above)
    work.put("bound", given.burst_tokens, "tokens", "the same at most: the burst", "ceiling")
    work.formula = (
        f"any window of T s: charge <= {plain(given.burst_tokens)} + "
        f"{plain(given.tokens_per_s)} x T; worst seen {plain(run.worst_window)} above the refill"
    )
    work.assume(
        "buckets start full; an end at the same time as an arrival comes first",
        "the charge of a window is what was reserved in it less what was given back in it",
        "refunds never lift a bucket over its size",
    )
    if run.never:
        work.warn(f"{counted(run.never, 'request')} could not fit an empty queue: say so at once")
    work.table = run.table
    _record(work, given)
    return work


def _record(work: Working, given: LimiterArguments) -> None:
    """One step for each event: what is left in both buckets."""
    recording = Recording()
    for row in work.table:
        if not recording.open:
            continue
        lanes = [bar("shared", row["left"], given.burst_tokens)]
        if given.user_burst_tokens is not None:
            lanes.append(bar(f"of {row['user']}"[:16], row["own"], given.user_burst_tokens))
        wait = row["retry_after_s"]
        later = "" if wait is None else f"; Retry-After {plain(wait)} s"
        said = f"{row['event']}: {row['tokens']:,} tokens of {row['user']}{later}"
        title = f"{plain(row['at_s'])} s"
        recording.add(title, said, lanes, left_tokens=row["left"])
    work.show(recording)


def _run(given: LimiterArguments, *, refund: bool) -> Limited:
    shared = Bucket(given.tokens_per_s, given.burst_tokens)
    own = (
        (given.user_tokens_per_s, given.user_burst_tokens)
        if given.user_tokens_per_s is not None and given.user_burst_tokens is not None
        else None
    )
    return replay(given.requests, shared, own, refund=refund)
