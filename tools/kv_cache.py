"""`kv_cache`: bytes of keys, values and recurrent state per token, per sequence and per GPU."""

from pydantic import Field

from tools.cache_layout import (
    Share,
    allocated_bytes,
    full_bytes,
    growing_bytes,
    multi_head_bytes,
    row_bytes,
    sequence_bytes,
    state_bytes,
    window_bytes,
)
from tools.checkpoints import Model, ModelArguments
from tools.figure import Drawing, Series
from tools.precision import BYTES, GB, GIB, Dtype, scales_note
from tools.registry import tool
from tools.working import Working, counted, plain


class KvCacheArguments(ModelArguments):
    """Arguments of kv_cache."""

    kv_dtype: Dtype = Field(
        default="bf16", description="Format of the cache (its own setting, not the weights')"
    )
    tokens: int = Field(
        default=8192, ge=1, le=100_000_000, description="Tokens per sequence (prompt and output)"
    )
    sequences: int = Field(
        default=1, ge=1, le=1_000_000, description="Sequences held at once, over all replicas"
    )
    tp: int = Field(default=1, ge=1, le=1024, description="Tensor-parallel GPUs per replica")
    dp: int = Field(
        default=1, ge=1, le=10_000, description="Data-parallel replicas; they share out sequences"
    )
    cp: int = Field(
        default=1, ge=1, le=1024, description="Decode context parallelism within the tp group"
    )
    block: int = Field(
        default=16, ge=1, le=1024, description="Tokens per block of the engine's paged cache"
    )


@tool(
    group="kv_cache",
    example={"model": "Llama-3.3-70B", "tokens": 8192},
    drawing=Drawing(
        kind="line",
        title="KV cache of one sequence against its length",
        x="context_tokens",
        x_label="tokens in the sequence",
        y_label="GB (1e9 bytes)",
        series=(Series("ideal_GB", "ideal"), Series("allocated_GB", "in whole blocks")),
        log_x=True,
        log_y=True,
    ),
)
def kv_cache(given: KvCacheArguments) -> Working:
    """KV-cache bytes per token, per sequence and per GPU.

    Counts KV heads (not query heads), the stated head_dim, MLA latents once, windows up to their
    width and recurrent state at fp32. The headline is the growing part in B/token over all GPUs.
    """
    model = given.chosen()
    share = Share(model.architecture, given.tp, given.cp)
    work = Working(headline="bytes_per_token", source=f"{model.source}; sharding as vLLM 0.31")
    work.formula = _formula(model, given.kv_dtype)
    _put_whole(work, model, given)
    _put_beside(work, model, given)
    _put_per_gpu(work, share, given)
    work.assume("GB is 1e9 bytes, GiB is 2^30", scales_note(given.kv_dtype, "the cache"))
    _say(work, model, share)
    model.tell(work)
    work.table = _rows(share, given)
    return work


def _put_whole(work: Working, model: Model, given: KvCacheArguments) -> None:
    shape, dtype = model.architecture, given.kv_dtype
    one = sequence_bytes(shape, dtype, given.tokens)
    work.put(
        "bytes_per_token",
        growing_bytes(shape, dtype),
        "B/token",
        "KV cache per token, growing part",
    )
    work.put("KiB_per_token", growing_bytes(shape, dtype) / 1024, "KiB/token", "the same in KiB")
    work.put(
        "window_bytes",
        window_bytes(shape, dtype),
        "B/sequence",
        "sliding or chunked windows when full",
    )
    work.put("state_bytes", state_bytes(shape), "B/sequence", "recurrent state")
    fixed = window_bytes(shape, dtype) + state_bytes(shape)
    work.put("fixed_bytes", fixed, "B/sequence", "part that does not grow: full windows and state")
    work.put("sequence_bytes", one, "B/sequence", f"one sequence of {given.tokens:,} tokens, ideal")
    work.put("sequence_GB", one / GB, "GB/sequence", "one sequence, ideal")
    work.put("sequence_GiB", one / GIB, "GiB/sequence", "one sequence, ideal")
    work.put(
        "total_GB",
        one * given.sequences / GB,
        "GB",
        f"{counted(given.sequences, 'sequence')}, ideal",
    )
    work.put(
        "total_GiB",
        one * given.sequences / GIB,
        "GiB",
        f"{counted(given.sequences, 'sequence')}, ideal",
    )


def _put_beside(work: Working, model: Model, given: KvCacheArguments) -> None:
    """What the design saves: beside plain multi-head attention, and beside full layers."""
    shape, dtype = model.architecture, given.kv_dtype
    if not shape.cached:
        return
    plain_heads = multi_head_bytes(shape, dtype)
    said = "the same layers in plain multi-head attention, all in full"
    work.put("multi_head_bytes_per_token", plain_heads, "B/token", said)
    if growing := growing_bytes(shape, dtype):
        said = "multi-head bytes over the growing part"
        work.put("multi_head_ratio", plain_heads / growing, "x", said)
    if window_bytes(shape, dtype):
        full = full_bytes(shape, dtype)
        work.put("full_bytes_per_token", full, "B/token", "if the windowed layers kept all tokens")
        saving = full * given.tokens / sequence_bytes(shape, dtype, given.tokens)
        said = f"saved by the windows at {given.tokens:,} tokens"
        work.put("window_saving", saving, "x", said)


def _put_per_gpu(work: Working, share: Share, given: KvCacheArguments) -> None:
    dtype, tokens = given.kv_dtype, given.tokens
    held = -(-given.sequences // given.dp)
    blocks = allocated_bytes(share, dtype, tokens, given.block)
    work.put(
        "bytes_per_token_per_gpu", share.growing(dtype), "B/token/GPU", "growing part on one GPU"
    )
    work.put(
        "sequence_GB_per_gpu",
        share.sequence(dtype, tokens) / GB,
        "GB/sequence/GPU",
        "one sequence on one GPU",
    )
    work.put(
        "total_GB_per_gpu",
        share.sequence(dtype, tokens) * held / GB,
        "GB/GPU",
        f"{counted(held, 'sequence')} on one GPU",
    )
    work.put("copies", share.copies, "x", "times that a token's cache is kept in the tp group")
    work.put(
        "allocated_bytes",
        blocks,
        "B/sequence/GPU",
        f"one sequence in whole blocks of {given.block}",
    )
    work.put(
        "allocated_GB", blocks * held / GB, "GB/GPU", f"{counted(held, 'sequence')} in whole blocks"
    )


def _formula(model: Model, dtype: Dtype) -> str:
    parts = []
    for group in model.architecture.cached:
        if group.window is None:
            row = (
                f"{group.heads} x {group.width}"
                if not group.latent
                else f"{group.width} (latent + rope)"
            )
            inner = f"{row} x {BYTES[dtype]:g} B" + (
                f" + {group.indexer} B indexer" if group.indexer else ""
            )
            inner = (
                f"{plain(row_bytes(group, dtype))} B" if group.indexer and dtype == "fp8" else inner
            )
            kv = "" if group.latent else " (KV heads x 2 head_dim x bytes)"
            parts.append(f"{group.layers} layers x ({inner}){kv}")
    total = plain(growing_bytes(model.architecture, dtype))
    return f"{' + '.join(parts) or 'no layer keeps every token'} = {total} B/token"


def _say(work: Working, model: Model, share: Share) -> None:
    shape = model.architecture
    windows = [g for g in shape.cached if g.window is not None]
    for group in windows:
        work.assume(f"{group.layers} {group.kind} layers keep at most {group.window:,} tokens")
    if shape.is_latent:
        work.assume(
            "MLA: one latent per token and layer for all heads; every tp rank keeps all of it"
        )
    if shape.recurrent:
        work.assume(
            "recurrent state at fp32, its convolution at bf16; allocated: without page padding"
        )
    if share.copies > 1:
        work.warn(
            f"tp={share.tp} keeps each token {share.copies:g} times: only KV heads are divided"
        )
    work.assume("data parallelism shares out sequences; it never divides one sequence's cache")


def _rows(share: Share, given: KvCacheArguments) -> list[dict[str, float]]:
    lengths = sorted({*(1024 * 2**power for power in range(8)), given.tokens})
    return [
        {
            "context_tokens": n,
            "ideal_GB": share.sequence(given.kv_dtype, n) / GB,
            "allocated_GB": allocated_bytes(share, given.kv_dtype, n, given.block) / GB,
        }
        for n in lengths
    ]
