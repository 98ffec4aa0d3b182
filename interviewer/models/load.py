"""How busy a vLLM server is, read from its /metrics at this moment."""

from dataclasses import dataclass

from interviewer.models.metrics import quantile, ratio, read_metrics

PATIENCE_S = 2.0
_FIRST = "vllm:time_to_first_token_seconds"
_QUEUE = "vllm:request_queue_time_seconds"


@dataclass(frozen=True, slots=True)
class Load:
    """Counts now, shares and times since the server's start; None is what it does not tell.

    Times are bounds of histogram buckets: half, or 95 %, of the requests took less.
    """

    running: float | None
    waiting: float | None
    cache_used: float | None
    cached_share: float | None
    first_token_half_s: float | None
    first_token_most_s: float | None
    queued_most_s: float | None
    preemptions: float | None


async def read_load(base_url: str) -> Load | None:
    """None where the endpoint has no metrics of vLLM's, or does not answer within 2 s."""
    from interviewer.models.wire import Wire

    async with Wire(base_url, patience_s=PATIENCE_S) as wire:
        text = await wire.get(f"{wire.root}/metrics")
    return load_of(text) if text and "vllm:" in text else None


def load_of(text: str) -> Load:
    """The load in a page of metrics."""
    found = read_metrics(text)
    hits, queries = "vllm:prefix_cache_hits_total", "vllm:prefix_cache_queries_total"
    return Load(
        running=found.get("vllm:num_requests_running"),
        waiting=found.get("vllm:num_requests_waiting"),
        cache_used=found.get("vllm:kv_cache_usage_perc"),
        cached_share=ratio(found, hits, queries),
        first_token_half_s=quantile(text, _FIRST, 0.5),
        first_token_most_s=quantile(text, _FIRST, 0.95),
        queued_most_s=quantile(text, _QUEUE, 0.95),
        preemptions=found.get("vllm:num_preemptions_total"),
    )
