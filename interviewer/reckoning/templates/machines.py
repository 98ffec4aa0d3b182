"""Numbers of many GPUs and of one kernel: pipelines, collectives, experts, formats, an SM."""

from collections.abc import Iterator
from math import ceil
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import EIGHT_BITS

REGISTERS, THREADS = 65_536, 2_048
FORMATS = {"mxfp4": (4, 8, 32), "nvfp4": (4, 8, 16), "int4_g128": (4, 16, 128)}
"""Bits of a value, bits of a scale, values that share one."""


def _pipeline_slips(case: Case) -> Iterator[Named]:
    p, m = case["stages"], case["microbatches"]
    yield 100 * (p - 1) / m, "the stages' fill was left out of the total"
    yield 100 * p / (m + p), "one stage works while the others fill; p - 1 wait"
    yield 100 * m / (m + p - 1), "that is the share that is used, not the bubble"


def _ring(rng: Random) -> dict[str, Any]:
    return {
        "gpus": rng.choice((2, 4, 8)),
        "message_bytes": rng.choice((16, 32, 64, 128, 256)) * 1_000_000,
        "link_gb_s": rng.choice((50, 100, 200, 450)),
        "latency_us": 0,
        "algorithm": "ring",
    }


def _ring_lines(case: Case) -> Iterator[str]:
    megabytes = case["message_bytes"] // 1_000_000
    yield f"{case['gpus']} GPUs reduce a message of {megabytes} MB in a ring."
    yield f"Each link carries {case['link_gb_s']} GB a second each way; latency is left out."


def _ring_slips(case: Case) -> Iterator[Named]:
    once = case["message_bytes"] / case["link_gb_s"] / 1e6
    yield case.value / 2, "that is the reduce-scatter; the all-gather sends as much again"
    yield once, "the message was sent once"
    yield 2 * once, "each GPU sends (n - 1)/n of the message twice, not all of it"


def _experts(rng: Random) -> dict[str, Any]:
    experts, active = rng.choice(((8, 2), (64, 6), (128, 8), (256, 8)))
    return {"experts": experts, "per_token": active, "batch": rng.choice((4, 8, 16, 32))}


def _expert_slips(case: Case) -> Iterator[Named]:
    yield float(case["batch"] * case["per_token"]), "tokens that share an expert read it once"
    yield float(case["experts"]), "not every expert is hit"
    yield float(case["per_token"]), "that is one token's experts"


def _packed(rng: Random) -> dict[str, Any]:
    return {"format": rng.choice(tuple(FORMATS)), "params_b": rng.choice((8, 14, 32, 70, 72, 120))}


def _packed_lines(case: Case) -> Iterator[str]:
    bits, scale, group = FORMATS[case["format"]]
    yield f"{case['params_b']} billion weights, all of them packed."
    yield f"{bits} bits a weight, and a scale of {scale} bits for every {group} weights."


def _packed_slips(case: Case) -> Iterator[Named]:
    bits, scale, _ = FORMATS[case["format"]]
    yield case["params_b"] * bits / 8, "the scales were left out"
    yield case["params_b"] * (bits + scale) / 8, "a scale was counted for every weight"
    yield case.value * 8, EIGHT_BITS


def _blocks(rng: Random) -> dict[str, Any]:
    threads = rng.choice((128, 256, 512))
    registers = rng.choice((32, 48, 64, 80, 96, 128))
    return {"gpu": "H100", "threads": threads, "registers": registers}


def _blocks_slips(case: Case) -> Iterator[Named]:
    yield float(THREADS // case["threads"]), "the registers were left out"
    yield (
        float(REGISTERS // case["registers"]),
        "the registers of one thread were counted as a block's",
    )
    exact = REGISTERS / case["registers"] / case["threads"]
    yield float(ceil(exact)), "a block that fits in part does not run"


def _mask_slips(case: Case) -> Iterator[Named]:
    yield case.value * 8, "a byte a token was taken; the mask has a bit"
    yield case.value * 32, "four bytes a token were taken; the mask has a bit"
    yield case.value / case["batch"], "that is one request's mask"


def _wave_lines(case: Case) -> Iterator[str]:
    yield f"The GPU has {case['sms']} SMs; each runs one tile at a time, all take as long."
    yield f"The matrix product has {case['tiles']} tiles."


def _wave_slips(case: Case) -> Iterator[Named]:
    waves = case["tiles"] / case["sms"]
    yield 100 * (waves % 1), "that is how full the last wave is"
    yield 100 / waves, "that is one wave over the waves"
    yield 100 * int(waves) / ceil(waves), "the tiles of the last wave were left out"


TEMPLATES = (
    Template(
        name="bubble",
        tool="pipeline",
        measure="bubble",
        unit="%",
        scale=100,
        ask="Which share of the time do the stages of this pipeline idle? Answer in percent.",
        draw=lambda rng: {
            "stages": rng.choice((2, 3, 4, 6, 8)),
            "microbatches": rng.choice((4, 8, 12, 16, 32)),
            "step_ms": 20,
        },
        given=lambda case: (
            f"{case['stages']} pipeline stages of equal length, "
            f"{case['microbatches']} microbatches, then a flush.",
        ),
        slips=_pipeline_slips,
        tolerance=0.02,
    ),
    Template(
        name="ring",
        tool="collectives",
        measure="time_us",
        unit="ms",
        scale=1e-3,
        ask="How long does the all-reduce take? Answer in ms.",
        draw=_ring,
        given=_ring_lines,
        slips=_ring_slips,
    ),
    Template(
        name="experts",
        tool="moe",
        measure="distinct_experts",
        unit="experts",
        ask="How many distinct experts of a layer does one step read, on average?",
        draw=_experts,
        given=lambda case: (
            f"A layer has {case['experts']} experts; the router gives each token "
            f"{case['per_token']} of them, evenly and independently.",
            f"The batch has {case['batch']} tokens.",
        ),
        slips=_expert_slips,
    ),
    Template(
        name="packed-weights",
        tool="quant_planner",
        measure="weights_GB",
        unit="GB",
        ask="How large are the packed weights? Answer in GB.",
        draw=_packed,
        given=_packed_lines,
        slips=_packed_slips,
        tolerance=0.015,
    ),
    Template(
        name="blocks-on-sm",
        tool="occupancy",
        measure="blocks_per_sm",
        unit="blocks",
        ask="How many blocks of this kernel run on one SM at once?",
        draw=_blocks,
        given=lambda case: (
            f"An SM has {REGISTERS:,} registers and room for {THREADS:,} threads.",
            f"A block has {case['threads']} threads of {case['registers']} registers each; "
            "nothing else limits it.",
        ),
        slips=_blocks_slips,
        tolerance=0.01,
    ),
    Template(
        name="grammar-mask",
        tool="grammar_mask",
        measure="batch_bytes",
        unit="kB",
        scale=1e-3,
        ask="How large are the masks of one step? Answer in kB, of 1,000 bytes.",
        draw=lambda rng: {
            "vocab": rng.choice((32_000, 128_256, 151_936, 200_064)),
            "batch": rng.choice((8, 16, 32, 64)),
            "forward_ms": 20,
        },
        given=lambda case: (
            f"Each of {case['batch']} requests has a mask of one bit for each of "
            f"{show(case['vocab'])} tokens of the vocabulary.",
        ),
        slips=_mask_slips,
    ),
    Template(
        name="wave-share",
        tool="waves",
        measure="efficiency",
        unit="%",
        scale=100,
        ask="Which share of the SMs' time does this kernel use? Answer in percent.",
        draw=lambda rng: {
            "tiles": rng.choice((150, 180, 200, 250, 300, 400)),
            "sms": rng.choice((108, 132, 148)),
        },
        given=_wave_lines,
        slips=_wave_slips,
        tolerance=0.015,
    ),
)
