"""`chunk_admission`: the prefill that a TPOT target leaves, and the backlog a TTFT target bears."""

from math import ceil

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class ChunkArguments(Arguments):
    """Arguments of chunk_admission."""

    tpot_ms: float = Field(ge=0.1, le=1e5, description="Longest step allowed, in ms (TPOT target)")
    ttft_ms: float = Field(ge=0.1, le=1e7, description="Target of the time to first token, in ms")
    decode_ms: float = Field(
        ge=0, le=1e5, description="Step in ms with the running decodes and no prefill"
    )
    prefill_us_per_token: float = Field(
        ge=1e-3, le=1e6, description="Time that a prefill token adds to a step, in us"
    )
    prompt_tokens: int = Field(
        ge=1, le=10_000_000, description="Tokens to prefill of the request that asks to be let in"
    )
    backlog_tokens: int = Field(
        default=0, ge=0, le=10**9, description="Prefill tokens already waiting"
    )


@tool(
    group="queueing",
    example={
        "tpot_ms": 40,
        "ttft_ms": 2000,
        "decode_ms": 18,
        "prefill_us_per_token": 70,
        "prompt_tokens": 4096,
        "backlog_tokens": 6000,
    },
    drawing=Drawing(
        kind="line",
        title="Backlog that can be borne against the TPOT target",
        x="tpot_ms",
        x_label="TPOT target, ms",
        y_label="tokens",
        series=(Series("chunk", "chunk per step"), Series("backlog_limit", "backlog")),
    ),
)
def chunk_admission(given: ChunkArguments) -> Working:
    """Largest prefill chunk for a TPOT target, its prefill rate, and whether to admit a request.

    chunk = (TPOT - decode step) / time per prefill token; rate = chunk / TPOT; a request is
    admitted while backlog + its prompt <= rate x TTFT target.
    """
    if given.decode_ms >= given.tpot_ms:
        raise ToolError(
            "tpot_ms",
            given.tpot_ms,
            f"the running decodes alone take {plain(given.decode_ms)} ms: lower the batch first",
        )
    chunk = _chunk(given, given.tpot_ms)
    if chunk < 1:
        raise ToolError("tpot_ms", given.tpot_ms, "leaves no room for even one prefill token")
    rate = chunk / given.tpot_ms * 1e3
    bears = rate * given.ttft_ms / 1e3
    ahead = given.backlog_tokens + given.prompt_tokens
    ttft = ceil(ahead / chunk) * given.tpot_ms
    work = Working(headline="chunk_tokens", source="linear model of a mixed step")
    work.put("chunk_tokens", chunk, "tokens/step", "prefill that fits beside the decodes", "count")
    work.put("prefill_rate", rate, "tokens/s", "prefill throughput under the TPOT target")
    limit = max(0.0, bears - given.prompt_tokens)
    work.put("backlog_limit", limit, "tokens", "backlog in front of this prompt that is in time")
    work.put("ttft_ms", ttft, "ms", "time to first token behind the backlog, whole steps")
    alone = ceil(given.prompt_tokens / chunk) * given.tpot_ms
    work.put("alone_ms", alone, "ms", "time to first token with nothing ahead")
    work.put("admit", float(ttft <= given.ttft_ms), "yes (1) or no (0)", "admit", "count")
    work.formula = (
        f"({plain(given.tpot_ms)} - {plain(given.decode_ms)}) ms / "
        f"{plain(given.prefill_us_per_token)} us = {chunk:,} tokens/step = {plain(rate)} tokens/s; "
        f"{ahead:,} tokens take {plain(ttft)} ms"
    )
    work.assume("step = decode part + tokens x time each; prompts are prefilled in order")
    if alone > given.ttft_ms:
        work.warn("this prompt is late even alone: another pool, a longer target, or a refusal")
    targets = (given.tpot_ms * part for part in (0.5, 0.75, 1, 1.25, 1.5, 2, 3))
    work.table = [
        {
            "tpot_ms": tpot,
            "chunk": _chunk(given, tpot),
            "backlog_limit": _chunk(given, tpot) / tpot * given.ttft_ms,
        }
        for tpot in targets
        if _chunk(given, tpot) >= 1
    ]
    return work


def _chunk(given: ChunkArguments, tpot: float) -> int:
    return int((tpot - given.decode_ms) * 1e3 / given.prefill_us_per_token + 1e-9)
