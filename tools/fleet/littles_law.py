"""`littles_law`: how many sequences are resident, where their time depends on how many they are."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class LittleArguments(Arguments):
    """Arguments of littles_law."""

    requests_per_s: float = Field(ge=1e-6, le=1e6, description="Arrivals in requests/s")
    seconds: float | None = Field(
        default=None,
        ge=1e-6,
        le=1e6,
        description="Mean time of a request in the system in s, if it is known",
    )
    output_tokens: int | None = Field(
        default=None, ge=1, le=1_000_000, description="Mean tokens of a reply, instead of seconds"
    )
    before_decode_s: float = Field(
        default=0, ge=0, le=1e5, description="Time resident before decoding (prefill), in s"
    )
    step_base_ms: float | None = Field(
        default=None, ge=1e-6, le=1e5, description="Decode step without sequences (weights), in ms"
    )
    step_per_sequence_ms: float = Field(
        default=0, ge=0, le=1e5, description="Time that each sequence adds to the step, in ms"
    )
    context: float | None = Field(
        default=None, ge=1, le=1e8, description="Mean tokens cached per resident sequence"
    )
    kv_bytes_per_token: float | None = Field(
        default=None, ge=1, le=1e9, description="KV bytes per token, all GPUs"
    )
    kv_pool_gb: float | None = Field(
        default=None, ge=1e-3, le=1e6, description="KV cache there is in GB, to be held against it"
    )


@tool(
    group="queueing",
    example={
        "requests_per_s": 2,
        "output_tokens": 400,
        "step_base_ms": 14.58,
        "step_per_sequence_ms": 0.56,
        "context": 8192,
        "kv_bytes_per_token": 327680,
        "kv_pool_gb": 54.7,
    },
    drawing=Drawing(
        kind="line",
        title="Sequences resident against the arrivals",
        x="requests_per_s",
        x_label="requests/s",
        y_label="sequences",
        series=(Series("resident", "with the step they make"), Series("naive", "at batch 1")),
    ),
)
def littles_law(given: LittleArguments) -> Working:
    """Mean number in the system, L = rate x time, also where the decode step grows with L.

    With a step of base + L x per sequence, L = rate x (before + tokens x base) / (1 - rate x tokens
    x per sequence): the duration in the product is not that of one request alone.
    """
    work = Working(headline="resident", source="Little (1961)")
    if given.seconds is not None:
        _put_known(work, given, given.seconds)
    else:
        _put_coupled(work, given)
    resident = work.measures["resident"].value
    if given.context is not None and given.kv_bytes_per_token is not None:
        total = resident * given.context * given.kv_bytes_per_token / GB
        work.put("kv_GB", total, "GB", "KV cache of the residents, all GPUs (GB is 1e9 bytes)")
        if given.kv_pool_gb is not None and total > given.kv_pool_gb:
            held = given.kv_pool_gb / total * resident
            work.warn(f"the cache holds {plain(held)} of them at most: the others wait in a queue")
    elif given.context is not None or given.kv_bytes_per_token is not None:
        missing = "context" if given.context is None else "kv_bytes_per_token"
        raise ToolError(missing, None, "is needed too: give context and kv_bytes_per_token")
    work.assume("a steady state: as many come as go, and none is turned away")
    return work


def _put_known(work: Working, given: LittleArguments, seconds: float) -> None:
    if given.output_tokens is not None or given.step_base_ms is not None:
        raise ToolError("seconds", seconds, "give either seconds or output_tokens and step_base_ms")
    work.put("resident", given.requests_per_s * seconds, "requests", "mean number in the system")
    work.put("seconds", seconds, "s", "mean time in the system")
    work.formula = (
        f"{plain(given.requests_per_s)} requests/s x {plain(seconds)} s = "
        f"{plain(given.requests_per_s * seconds)} requests"
    )
    rates = (given.requests_per_s * part for part in (0.25, 0.5, 0.75, 1, 1.25))
    work.table = [
        {"requests_per_s": rate, "resident": rate * seconds, "naive": rate * seconds}
        for rate in rates
    ]


def _put_coupled(work: Working, given: LittleArguments) -> None:
    if given.output_tokens is None or given.step_base_ms is None:
        missing = "output_tokens" if given.output_tokens is None else "step_base_ms"
        raise ToolError(missing, None, "is needed: give seconds, or output_tokens and step_base_ms")
    rate, tokens = given.requests_per_s, given.output_tokens
    alone = given.before_decode_s + tokens * given.step_base_ms / 1e3
    crowding = tokens * given.step_per_sequence_ms / 1e3
    if rate * crowding >= 1:
        raise ToolError(
            "requests_per_s",
            rate,
            f"no batch keeps up: each sequence adds {plain(given.step_per_sequence_ms)} ms to the "
            f"step, which bounds the rate below {plain(1 / crowding)} requests/s",
        )
    resident = rate * alone / (1 - rate * crowding)
    step = given.step_base_ms + resident * given.step_per_sequence_ms
    work.put("resident", resident, "sequences", "mean number resident", "estimate")
    work.put("seconds", resident / rate, "s", "mean time in the system", "estimate")
    work.put("step_ms", step, "ms", "decode step at that batch", "estimate")
    naive = rate * (alone + crowding)
    work.put("naive", naive, "sequences", "with the duration of one request alone", "estimate")
    if crowding:
        limit = 1 / crowding
        work.put("rate_limit", limit, "requests/s", "rate that no batch reaches", "ceiling")
    work.formula = (
        f"{plain(rate)} x {plain(alone)} s / (1 - {plain(rate)} x {plain(crowding)} s) = "
        f"{plain(resident)} sequences"
    )
    work.assume("the step grows linearly with the batch; the memory is taken to suffice")
    work.table = [
        {
            "requests_per_s": each,
            "resident": each * alone / (1 - each * crowding),
            "naive": each * (alone + crowding),
        }
        for each in (rate * part for part in (0.25, 0.5, 0.75, 0.9, 1, 1.1, 1.25))
        if each * crowding < 0.98
    ]
