"""Numbers of time: a decode step, a prompt, a batch, a speculation, the gap to the floor."""

from collections.abc import Iterator
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import (
    BYTES,
    CONTEXTS,
    EIGHT_BITS,
    GPUS,
    SIZES_B,
    bandwidth_line,
    cache_bytes,
)

SPARSE = "the sparse peak was taken; dense is half of it"


def _read(rng: Random) -> dict[str, Any]:
    kind = rng.choice(tuple(BYTES))
    return {
        "weights_gb": rng.choice(SIZES_B) * BYTES[kind],
        "weight_dtype": kind,
        "gpu": rng.choice(GPUS),
    }


def _weights_line(case: Case) -> str:
    size = BYTES[case["weight_dtype"]]
    billions = case["weights_gb"] / size
    each = f"{size} byte{'s'[: size - 1]} each"
    return f"A dense model of {show(billions)} billion parameters in {each}."


def _read_slips(case: Case) -> Iterator[Named]:
    yield case.value * 2 / BYTES[case["weight_dtype"]], "two bytes a weight were taken; it has one"
    yield case.value / 2, "half of the bytes a weight were taken"
    yield case.value * 8, EIGHT_BITS
    other = "H100" if case["gpu"] != "H100" else "H200"
    yield case.other(gpu=other), f"that is the bandwidth of an {other}"


def _rate_slips(case: Case) -> Iterator[Named]:
    yield case.value / 2, "twice the bytes a weight were taken"
    yield case.value * 2, "half of the bytes a weight were taken"
    yield case.value / 8, EIGHT_BITS
    yield case.value * 8, "bytes were taken for bits"


def _step(rng: Random) -> dict[str, Any]:
    return {
        "model": "Llama-3.3-70B",
        "weights_gb": 70,
        "weight_dtype": "fp8",
        "kv_dtype": rng.choice(tuple(BYTES)),
        "gpu": rng.choice(("H200", "B200", "MI300X")),
        "batch": rng.choice((4, 8, 16, 24, 32)),
        "context": rng.choice(CONTEXTS[1:5]),
    }


def _step_lines(case: Case) -> Iterator[str]:
    yield f"The weights are {show(case['weights_gb'])} GB; each step reads all of them once."
    yield (
        f"{case['batch']} users hold {show(case['context'])} tokens each, "
        f"at {show(cache_bytes(case))} bytes of cache a token."
    )
    yield bandwidth_line(case)
    yield "Memory bounds the step; take the whole bandwidth."


def _step_slips(case: Case) -> Iterator[Named]:
    yield case.measure("weights_ms"), "the cache was left out"
    yield case.other(batch=1), "the cache of one user was taken, not of all of them"
    yield case.measure("kv_ms"), "the weights were left out"
    yield case.value * 8, EIGHT_BITS


def _throughput_slips(case: Case) -> Iterator[Named]:
    yield case.value / case["batch"], "that is one user's speed, not all of theirs together"
    yield case["batch"] * 1000 / case.measure("weights_ms"), "the cache was left out"
    alone = case.measure("weights_ms") + case.measure("kv_ms") / case["batch"]
    yield case["batch"] * 1000 / alone, "the cache of one user was taken, not of all of them"


def _prompt(rng: Random) -> dict[str, Any]:
    return {
        "params_b": rng.choice((14, 32, 70, 72)),
        "tokens": rng.choice((2048, 4096, 8192, 16384)),
        "weight_dtype": "fp8",
        "gpu": rng.choice(("H100", "H200", "B200", "L40S")),
        "compute_efficiency": rng.choice((0.4, 0.5, 0.6)),
    }


def _prompt_lines(case: Case) -> Iterator[str]:
    yield f"A dense model of {case['params_b']} billion parameters; attention is left out."
    yield f"The prompt has {show(case['tokens'])} tokens."
    yield f"{case['gpu']}: {case.gpu.fp8_tflops:,.0f} TFLOPS, dense, in the precision used."
    yield f"The GPU reaches {show(case['compute_efficiency'] * 100)}% of that."


def _prompt_slips(case: Case) -> Iterator[Named]:
    yield case.value / 2, "one FLOP a weight was taken; a multiply and an add are two"
    yield case.value * case["compute_efficiency"], "the efficiency was left out"
    yield case.value * case["compute_efficiency"] / 2, "one FLOP a weight, and no efficiency"
    yield case.value * 2, "the 16-bit peak was taken"


def _ridge(rng: Random) -> dict[str, Any]:
    kind = rng.choice(("bf16", "fp8"))
    shape = {"op": "linear", "k": 8192, "n": 8192}
    gpu = rng.choice((*GPUS, "L4", "GB200", "MI325X", "H100-NVL"))
    return {**shape, "weight_dtype": kind, "math_dtype": kind, "gpu": gpu}


def _ridge_lines(case: Case) -> Iterator[str]:
    peak = case.gpu.peak_tflops(case["math_dtype"]) or 0
    yield f"{case['gpu']}: {peak:,.5g} TFLOPS, dense, in the precision used."
    yield bandwidth_line(case)


def _speculate(rng: Random) -> dict[str, Any]:
    return {
        "alpha": rng.choice((0.6, 0.7, 0.75, 0.8, 0.9)),
        "gamma": rng.choice((2, 3, 4, 5)),
        "draft_cost": rng.choice((0.05, 0.1, 0.15)),
    }


def _speculate_lines(case: Case) -> Iterator[str]:
    yield f"The draft proposes {case['gamma']} tokens a step."
    yield f"Each is accepted with probability {case['alpha']:g}, up to the first refusal."
    yield "The target adds one token of its own."


def _gap(rng: Random) -> dict[str, Any]:
    floor, kernels, host = (rng.randrange(80, 160) / 10 for _ in range(3))
    kernels, host = round(kernels / 5, 1), round(host / 8, 1)
    rest = rng.randrange(8, 40) / 10
    buckets = [
        {"name": "kernels below the bandwidth", "ms": kernels, "kind": "kernel"},
        {"name": "host work", "ms": host, "kind": "host"},
    ]
    measured = round(floor + kernels + host + rest, 1)
    return {"floor_ms": floor, "measured_ms": measured, "buckets": buckets}


def _gap_lines(case: Case) -> Iterator[str]:
    yield f"Floor of a step: {show(case['floor_ms'])} ms. Measured: {show(case['measured_ms'])} ms."
    for bucket in case["buckets"]:
        yield f"The profile shows {show(bucket['ms'])} ms of {bucket['name']}."


def _curve(rng: Random) -> dict[str, Any]:
    return {
        "step_base_ms": rng.choice((8, 12, 14.6, 20)),
        "step_per_sequence_ms": rng.choice((0.1, 0.2, 0.4, 0.56)),
        "batch": rng.choice((8, 16, 32, 64)),
    }


def _curve_slips(case: Case) -> Iterator[Named]:
    base, each = case["step_base_ms"], case["step_per_sequence_ms"]
    yield case.value / case["batch"], "that is one user's speed, not all of theirs together"
    yield case["batch"] * 1000 / base, "the growth with the batch was left out"
    yield case["batch"] * 1000 / (base + each), "the growth was counted for one sequence only"


TEMPLATES = (
    Template(
        name="weights-read",
        tool="decode_roofline",
        measure="weights_ms",
        unit="ms",
        ask="How long does one read of all weights take at least? Answer in ms.",
        draw=_read,
        given=lambda case: (_weights_line(case), bandwidth_line(case)),
        slips=_read_slips,
    ),
    Template(
        name="user-speed",
        tool="decode_roofline",
        measure="tokens_per_second_per_user",
        unit="tokens/s",
        ask="How many tokens a second can one user alone get at most? Leave the cache out.",
        draw=_read,
        given=lambda case: (_weights_line(case), bandwidth_line(case)),
        slips=_rate_slips,
    ),
    Template(
        name="decode-step",
        tool="decode_roofline",
        measure="memory_ms",
        unit="ms",
        ask="How long does one decode step take at least? Answer in ms.",
        draw=_step,
        given=_step_lines,
        slips=_step_slips,
    ),
    Template(
        name="decode-throughput",
        tool="decode_roofline",
        measure="tokens_per_second",
        unit="tokens/s",
        ask="How many tokens a second do all users get together at most?",
        draw=_step,
        given=_step_lines,
        slips=_throughput_slips,
    ),
    Template(
        name="first-token",
        tool="prefill_roofline",
        measure="ttft_estimate_ms",
        unit="ms",
        ask="How long does the prefill of the prompt take? Answer in ms.",
        draw=_prompt,
        given=_prompt_lines,
        slips=_prompt_slips,
    ),
    Template(
        name="ridge",
        tool="op_intensity",
        measure="ridge",
        unit="FLOP/B",
        ask="From how many FLOPs a byte on is this GPU bound by arithmetic?",
        draw=_ridge,
        given=_ridge_lines,
        slips=lambda case: (
            (case.value * 2, SPARSE),
            (case.value / 8, "bytes were taken for bits"),
            (case.value / 1000, "tera was lost between FLOPs and bytes"),
        ),
    ),
    Template(
        name="tokens-a-step",
        tool="spec_decode",
        measure="expected_tokens",
        unit="tokens",
        ask="How many tokens does a step yield on average? Give two decimals.",
        draw=_speculate,
        given=_speculate_lines,
        slips=lambda case: (
            (case.measure("accepted_drafts"), "the target's own token was left out"),
            (1 + case["alpha"] * case["gamma"], "a refusal ends the rest of the draft as well"),
        ),
        tolerance=0.015,
    ),
    Template(
        name="speculation-speedup",
        tool="spec_decode",
        measure="speedup",
        unit="x",
        ask="How many times as fast is decoding with this draft? Give two decimals.",
        draw=_speculate,
        given=lambda case: (
            *_speculate_lines(case),
            f"A step of the draft costs {case['draft_cost']:g} of a step of the target.",
        ),
        slips=lambda case: (
            (case.measure("expected_tokens"), "the draft's own time was left out"),
            (
                case.measure("expected_tokens") / (1 + case["draft_cost"]),
                "one draft step was paid for, not all of them",
            ),
        ),
        tolerance=0.015,
    ),
    Template(
        name="unexplained",
        tool="step_gap",
        measure="unexplained_ms",
        unit="ms",
        ask="How much of the step does the profile leave unexplained? Answer in ms.",
        draw=_gap,
        given=_gap_lines,
        slips=lambda case: (
            (case.measure("gap_ms"), "the buckets of the profile were not taken off"),
            (case["measured_ms"] - case.measure("explained_ms"), "the floor was not taken off"),
        ),
    ),
    Template(
        name="batch-throughput",
        tool="batching_curve",
        measure="tokens_per_second",
        unit="tokens/s",
        ask="How many tokens a second does a batch of {batch} yield together?",
        draw=_curve,
        given=lambda case: (
            f"A step takes {show(case['step_base_ms'])} ms, "
            f"and {show(case['step_per_sequence_ms'])} ms more for each sequence of the batch.",
            f"The batch holds {case['batch']} sequences; each gets one token a step.",
        ),
        slips=_curve_slips,
    ),
)
