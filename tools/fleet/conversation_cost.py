"""`conversation_cost`: what resending a growing context costs, with and without cache prices."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class ConversationArguments(Arguments):
    """Arguments of conversation_cost."""

    context_tokens: int = Field(ge=1, le=100_000_000, description="Tokens sent in the first turn")
    turns: int = Field(default=1, ge=1, le=10_000, description="Turns, each sends all before it")
    new_tokens: int = Field(
        default=0, ge=0, le=10_000_000, description="Prompt tokens that each later turn adds"
    )
    output_tokens: int = Field(
        default=0, ge=0, le=10_000_000, description="Reply tokens of a turn; resent in the next"
    )
    miss_usd_m: float = Field(
        ge=0, le=1e5, description="USD per million input tokens that are not cached"
    )
    hit_usd_m: float = Field(
        ge=0, le=1e5, description="USD per million input tokens read from cache"
    )
    output_usd_m: float = Field(default=0, ge=0, le=1e5, description="USD per million reply tokens")
    hit_share: float = Field(
        default=1,
        ge=0,
        le=1,
        description="Share of the tokens sent before that the cache still has",
    )


@tool(
    group="pricing_energy",
    example={
        "context_tokens": 100000,
        "turns": 20,
        "new_tokens": 500,
        "output_tokens": 500,
        "miss_usd_m": 0.15,
        "hit_usd_m": 0.003,
        "output_usd_m": 0.6,
    },
    drawing=Drawing(
        kind="line",
        title="Cost of the conversation so far",
        x="turn",
        x_label="turn",
        y_label="USD",
        series=(Series("uncached_usd", "no cache"), Series("cached_usd", "cache")),
    ),
)
def conversation_cost(given: ConversationArguments) -> Working:
    """Cost of an agent's conversation that resends its context each turn, by cache prices.

    Turn n sends everything before it; without a cache all of it is billed as a miss, with one the
    part sent before is a hit. The first turn is always a miss.
    """
    if given.hit_usd_m > given.miss_usd_m:
        raise ToolError("hit_usd_m", given.hit_usd_m, "is more than miss_usd_m: are they swapped?")
    work = Working(headline="cached_usd", source="tokens times price")
    cached = uncached = 0.0
    sent, before = given.context_tokens, 0
    for turn in range(1, given.turns + 1):
        hits = before * given.hit_share
        reply = given.output_tokens * given.output_usd_m / 1e6
        cached += ((sent - hits) * given.miss_usd_m + hits * given.hit_usd_m) / 1e6 + reply
        uncached += sent * given.miss_usd_m / 1e6 + reply
        if turn <= 10 or turn == given.turns or turn % max(1, given.turns // 40) == 0:
            work.table.append({"turn": turn, "cached_usd": cached, "uncached_usd": uncached})
        before, sent = sent, sent + given.output_tokens + given.new_tokens
    _put(work, given, cached, uncached)
    return work


def _put(work: Working, given: ConversationArguments, cached: float, uncached: float) -> None:
    tokens = given.context_tokens
    miss, hit = tokens * given.miss_usd_m / 1e6, tokens * given.hit_usd_m / 1e6
    turns = f"{given.turns:,} turns"
    work.put("cached_usd", cached, "USD", f"{turns}, with the cache")
    work.put("uncached_usd", uncached, "USD", f"{turns}, no cache")
    work.put("miss_turn_usd", miss, "USD", f"sending {tokens:,} tokens once, all missed")
    work.put("hit_turn_usd", hit, "USD", f"sending {tokens:,} tokens once, all hit")
    if given.hit_usd_m:
        work.put("price_ratio", given.miss_usd_m / given.hit_usd_m, "x", "miss over hit price")
    if uncached:
        work.put("saved", 1 - cached / uncached, "fraction", "saved by the cache")
    work.formula = (
        f"{tokens:,} x {plain(given.miss_usd_m)} USD/M = {plain(miss)} USD missed, x "
        f"{plain(given.hit_usd_m)} = {plain(hit)} USD hit; {turns}: {plain(cached)} of "
        f"{plain(uncached)} USD"
    )
    work.assume(
        "a hit needs the same prefix from its first token on; writing the cache is not billed",
        f"of the tokens sent before, {plain(given.hit_share * 100)} % are still cached",
    )
