"""`kv_handoff`: one request's trace from prefill to decode pool, and where its stall shows up."""

from itertools import pairwise

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class HandoffArguments(Arguments):
    """Arguments of kv_handoff: times in ms on one clock, from the client's send."""

    prefill_start_ms: float = Field(ge=0, le=1e9, description="Prefill begins, in ms")
    prefill_end_ms: float = Field(ge=0, le=1e9, description="Prefill ends: token 1 is known, in ms")
    transfer_start_ms: float = Field(ge=0, le=1e9, description="First KV bytes leave, in ms")
    transfer_end_ms: float = Field(ge=0, le=1e9, description="Last KV bytes arrive, in ms")
    admitted_ms: float = Field(ge=0, le=1e9, description="The decode batch takes it, in ms")
    decode_tokens_ms: list[float] = Field(
        min_length=1,
        max_length=2000,
        description="Times in ms at which the decode pool yields tokens 2, 3, ...",
    )


@tool(
    group="kv_transfer_tiers",
    example={
        "prefill_start_ms": 20,
        "prefill_end_ms": 320,
        "transfer_start_ms": 60,
        "transfer_end_ms": 345,
        "admitted_ms": 425,
        "decode_tokens_ms": [445, 465, 485, 505],
    },
    drawing=Drawing(
        kind="bars",
        title="Where the time between send and second token goes",
        x="stage",
        x_label="stage",
        y_label="ms",
        series=(Series("ms", "ms"),),
    ),
)
def kv_handoff(given: HandoffArguments) -> Working:
    """Split a disaggregated request into transfer overlap, exposed transfer and decode admission.

    If the prefill pool delivers token 1, TTFT ends with prefill and the stall is the first gap; if
    the decode pool does, the same stall is in TTFT. Judge both by the time of token 2.
    """
    order = [
        ("prefill_start_ms", given.prefill_start_ms),
        ("prefill_end_ms", given.prefill_end_ms),
        ("transfer_end_ms", given.transfer_end_ms),
        ("admitted_ms", given.admitted_ms),
        ("decode_tokens_ms", given.decode_tokens_ms[0]),
    ]
    for (before, low), (name, high) in pairwise(order):
        if high < low:
            raise ToolError(name, high, f"is before {before}={low:g}: put all on one clock")
    if not given.prefill_start_ms <= given.transfer_start_ms <= given.transfer_end_ms:
        raise ToolError(
            "transfer_start_ms",
            given.transfer_start_ms,
            "must lie between prefill_start_ms and transfer_end_ms",
        )
    if any(later < sooner for sooner, later in pairwise(given.decode_tokens_ms)):
        raise ToolError("decode_tokens_ms", "…", "must not go backwards")
    work = Working(headline="stall_ms", source="difference of the trace's own times")
    _put(work, given)
    return work


def _put(work: Working, given: HandoffArguments) -> None:
    first, prefilled = given.decode_tokens_ms[0], given.prefill_end_ms
    overlap = max(0.0, min(prefilled, given.transfer_end_ms) - given.transfer_start_ms)
    exposed = given.transfer_end_ms - prefilled
    admission = given.admitted_ms - given.transfer_end_ms
    step = first - given.admitted_ms
    gaps = [later - sooner for sooner, later in pairwise(given.decode_tokens_ms)]
    work.put("stall_ms", first - prefilled, "ms", "from the end of prefill to token 2")
    work.put("overlap_ms", overlap, "ms", "of the transfer behind prefill")
    work.put("exposed_ms", exposed, "ms", "of the transfer after prefill")
    work.put("admission_ms", admission, "ms", "waiting for the decode batch, cache present")
    work.put("first_step_ms", step, "ms", "first decode step")
    work.put("ttft_prefill_ms", prefilled, "ms", "TTFT where the prefill pool sends token 1")
    work.put("ttft_decode_ms", given.admitted_ms, "ms", "TTFT where token 1 waits for admission")
    if gaps:
        steady = sum(gaps) / len(gaps)
        work.put("steady_ms", steady, "ms", "mean gap after token 2")
        work.put("excess_ms", first - prefilled - steady, "ms", "first gap above the steady one")
    work.formula = (
        f"{plain(exposed)} transfer + {plain(admission)} admission + {plain(step)} step = "
        f"{plain(first - prefilled)} ms"
    )
    work.assume(
        "all times on one clock and of one request",
        "where token 1 is sent by the decode pool, it leaves when the request is admitted",
    )
    if admission > max(exposed, step):
        work.warn("the wait for the decode batch, not the transfer, is the largest part")
    stages = (
        ("queue", given.prefill_start_ms),
        ("prefill", prefilled - given.prefill_start_ms),
        ("transfer left", exposed),
        ("admission", admission),
        ("first step", step),
    )
    work.table = [{"stage": name, "ms": ms} for name, ms in stages]
