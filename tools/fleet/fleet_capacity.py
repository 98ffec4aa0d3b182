"""`fleet_capacity`: replicas from the demand of both phases, a utilisation ceiling and spares."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, counted, plain


class FleetArguments(Arguments):
    """Arguments of fleet_capacity."""

    requests_per_s: float = Field(ge=1e-6, le=1e7, description="Peak arrivals in requests/s")
    input_tokens: float = Field(ge=0, le=1e8, description="Mean prompt tokens of a request")
    output_tokens: float = Field(ge=0, le=1e8, description="Mean tokens of a reply")
    cached_share: float = Field(
        default=0, ge=0, le=1, description="Share of the prompt tokens found in the prefix cache"
    )
    prefill_tokens_per_s: float = Field(
        ge=1e-3, le=1e9, description="Uncached prompt tokens/s of one replica that only prefills"
    )
    decode_tokens_per_s: float = Field(
        ge=1e-3, le=1e9, description="Tokens/s of one replica that only decodes, at its latency"
    )
    max_utilisation: float = Field(
        ge=0.05, le=1, description="Share of a replica's time that the latency target lets be busy"
    )
    gpus_per_replica: int = Field(default=1, ge=1, le=1024, description="GPUs of one replica")
    separate_pools: bool = Field(
        default=False, description="Prefill and decode on pools of their own, each rounded up"
    )
    spare: int = Field(
        default=1, ge=0, le=10_000, description="Replicas beyond the load, per pool (N + 1: 1)"
    )
    gpu_usd_h: float | None = Field(
        default=None, ge=0, le=1e5, description="Price of a GPU in USD/h, for the bill"
    )


@tool(
    group="fleet_capacity",
    example={
        "requests_per_s": 50,
        "input_tokens": 3000,
        "output_tokens": 300,
        "prefill_tokens_per_s": 14000,
        "decode_tokens_per_s": 2600,
        "max_utilisation": 0.7,
        "gpus_per_replica": 4,
        "gpu_usd_h": 2.5,
    },
    drawing=Drawing(
        kind="bars",
        title="Replicas by use",
        x="use",
        x_label="use",
        y_label="replicas",
        series=(Series("replicas", "replicas"),),
    ),
)
def fleet_capacity(given: FleetArguments) -> Working:
    """Replicas for a demand: busy replica-seconds per second by phase, over the utilisation.

    Prefill takes rate x uncached tokens / prefill rate, decode rate x tokens / decode rate;
    replicas = ceil(sum / utilisation) + spare, or each pool rounded up on its own.
    """
    prefill = given.requests_per_s * given.input_tokens * (1 - given.cached_share)
    prefill /= given.prefill_tokens_per_s
    decode = given.requests_per_s * given.output_tokens / given.decode_tokens_per_s
    if prefill + decode == 0:
        raise ToolError("input_tokens", given.input_tokens, "makes no work, nor does output_tokens")
    pools = [prefill, decode] if given.separate_pools else [prefill + decode]
    sizes = [max(1, ceil(busy / given.max_utilisation - 1e-9)) + given.spare for busy in pools]
    replicas = sum(sizes)
    work = Working(headline="replicas", source="replica-seconds per second")
    work.put("replicas", replicas, "replicas", "with the spares", "count")
    work.put("gpus", replicas * given.gpus_per_replica, "GPUs", "with the spares", "count")
    work.put("prefill_busy", prefill, "replica s/s", "busy with prompts", "estimate")
    work.put("decode_busy", decode, "replica s/s", "busy with replies", "estimate")
    work.put("prompt_share", prefill / (prefill + decode), "fraction", "prompts' part", "estimate")
    utilisation = (prefill + decode) / replicas
    work.put("utilisation", utilisation, "fraction", "mean at the peak, spares counted", "estimate")
    if given.separate_pools:
        work.put("prefill_replicas", sizes[0], "replicas", "pool for prompts", "count")
        work.put("decode_replicas", sizes[1], "replicas", "pool for replies", "count")
    if given.gpu_usd_h is not None:
        bill = replicas * given.gpus_per_replica * given.gpu_usd_h
        work.put("usd_h", bill, "USD/h", "the whole fleet", "estimate")
        each = bill / 3600 / given.requests_per_s
        work.put("usd_per_1000_requests", each * 1e3, "USD/1000 requests", "at peak", "estimate")
    work.formula = (
        f"{plain(prefill)} prefill + {plain(decode)} decode replica s/s; / "
        f"{plain(given.max_utilisation)}, rounded up, + {given.spare} spare"
        f"{' each' if given.separate_pools else ''} = {counted(replicas, 'replica')}"
    )
    work.assume(
        "rates are measured at the latency target, one phase at a time; phases add up in time",
        "the cache of the residents is taken to fit: see littles_law and memory_budget",
    )
    work.warn("no spare: one lost replica breaks the target" if not given.spare else "")
    rows = (("prompts", prefill), ("replies", decode))
    work.table = [
        *({"use": name, "replicas": busy} for name, busy in rows),
        {"use": "headroom", "replicas": replicas - given.spare * len(pools) - prefill - decode},
        {"use": "spare", "replicas": given.spare * len(pools)},
    ]
    return work
