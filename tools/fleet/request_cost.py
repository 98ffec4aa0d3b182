"""`request_cost`: a request in GPU seconds and memory, and the weights of its tokens from them."""

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.precision import GB
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain


class CostArguments(Arguments):
    """Arguments of request_cost."""

    prompt_tokens: int = Field(ge=0, le=10**8, description="Tokens of the prompt")
    output_tokens: int = Field(ge=0, le=10**8, description="Tokens of the reply")
    cached_tokens: int = Field(default=0, ge=0, le=10**8, description="Prompt tokens in the cache")
    prefill_tokens_per_s: float = Field(
        ge=1e-3, le=1e9, description="Prefill rate of the replica in tokens/s"
    )
    step_ms: float = Field(ge=1e-3, le=1e5, description="Decode step at the running batch in ms")
    batch: int = Field(ge=1, le=100_000, description="Sequences that share a decode step")
    kv_bytes_per_token: float = Field(ge=0, le=1e9, description="KV bytes per token")
    kv_pool_gb: float = Field(ge=1e-3, le=1e6, description="KV cache of the replica in GB (1e9 B)")


@tool(
    group="quota_fairness",
    example={
        "prompt_tokens": 131072,
        "output_tokens": 500,
        "prefill_tokens_per_s": 14000,
        "step_ms": 25,
        "batch": 32,
        "kv_bytes_per_token": 327680,
        "kv_pool_gb": 220,
    },
    drawing=Drawing(
        kind="bars",
        title="What the request takes of its replica",
        x="resource",
        x_label="resource",
        y_label="seconds of the whole replica",
        series=(Series("seconds", "seconds"),),
    ),
)
def request_cost(given: CostArguments) -> Working:
    """What one request costs in replica seconds of compute and of KV memory; token weights.

    An input token takes 1/prefill rate, an output token step/batch. Memory: its cache's share of
    the pool times the seconds that it is held. The dearer of the two is what a quota must bound.
    """
    if given.cached_tokens > given.prompt_tokens:
        raise ToolError("cached_tokens", given.cached_tokens, "is more than prompt_tokens")
    work = Working(headline="compute_s", source="rates of both phases; bytes times seconds")
    each_in, each_out = 1 / given.prefill_tokens_per_s, given.step_ms / 1e3 / given.batch
    prefill = (given.prompt_tokens - given.cached_tokens) * each_in
    decode = given.output_tokens * each_out
    cache = (given.prompt_tokens + given.output_tokens) * given.kv_bytes_per_token / GB
    if cache > given.kv_pool_gb:
        raise ToolError("kv_pool_gb", given.kv_pool_gb, f"cannot hold its {plain(cache)} GB at all")
    held = prefill + given.output_tokens * given.step_ms / 1e3
    memory = cache / given.kv_pool_gb * held
    work.put("compute_s", prefill + decode, "replica s", "time of the whole replica")
    work.put("prefill_s", prefill, "replica s", "of it for the prompt")
    work.put("decode_s", decode, "replica s", "of it for the reply: its part of each step")
    work.put("output_weight", each_out / each_in, "x", "an output token over an input token")
    work.put("kv_GB", cache, "GB", "cache at its end (GB is 1e9 bytes)")
    work.put("kv_share", cache / given.kv_pool_gb, "fraction", "of the replica's cache")
    work.put("held_s", held, "s", "time for which the cache is held")
    work.put("memory_s", memory, "replica s", "share of the cache x time", "ceiling")
    work.put("quota_s", max(memory, prefill + decode), "replica s", "the dearer of the two")
    work.formula = (
        f"{plain(given.prompt_tokens - given.cached_tokens)} / "
        f"{plain(given.prefill_tokens_per_s)}/s + {given.output_tokens:,} x "
        f"{plain(given.step_ms)} ms / {given.batch:,} = {plain(prefill + decode)} s"
    )
    work.assume(
        "the cache counts in full from the start of prefill on",
        "a request per minute says nothing of this: count tokens by their weights, and memory",
    )
    parts = (("prefill", prefill), ("decode", decode), ("KV memory", memory))
    work.table = [{"resource": name, "seconds": seconds} for name, seconds in parts]
    return work
