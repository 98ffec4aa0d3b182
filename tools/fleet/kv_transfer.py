"""`kv_transfer`: moving a prompt's KV cache over a link, against computing it again."""

from pydantic import Field

from tools.attention import attention_flops
from tools.cache_layout import sequence_bytes
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.fleet.link import Link, LinkArguments
from tools.precision import GB, Dtype
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class TransferArguments(ModelArguments, LinkArguments):
    """Arguments of kv_transfer."""

    tokens: int = Field(ge=1, le=100_000_000, description="Tokens whose cache moves")
    kv_dtype: Dtype = Field(default="bf16", description="Format of the KV cache")
    kv_bytes_per_token: float | None = Field(
        default=None, ge=1, le=1e9, description="KV bytes per token, instead of the model's"
    )
    round_trip: bool = Field(
        default=False, description="Out and back in again, as a swapped request moves"
    )
    pieces: int = Field(
        default=1,
        ge=1,
        le=10_000,
        description="Pieces (layers) that leave during prefill; 1: none",
    )
    prefill_tokens_per_s: float | None = Field(
        default=None, ge=1e-3, le=1e9, description="Prefill rate in tokens/s, to compute it again"
    )
    senders: int = Field(
        default=1, ge=1, le=100_000, description="Prefill replicas that send, each over such a link"
    )
    receivers: int = Field(
        default=1, ge=1, le=100_000, description="Decode replicas that receive, each over one too"
    )
    prefill_tflops: float | None = Field(
        default=None,
        ge=1e-3,
        le=1e6,
        description="Or the TFLOPS that prefill reaches, all GPUs, after efficiency; needs a model",
    )


@tool(
    group="kv_transfer_tiers",
    example={
        "model": "Llama-3.3-70B",
        "tokens": 8192,
        "link_gbit_s": 400,
        "prefill_tflops": 989.5,
        "pieces": 80,
    },
    drawing=Drawing(
        kind="line",
        title="Fetching a cached prefix against computing it",
        x="tokens",
        x_label="tokens",
        y_label="ms",
        series=(Series("transfer_ms", "fetch"), Series("recompute_ms", "recompute")),
        log_x=True,
        log_y=True,
    ),
)
def kv_transfer(given: TransferArguments) -> Working:
    """Time to move a KV cache, and whether fetching it beats computing it again.

    Bytes / one-direction bandwidth + latency, against FLOPs / rate. The bandwidth that keeps up
    with prefill is KV bytes per token x prefill tokens/s: the prompt's length cancels.
    """
    model = given.chosen() if given.names_model else None
    source = "bytes over bandwidth" + (f"; {model.source}" if model else "")
    work = Working(headline="transfer_ms", source=source)
    link = given.link(work)
    size = _bytes(given, model, given.tokens)
    moved = size * (2 if given.round_trip else 1)
    messages = given.pieces * (2 if given.round_trip else 1)
    transfer = link.seconds(moved, messages) * 1e3
    kind = "estimate" if link.estimated else "floor"
    ways = "out and back" if given.round_trip else "one way"
    work.put("transfer_ms", transfer, "ms", f"moving the cache {ways}", kind)
    work.put("cache_GB", size / GB, "GB", f"KV cache of {given.tokens:,} tokens, all GPUs")
    work.put("link_GB_s", link.bandwidth / GB, "GB/s", "bandwidth used, one direction")
    work.formula = (
        f"{plain(moved / GB)} GB / {plain(link.bandwidth / GB)} GB/s + {messages:,} x "
        f"{plain(link.latency * 1e6)} us = {plain(transfer)} ms"
    )
    _put_recompute(work, given, model, link)
    if model:
        model.tell(work)
    work.assume("GB is 1e9 bytes; the link carries nothing else")
    work.table = _rows(given, model, link)
    return work


def _bytes(given: TransferArguments, model: Model | None, tokens: int) -> float:
    if given.kv_bytes_per_token is not None:
        return given.kv_bytes_per_token * tokens
    if model is None:
        raise ToolError("model", None, "is required: a model's name, or kv_bytes_per_token")
    return sequence_bytes(model.architecture, given.kv_dtype, tokens)


def _recompute_s(given: TransferArguments, model: Model | None, tokens: int) -> float | None:
    """Seconds to prefill `tokens` from nothing; None where no rate was given."""
    if given.prefill_tokens_per_s is not None and given.prefill_tflops is not None:
        raise ToolError("prefill_tflops", given.prefill_tflops, "give it or prefill_tokens_per_s")
    if given.prefill_tokens_per_s is not None:
        return tokens / given.prefill_tokens_per_s
    if given.prefill_tflops is None:
        return None
    if model is None:
        raise ToolError("model", None, "is needed for prefill_tflops; or give prefill_tokens_per_s")
    dense = 2.0 * model.parameters.active * tokens
    return (dense + attention_flops(model.architecture, tokens)) / (given.prefill_tflops * 1e12)


def _put_recompute(
    work: Working, given: TransferArguments, model: Model | None, link: Link
) -> None:
    seconds = _recompute_s(given, model, given.tokens)
    if seconds is None:
        return
    transfer = work.measures["transfer_ms"].value
    size = work.measures["cache_GB"].value
    prefill = seconds * 1e3
    work.put("recompute_ms", prefill, "ms", "computing the cache again", "estimate")
    work.put("advantage", prefill / transfer, "x", "recompute over fetch", "estimate")
    work.put("sustained_GB_s", size / seconds, "GB/s", "to keep up with prefill", "estimate")
    into = size / seconds * given.senders / given.receivers
    work.put("receiver_GB_s", into, "GB/s", "into each decode replica", "estimate")
    busy = max(into, size / seconds) / work.measures["link_GB_s"].value
    side = "a decode replica" if given.senders > given.receivers else "a prefill replica"
    work.put("link_busy", busy, "fraction", f"of the busier end's link: {side}", "estimate")
    if busy > 1:
        work.warn(f"prefill makes cache faster than the link of {side} takes it: a queue grows")
    link_free = seconds - link.latency * given.pieces
    if link_free > 0:
        least = size / link_free * (2 if given.round_trip else 1)
        work.put("break_even_GB_s", least, "GB/s", "link at which both take as long", "estimate")
    if not given.round_trip:
        last = transfer / given.pieces
        exposed = max(last, transfer - prefill * (given.pieces - 1) / given.pieces)
        said = f"after prefill ends, in {given.pieces:,} pieces"
        work.put("exposed_ms", exposed, "ms", said, "estimate")
    work.warn("recomputing is faster than this link" if prefill < transfer else "")


def _rows(given: TransferArguments, model: Model | None, link: Link) -> list[dict[str, float]]:
    ways = 2 if given.round_trip else 1
    rows = []
    for tokens in sorted({512, 2048, 8192, 32_768, 131_072, given.tokens}):
        row: dict[str, float] = {
            "tokens": tokens,
            "transfer_ms": link.seconds(_bytes(given, model, tokens) * ways, given.pieces * ways)
            * 1e3,
        }
        seconds = _recompute_s(given, model, tokens)
        if seconds is not None:
            row["recompute_ms"] = seconds * 1e3
        rows.append(row)
    return rows
