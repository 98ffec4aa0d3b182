"""Numbers that are read off a running system: histograms, streams, waits, growth, and its media."""

from collections.abc import Iterator
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import EIGHT_BITS


def _tile(rng: Random) -> dict[str, Any]:
    return {
        "tile_m": rng.choice((64, 128, 192, 256)),
        "tile_n": rng.choice((64, 96, 128, 192, 256)),
    }


def _tile_slips(case: Case) -> Iterator[Named]:
    m, n = case["tile_m"], case["tile_n"]
    yield case.value / 2, "a multiply and an add are two FLOPs"
    yield case.value * 2, "an element takes two bytes"
    yield 2 * m * n / (m * n * 2), "the operands are loaded, not the tile's results"


def _pinned(rng: Random) -> dict[str, Any]:
    return {
        "gpu": rng.choice(("H100", "H200")),
        "step_gb": rng.choice((15, 17.6, 35)),
        "pinned_mb": rng.choice((10, 16, 20, 24, 30)),
    }


def _pinned_slips(case: Case) -> Iterator[Named]:
    yield case.measure("step_ms") * 1000, "that is the whole step"
    yield case.value * 8, EIGHT_BITS
    yield case.value / 1000, "milliseconds were given for microseconds"


def _growth(rng: Random) -> dict[str, Any]:
    return {
        "growth_mb_per_h": rng.choice((120, 200, 300, 450)),
        "requests_per_h": 3600 * rng.choice((5, 10, 20, 40)),
        "free_gb": 6,
    }


def _growth_slips(case: Case) -> Iterator[Named]:
    yield case.value * 3600, "a rate a second was taken for one an hour"
    yield case.value * 8, EIGHT_BITS
    yield case.value * 1.048576, "mebibytes were taken for megabytes"


def _buckets(rng: Random) -> dict[str, Any]:
    low = rng.choice((600, 700, 800))
    middle = rng.choice((900, 940, 960))
    high = rng.choice((992, 995, 998))
    bounds = ((0.25, low), (0.5, middle), (1, high), ("+Inf", 1000))
    buckets = [{"le": bound, "count": count} for bound, count in bounds]
    return {"buckets": buckets, "quantile": rng.choice((0.95, 0.97, 0.98, 0.99))}


def _buckets_lines(case: Case) -> Iterator[str]:
    counts = [bucket["count"] for bucket in case["buckets"]]
    yield f"Of {counts[3]} requests {counts[0]} took at most 0.25 s, {counts[1]} at most 0.5 s"
    yield f"and {counts[2]} at most 1 s. Within a bucket they are taken as spread evenly."
    yield f"The quantile is {show(case['quantile'])}."


def _buckets_slips(case: Case) -> Iterator[Named]:
    low, high = case.measure("low"), case.measure("high")
    yield high, "that is the bucket's upper bound"
    yield low, "that is the bucket's lower bound"
    yield (low + high) / 2, "the middle of the bucket was taken"


def _agree(rng: Random) -> dict[str, Any]:
    rate, latency = rng.choice((8, 10, 12, 20)), rng.choice((4, 5, 6.5, 8))
    missing = rng.choice((1, 1.5, 2, 2.5))
    seen = round(rate * (latency + missing))
    waiting = seen // 3
    return {
        "finished_per_s": rate,
        "latency_s": latency,
        "running": seen - waiting,
        "waiting": waiting,
    }


def _agree_slips(case: Case) -> Iterator[Named]:
    seen = case.measure("seen")
    yield seen / case["finished_per_s"], "that is the whole time in the system"
    yield seen - case.measure("expected"), "those are requests, not seconds"
    yield case["running"] / case["finished_per_s"], "those that wait are in the system as well"


def _images(rng: Random) -> dict[str, Any]:
    return {
        "width": 28 * rng.choice((16, 24, 32, 36, 48)),
        "height": 28 * rng.choice((16, 24, 32, 36)),
        "images": rng.choice((1, 2, 4, 8)),
        "patch": 14,
        "merge": 2,
        "extra": 2,
    }


def _images_slips(case: Case) -> Iterator[Named]:
    images, each = case["images"], case.measure("image_tokens")
    yield images * (4 * (each - 2) + 2), "patches are merged two by two before the model"
    yield each if images > 1 else each - 2, "one image, or its markers, was left out"
    yield images * (each - 2), "the markers were left out"


def _phases(rng: Random) -> dict[str, Any]:
    items = [
        {"name": "weights", "gb": rng.choice((30, 40, 50))},
        {"name": "KV pool", "gb": rng.choice((20, 25, 30))},
        {"name": "encoder", "gb": rng.choice((5, 7, 9)), "phases": ["encode"]},
        {"name": "embeddings", "gb": rng.choice((2, 3)), "phases": ["encode", "prefill"]},
        {"name": "prefill", "gb": rng.choice((3, 4)), "phases": ["prefill"]},
    ]
    return {"phases": ["encode", "prefill", "decode"], "items": items, "capacity_gb": 141}


def _phases_lines(case: Case) -> Iterator[str]:
    weights, pool, encoder, embeddings, prefill = (item["gb"] for item in case["items"])
    yield f"Weights of {weights} GB and a KV pool of {pool} GB stay throughout."
    yield f"The encoder takes {encoder} GB while it runs, and prefill {prefill} GB while that does."
    yield f"Embeddings of {embeddings} GB are kept from the encoder until the prefill is done."


def _phases_slips(case: Case) -> Iterator[Named]:
    weights, pool, encoder, embeddings, prefill = (item["gb"] for item in case["items"])
    yield case.measure("sum_GB"), "the phases follow each other; their memory is not added"
    yield (
        float(weights + pool + prefill + embeddings),
        "that is the prefill; the encoder takes more",
    )
    yield float(weights + pool + encoder), "the embeddings stand there with the encoder"


def _stream(rng: Random) -> dict[str, Any]:
    sent, first = rng.choice((50, 90, 120)), rng.choice((400, 420, 500))
    per_event, gap, count = rng.choice((2, 3, 4)), rng.choice((50, 60, 80)), rng.choice((5, 8, 10))
    later = [{"at_ms": first + gap * n, "tokens": per_event} for n in range(1, count + 1)]
    return {"events": [{"at_ms": first, "tokens": 1}, *later], "sent_ms": sent}


def _stream_lines(case: Case) -> Iterator[str]:
    events, sent = case["events"], case["sent_ms"]
    yield f"The first event, {events[0]['at_ms'] - sent} ms after the request, holds 1 token."
    yield (
        f"{len(events) - 1} events of {events[1]['tokens']} tokens follow, "
        f"{events[1]['at_ms'] - events[0]['at_ms']} ms apart."
    )


def _stream_slips(case: Case) -> Iterator[Named]:
    events = case["events"]
    gap = events[1]["at_ms"] - events[0]["at_ms"]
    yield float(gap), "that is the gap between events, which hold several tokens"
    yield (
        case.measure("latency_ms") / case.measure("tokens"),
        "the time to the first token is no gap",
    )


def _pairs(rng: Random) -> dict[str, Any]:
    queries = rng.choice((2, 3, 4, 6))
    return {"queries": queries, "keys": queries + rng.randrange(4, 14), "heads": 2, "kv_heads": 1}


def _pairs_slips(case: Case) -> Iterator[Named]:
    q, k, heads = case["queries"], case["keys"], case["heads"]
    yield float(heads * q * k), "later keys are masked"
    yield float(heads * q * (q + 1) // 2), "the chunk stands at the end of the keys, not the start"
    yield case.value / heads, "one head was counted"


def _ranks(rng: Random) -> dict[str, Any]:
    times = rng.sample([1.1, 1.4, 1.7, 2.1, 2.6, 3.2, 4.3], 4)
    sent = rng.choice((0.3, 0.4, 0.5))
    ranks = [
        {
            "name": str(n),
            "load": 500,
            "compute_ms": t,
            "combine_ms": round(max(times) - t + sent, 1),
        }
        for n, t in enumerate(times)
    ]
    return {"ranks": ranks}


def _ranks_lines(case: Case) -> Iterator[str]:
    times = [show(rank["compute_ms"]) for rank in case["ranks"]]
    yield f"The ranks compute for {', '.join(times)} ms and meet in a combine."


def _ranks_slips(case: Case) -> Iterator[Named]:
    times = [rank["compute_ms"] for rank in case["ranks"]]
    yield max(times) - sum(times) / len(times), "that is what a perfect balance would save"
    yield max(times), "that is the slowest one's own time"
    yield case.measure("longest_ms"), "its span holds the communication as well"


def _handoff(rng: Random) -> dict[str, Any]:
    end = rng.choice((300, 320, 400))
    moved, admitted = end + rng.choice((20, 25, 40)), rng.choice((40, 60, 80))
    step = rng.choice((15, 20, 25))
    tokens = [moved + admitted + step * n for n in range(1, 5)]
    return {
        "prefill_start_ms": 20,
        "prefill_end_ms": end,
        "transfer_start_ms": 60,
        "transfer_end_ms": moved,
        "admitted_ms": moved + admitted,
        "decode_tokens_ms": tokens,
    }


def _handoff_lines(case: Case) -> Iterator[str]:
    yield f"Prefill runs until {case['prefill_end_ms']} ms and gives the first token."
    yield f"The cache moves from {case['transfer_start_ms']} to {case['transfer_end_ms']} ms."
    first = case["decode_tokens_ms"][0] - case["admitted_ms"]
    yield f"Decode admits the request at {case['admitted_ms']} ms; its first step takes {first} ms."


def _handoff_slips(case: Case) -> Iterator[Named]:
    moved = case["transfer_end_ms"] - case["transfer_start_ms"]
    yield case.value - case.measure("first_step_ms"), "the decode step itself was left out"
    yield case.value - case.measure("exposed_ms") + moved, "most of the transfer was hidden"
    yield float(case["decode_tokens_ms"][0]), "that is counted from the start, not from token one"


def _spill(rng: Random) -> dict[str, Any]:
    return {
        "shared_tokens": rng.choice((1000, 2000, 3000, 4000)),
        "own_tokens": 200,
        "prefill_ms_per_1k": rng.choice((50, 60, 71, 90)),
        "count": 20,
    }


def _spill_slips(case: Case) -> Iterator[Named]:
    both = case["shared_tokens"] + case["own_tokens"]
    yield both * case["prefill_ms_per_1k"] / 1000, "its own tokens are computed in any case"
    yield case["own_tokens"] * case["prefill_ms_per_1k"] / 1000, "the shared ones are what is saved"
    yield case.value / 2, "the whole saving is lost, not half of it"


def _square(rng: Random) -> dict[str, Any]:
    return {"tokens": 1024 * rng.choice((2, 4, 6, 8, 12, 16)), "heads": rng.choice((32, 64, 128))}


def _square_slips(case: Case) -> Iterator[Named]:
    yield case.value / case["heads"], "one head was counted"
    yield case.value / 2, "one byte a value was taken"
    yield case.measure("lse_GB"), "that is what is kept, one sum a row"
    yield case.value * 8, EIGHT_BITS


TEMPLATES = (
    Template(
        name="tile-reuse",
        tool="gemm_tile",
        measure="intensity",
        unit="FLOP/B",
        ask="How many FLOPs does the tile do for each byte that it loads?",
        draw=_tile,
        given=lambda case: (
            f"A tile of {case['tile_m']} by {case['tile_n']} results; for each step along K it "
            "loads a column and a row of operands.",
            "An operand takes 2 bytes.",
        ),
        slips=_tile_slips,
    ),
    Template(
        name="pinned",
        tool="l2_pinning",
        measure="saved_us",
        unit="us",
        ask="How much does it save to keep the data in L2? Answer in us.",
        draw=_pinned,
        given=lambda case: (
            f"{case['pinned_mb']} MB are read once a step and stay in L2, whose reads cost nothing "
            "here.",
            f"Memory gives {show(case.gpu.bandwidth_tb_s)} TB/s; a step streams "
            f"{show(case['step_gb'])} GB.",
        ),
        slips=_pinned_slips,
    ),
    Template(
        name="leak",
        tool="memory_growth",
        measure="bytes_per_request",
        unit="kB",
        scale=1e-3,
        ask="How much does a request leave behind? Answer in kB of 1,000 bytes.",
        draw=_growth,
        given=lambda case: (
            f"Memory grows by {case['growth_mb_per_h']} MB an hour.",
            f"{show(case['requests_per_h'] / 3600)} requests a second are served.",
        ),
        slips=_growth_slips,
        tolerance=0.02,
    ),
    Template(
        name="bucket-quantile",
        tool="histogram_quantile",
        measure="quantile",
        unit="s",
        ask="What does the histogram say of this quantile? Answer in s.",
        draw=_buckets,
        given=_buckets_lines,
        slips=_buckets_slips,
        tolerance=0.015,
    ),
    Template(
        name="missing-seconds",
        tool="little_check",
        measure="missing_s",
        unit="s",
        ask="How many seconds does the latency's clock miss for each request? Answer in s.",
        draw=_agree,
        given=lambda case: (
            f"{case['finished_per_s']} requests finish a second; the mean latency says "
            f"{show(case['latency_s'])} s.",
            f"The gauges say {case['running']} running and {case['waiting']} waiting.",
        ),
        slips=_agree_slips,
        tolerance=0.04,
    ),
    Template(
        name="image-tokens",
        tool="media_tokens",
        measure="tokens",
        unit="tokens",
        ask="How many tokens do the images take?",
        draw=_images,
        given=lambda case: (
            f"Images: {case['images']}, each {show(case['width'])} by "
            f"{show(case['height'])} pixels.",
            f"Patches of {case['patch']} pixels a side, merged {case['merge']} by 2, and "
            f"{case['extra']} markers for each image.",
        ),
        slips=_images_slips,
        tolerance=0.0004,
    ),
    Template(
        name="peak-memory",
        tool="phase_memory",
        measure="peak_GB",
        unit="GB",
        ask="What is the peak of memory over the request? Answer in GB.",
        draw=_phases,
        given=_phases_lines,
        slips=_phases_slips,
        tolerance=0.008,
    ),
    Template(
        name="time-a-token",
        tool="stream_events",
        measure="tpot_ms",
        unit="ms",
        ask="What is the time per output token after the first? Answer in ms.",
        draw=_stream,
        given=_stream_lines,
        slips=_stream_slips,
    ),
    Template(
        name="chunk-pairs",
        tool="attention_ref",
        measure="pairs",
        unit="pairs",
        ask="How many pairs of query and key does causal attention compute?",
        draw=_pairs,
        given=lambda case: (
            f"A chunk of {case['queries']} queries stands at the end of {case['keys']} keys, "
            "itself among them.",
            f"There are {case['heads']} query heads.",
        ),
        slips=_pairs_slips,
        tolerance=0.008,
    ),
    Template(
        name="waited",
        tool="barrier_wait",
        measure="wait_ms",
        unit="ms",
        ask="How long does the fastest rank wait for the slowest? Answer in ms.",
        draw=_ranks,
        given=_ranks_lines,
        slips=_ranks_slips,
    ),
    Template(
        name="handoff",
        tool="kv_handoff",
        measure="stall_ms",
        unit="ms",
        ask="How long is the gap between the first and the second token? Answer in ms.",
        draw=_handoff,
        given=_handoff_lines,
        slips=_handoff_slips,
    ),
    Template(
        name="spill",
        tool="router_sim",
        measure="spill_threshold_ms",
        unit="ms",
        ask="By how much may the queue at home be longer before one goes elsewhere? Answer in ms.",
        draw=_spill,
        given=lambda case: (
            f"At home {show(case['shared_tokens'])} tokens of the prompt are cached, elsewhere "
            f"none; {case['own_tokens']} are new.",
            f"Prefill takes {case['prefill_ms_per_1k']} ms for 1,000 tokens.",
        ),
        slips=_spill_slips,
    ),
    Template(
        name="score-matrix",
        tool="attention_backward",
        measure="matrix_GB",
        unit="GB",
        ask="How much would it take to keep the weights of attention for backward? Answer in GB.",
        draw=_square,
        given=lambda case: (
            f"One layer of {case['heads']} heads, {show(case['tokens'])} tokens, 2 bytes a value.",
        ),
        slips=_square_slips,
    ),
)
