"""Numbers of memory: the KV cache of a token, of a user, what is left for it, who fits."""

from collections.abc import Iterator
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import (
    BYTES,
    CONTEXTS,
    EIGHT_BITS,
    K_OR_V,
    MODELS,
    QUERY_HEADS,
    cache_bytes,
    cache_line,
    dtype,
    shape_line,
    weights,
)

_FITS_H100 = 60
"""GB of weights from which an 80 GB card may keep nothing: 85% of it less 8 GB."""


def _cached(rng: Random) -> dict[str, Any]:
    return {"model": rng.choice(MODELS), "kv_dtype": dtype(rng)}


def _cache_slips(case: Case, *, grows: bool = True) -> Iterator[Named]:
    """What goes wrong with a cache; `grows` is False for a count that shrinks with it."""
    shape, value = case.shape, case.value
    heads = shape.heads / shape.kv_heads
    width = 2 / BYTES[case["kv_dtype"]]
    for factor, reason in (
        (0.5, K_OR_V),
        (heads, QUERY_HEADS),
        (heads / 2, f"{QUERY_HEADS}, and {K_OR_V}"),
        (width, "two bytes a value were taken although the cache has one"),
        (8.0, EIGHT_BITS),
    ):
        yield (value * factor if grows else value / factor), reason


def _sequence_slips(case: Case) -> Iterator[Named]:
    yield from _cache_slips(case)
    yield case.value / 1.073741824, "gibibytes were given for gigabytes"


def _budget(rng: Random) -> dict[str, Any]:
    kept = weights(rng)
    small = kept["weights_gb"] < _FITS_H100
    return {
        **kept,
        "gpu": rng.choice(("H100", "H200", "B200", "MI300X")[0 if small else 1 :]),
        "reserve_gb": rng.choice((3, 4, 5, 6, 8)),
        "utilization": rng.choice((0.85, 0.9, 0.92, 0.95)),
    }


def _budget_lines(case: Case) -> Iterator[str]:
    yield f"{case['gpu']}: {show(case.gpu.memory_gb)} GB of memory."
    yield f"The engine claims {show(case['utilization'] * 100)}% of it."
    yield f"Weights: {show(case['weights_gb'])} GB."
    yield f"Activations and graphs: {show(case['reserve_gb'])} GB."


def _budget_slips(case: Case) -> Iterator[Named]:
    yield case.other(utilization=1), "the share that the engine claims was left out"
    yield case.other(reserve_gb=0), "activations and graphs were left out"
    yield case.value / 1.073741824, "gibibytes were given for gigabytes"
    yield case.measure("usable_GB") - case["reserve_gb"], "the weights were not taken off"


def _users(rng: Random) -> dict[str, Any]:
    return {
        **_budget(rng),
        "weights_gb": rng.choice((8, 14, 16, 28, 35)),
        **_cached(rng),
        "context": rng.choice(CONTEXTS[2:]),
    }


def _users_slips(case: Case) -> Iterator[Named]:
    yield from _cache_slips(case, grows=False)
    yield case.other(utilization=1), "the share that the engine claims was left out"
    spare = (case.measure("usable_GB") - case["reserve_gb"]) / case.measure("kv_GB")
    yield case.value * spare, "the weights were not taken off"


def _shard(rng: Random) -> dict[str, Any]:
    models = ("Llama-3.1-8B", "Llama-3.3-70B", "Qwen2.5-72B", "Qwen3-32B")
    return {
        "model": rng.choice(models),
        "tp": rng.choice((2, 4, 8)),
        "kv_dtype": dtype(rng),
    }


def _shard_slips(case: Case) -> Iterator[Named]:
    yield case.value * case["tp"], "the cache was not divided over the GPUs"
    yield from _cache_slips(case)


def _move(rng: Random) -> dict[str, Any]:
    return {
        **_cached(rng),
        "tokens": rng.choice(CONTEXTS[2:]),
        "link_gbit_s": rng.choice((100, 200, 400, 800)),
    }


def _move_lines(case: Case) -> Iterator[str]:
    yield f"One token takes {show(cache_bytes(case))} bytes of cache."
    yield f"The link carries {show(case['link_gbit_s'])} gigabits a second."


TEMPLATES = (
    Template(
        name="kv-token",
        tool="kv_cache",
        measure="KiB_per_token",
        unit="KiB/token",
        ask="How many KiB of KV cache does one token take? Answer in KiB.",
        draw=_cached,
        given=lambda case: (shape_line(case), cache_line(case)),
        slips=_cache_slips,
    ),
    Template(
        name="kv-sequence",
        tool="kv_cache",
        measure="sequence_GB",
        unit="GB",
        ask="How large is the KV cache of one user who holds {tokens} tokens? Answer in GB.",
        draw=lambda rng: {**_cached(rng), "tokens": rng.choice(CONTEXTS)},
        given=lambda case: (
            shape_line(case),
            cache_line(case),
            f"One user holds {show(case['tokens'])} tokens. GB are decimal.",
        ),
        slips=_sequence_slips,
    ),
    Template(
        name="kv-budget",
        tool="memory_budget",
        measure="kv_GB",
        unit="GB",
        ask="How much memory is left for the KV cache? Answer in GB.",
        draw=_budget,
        given=_budget_lines,
        slips=_budget_slips,
    ),
    Template(
        name="kv-users",
        tool="memory_budget",
        measure="sequences",
        unit="users",
        ask="How many users of {context} tokens fit? Give one decimal.",
        draw=_users,
        given=lambda case: (
            *_budget_lines(case),
            shape_line(case),
            cache_line(case),
            f"One user holds {show(case['context'])} tokens.",
        ),
        slips=_users_slips,
        tolerance=0.035,
    ),
    Template(
        name="kv-shard",
        tool="parallel_layout",
        measure="kv_bytes_per_token_per_gpu",
        unit="KiB/token",
        scale=1 / 1024,
        ask="How many KiB of KV cache does each GPU keep for one token? Answer in KiB.",
        draw=_shard,
        given=lambda case: (
            shape_line(case),
            cache_line(case),
            f"Tensor parallelism over {case['tp']} GPUs; each keeps its own KV heads.",
        ),
        slips=_shard_slips,
    ),
    Template(
        name="kv-move",
        tool="kv_transfer",
        measure="transfer_ms",
        unit="ms",
        ask="How long does it take to move the cache of {tokens} tokens? Answer in ms.",
        draw=_move,
        given=lambda case: (
            f"The prompt has {show(case['tokens'])} tokens.",
            *_move_lines(case),
        ),
        slips=lambda case: (
            (case.value / 8, EIGHT_BITS),
            (case.value / case["tokens"] * 1000, "one token was moved, not the prompt"),
        ),
    ),
)
