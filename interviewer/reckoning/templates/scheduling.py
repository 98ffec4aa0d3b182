"""Numbers of a scheduler and of a service under load: chunks, bursts, hits, streams, regions."""

from collections.abc import Iterator
from math import ceil
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import EIGHT_BITS

BLOCK = 16


def _chunk(rng: Random) -> dict[str, Any]:
    return {
        "tpot_ms": rng.choice((30, 40, 50)),
        "ttft_ms": 2000,
        "decode_ms": rng.choice((12, 15, 18, 22)),
        "prefill_us_per_token": rng.choice((40, 50, 80, 100)),
        "prompt_tokens": 4096,
    }


def _chunk_slips(case: Case) -> Iterator[Named]:
    each = case["prefill_us_per_token"]
    yield case["tpot_ms"] * 1000 / each, "the decode step was not taken off"
    yield case["decode_ms"] * 1000 / each, "the decode step was taken for what is left"
    yield case.value / 1000, "milliseconds were divided by microseconds as they stand"


def _burst(rng: Random) -> dict[str, Any]:
    capacity = rng.choice((100, 200, 400))
    return {
        "capacity_per_s": capacity,
        "base_per_s": capacity * rng.choice((6, 7, 8)) // 10,
        "spike_per_s": capacity * rng.choice((13, 15, 18)) // 10,
        "spike_s": rng.choice((30, 60, 120)),
        "deadline_s": 10,
    }


def _burst_slips(case: Case) -> Iterator[Named]:
    backlog = case.measure("backlog")
    yield backlog / case["capacity_per_s"], "the usual load comes in while the backlog drains"
    over = (case["spike_per_s"] - case["base_per_s"]) * case["spike_s"]
    spare = case["capacity_per_s"] - case["base_per_s"]
    yield over / spare, "what was above the usual load was counted, not above the capacity"
    yield float(case["spike_s"]), "the backlog is not gone when the burst is"


def _regions(rng: Random) -> dict[str, Any]:
    count = rng.choice((3, 4, 5))
    each = (count - 1) * rng.choice((4, 5, 6, 8, 10, 12))
    names = ("us", "eu", "asia", "india", "brazil")[:count]
    regions = [
        {"name": name, "replicas": [each], "nearest": names[n - 1]} for n, name in enumerate(names)
    ]
    return {"regions": regions}


def _regions_slips(case: Case) -> Iterator[Named]:
    each, count = case["regions"][0]["replicas"][0], len(case["regions"])
    yield float(each * count), "no region may be lost with that"
    yield float(each * count + each), "the lost region's spare is lost with it"
    yield float(2 * each * count), "everything was doubled; one region is lost, not all"


def _period_slips(case: Case) -> Iterator[Named]:
    n, usual = case["every_steps"], case["step_ms"]
    yield n * usual / 1000, "the slow step was counted as a usual one"
    yield n * case["slow_ms"] / 1000, "every step was counted as a slow one"


def _steps(rng: Random) -> dict[str, Any]:
    budget = rng.choice((512, 1024, 2048))
    prompt = budget * rng.choice((2, 3, 5)) + rng.choice((0, 100, 300))
    reply = rng.choice((4, 8, 10))
    return {"requests": f"{prompt} {reply}", "budget": budget, "blocks": 20_000}


def _steps_slips(case: Case) -> Iterator[Named]:
    prompt, reply = (int(word) for word in case["requests"].split())
    chunks = ceil(prompt / case["budget"])
    yield float(chunks + reply), "the last chunk already gives the first token"
    yield float(1 + reply - 1), "the prompt does not fit into one step"
    yield float(prompt // case["budget"] + reply - 1), "the last, partial chunk takes a step too"


def _request(case: Case) -> tuple[int, int]:
    prompt, reply = case["requests"].split()
    return int(prompt), int(reply)


def _shared(rng: Random) -> tuple[int, int]:
    """Tokens that two prompts share, and how many more each has."""
    return BLOCK * rng.choice((2, 3, 5, 7)) + rng.randrange(1, BLOCK), rng.randrange(18, 40)


def _blocks(rng: Random) -> dict[str, Any]:
    shared, more = _shared(rng)
    a, b = f"1-{shared},1001-{1000 + more}", f"1-{shared},2001-{2000 + more}"
    return {"ops": f"admit a {a}; free a; admit b {b}", "blocks": 65}


def _radix(rng: Random) -> dict[str, Any]:
    shared, more = _shared(rng)
    a, b = f"1-{shared},1001-{1000 + more}", f"1-{shared},2001-{2000 + more}"
    return {"ops": f"admit a {a}; finish a; admit b {b}", "capacity": 600}


def _alike(case: Case) -> int:
    return int(case["ops"].split("1-")[1].split(",")[0])


def _alike_lines(case: Case) -> Iterator[str]:
    shared = _alike(case)
    first, last = case["ops"].rpartition(",")[2].split("-")
    yield f"A prompt was served. The next one begins with the same {shared} tokens,"
    yield f"and has {int(last) - int(first) + 1} others after them."


def _waste(rng: Random) -> dict[str, Any]:
    names = "abcdef"[: rng.choice((2, 3, 4, 5))]
    admitted = "; ".join(f"admit {name} 20 max=8" for name in names)
    ended = names[: rng.randrange(1, len(names) + 1)]
    events = f"{admitted}; launch; launch; return {' '.join(f'{n}:eos' for n in ended)}; return"
    return {"events": events, "pages": 64}


def _ended(case: Case) -> int:
    return int(case["events"].count(":eos"))


def _waste_slips(case: Case) -> Iterator[Named]:
    running = case["events"].count("admit")
    yield float(running), "the rows of requests that go on are not wasted"
    yield 2.0 * _ended(case), "one step was in flight behind the end, not two"
    yield 0.0, "the step that was in flight had already begun for them"


def _stall(rng: Random) -> dict[str, Any]:
    return {
        "tokens_per_s": rng.choice((40, 50, 80, 100)),
        "frame_bytes": rng.choice((150, 200, 250)),
        "client_bytes_per_s": 1_000_000,
        "stall_from_s": 1,
        "stall_s": rng.choice((5, 8, 10, 15)),
        "budget_bytes": 10_000_000,
    }


def _held(rng: Random) -> dict[str, Any]:
    stop = "#" * rng.choice((4, 5, 6, 7))
    part = rng.randrange(1, len(stop) - 1)
    text = f"{'abc'[: rng.randrange(1, 4)]}{'#' * part}z"
    return {"tokens": list(text), "stops": [stop]}


def _held_slips(case: Case) -> Iterator[Named]:
    stop = len(case["stops"][0])
    yield float(stop), "the whole stop string never stands in the text"
    yield float(stop - 1), "only what may begin a stop string is held, not always that much"
    yield 0.0, "what was sent cannot be taken back; it must be held"


TEMPLATES = (
    Template(
        name="chunk",
        tool="chunk_admission",
        measure="chunk_tokens",
        unit="tokens",
        ask="How many prefill tokens may a step take beside the decodes?",
        draw=_chunk,
        given=lambda case: (
            f"A token may take {case['tpot_ms']} ms. A step of decodes alone takes "
            f"{case['decode_ms']} ms.",
            f"Each prefill token adds {case['prefill_us_per_token']} microseconds.",
        ),
        slips=_chunk_slips,
    ),
    Template(
        name="drain",
        tool="spike",
        measure="drain_s",
        unit="s",
        ask="How long after the burst is its backlog gone? Answer in s.",
        draw=_burst,
        given=lambda case: (
            f"The service does {case['capacity_per_s']} requests a second; usually "
            f"{case['base_per_s']} arrive.",
            f"For {case['spike_s']} seconds {case['spike_per_s']} a second arrive.",
        ),
        slips=_burst_slips,
    ),
    Template(
        name="regions",
        tool="region_failover",
        measure="replicas",
        unit="replicas",
        ask="How many replicas are needed in all, so that any one region may be lost?",
        draw=_regions,
        given=lambda case: (
            f"{len(case['regions'])} regions, each with as many replicas as the others.",
            f"Each region's own traffic needs {case['regions'][0]['replicas'][0]} replicas, all "
            "at the same hour; the others take it over.",
        ),
        slips=_regions_slips,
        tolerance=0.01,
    ),
    Template(
        name="slow-period",
        tool="tail_steps",
        measure="period_s",
        unit="s",
        ask="How much time lies between two slow steps? Answer in s.",
        draw=lambda rng: {
            "step_ms": rng.choice((15, 20, 25)),
            "slow_ms": rng.choice((180, 250, 400)),
            "every_steps": rng.choice((20, 30, 40)),
        },
        given=lambda case: (
            f"One step of every {case['every_steps']} takes {case['slow_ms']} ms, "
            f"the others take {case['step_ms']} ms.",
        ),
        slips=_period_slips,
        tolerance=0.02,
    ),
    Template(
        name="steps",
        tool="engine_sim",
        measure="steps",
        unit="steps",
        ask="In how many steps is the request done?",
        draw=_steps,
        given=lambda case: (
            f"A prompt of {show(_request(case)[0])} tokens, alone; "
            f"{_request(case)[1]} tokens are to come out.",
            f"A step takes at most {show(case['budget'])} tokens; the prompt goes in by chunks.",
        ),
        slips=_steps_slips,
        tolerance=0.01,
    ),
    Template(
        name="block-hits",
        tool="block_manager_sim",
        measure="hit_tokens",
        unit="tokens",
        ask="How many tokens of the second prompt come from the cache?",
        draw=_blocks,
        given=lambda case: (*_alike_lines(case), f"Only full blocks of {BLOCK} tokens are kept."),
        slips=lambda case: (
            (float(_alike(case)), "a block that is not full cannot be hit"),
            (float(ceil(_alike(case) / BLOCK) * BLOCK), "the last block differs at its end"),
            (float(_alike(case) // BLOCK), "those are blocks, not tokens"),
        ),
        tolerance=0.005,
    ),
    Template(
        name="radix-hits",
        tool="radix_sim",
        measure="hit_tokens",
        unit="tokens",
        ask="How many tokens of the second prompt come from the cache?",
        draw=_radix,
        given=lambda case: (*_alike_lines(case), "A radix tree splits an edge at any token."),
        slips=lambda case: (
            (float(_alike(case) // BLOCK * BLOCK), "a tree needs no full block of 16"),
            (_alike(case) - 1.0, "one is recomputed only where the whole prompt is known"),
        ),
        tolerance=0.002,
    ),
    Template(
        name="wasted-tokens",
        tool="async_engine_ref",
        measure="wasted_tokens",
        unit="tokens",
        ask="How many tokens were computed for nothing?",
        draw=_waste,
        given=lambda case: (
            f"{case['events'].count('admit')} requests run; a step is launched before the last "
            "one's tokens are back.",
            f"In the first step's tokens {_ended(case)} of them turn out to have ended, while "
            "the next step, with all of them, is in flight.",
        ),
        slips=_waste_slips,
        tolerance=0.01,
    ),
    Template(
        name="stalled-bytes",
        tool="stream_buffer",
        measure="stall_bytes",
        unit="kB",
        scale=1e-3,
        ask="How much waits for the client at the end of its stall? Answer in kB of 1,000 bytes.",
        draw=_stall,
        given=lambda case: (
            f"{case['tokens_per_s']} tokens a second, a frame of {case['frame_bytes']} bytes each.",
            f"The client reads nothing for {case['stall_s']} seconds.",
        ),
        slips=lambda case: (
            (case.value * 8, EIGHT_BITS),
            (case.value / case["stall_s"], "that is one second of the stall"),
            (case["tokens_per_s"] * case["stall_s"] / 1000, "the size of a frame was left out"),
        ),
    ),
    Template(
        name="held-back",
        tool="detokenize_stream",
        measure="longest_held",
        unit="characters",
        ask="How many characters are held back at most?",
        draw=_held,
        given=lambda case: (
            f"The text comes character by character: {''.join(case['tokens'])}",
            f"The stop string is {case['stops'][0]} and is never to be sent.",
        ),
        slips=_held_slips,
        tolerance=0.01,
    ),
)
