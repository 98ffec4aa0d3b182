"""Numbers of adapters, jobs and changes: what they take, save and explain."""

from collections.abc import Iterator
from math import ceil
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import EIGHT_BITS

PER_RANK = {"Llama-3.1-8B": 2_621_440, "Llama-3.3-70B": 12_943_360, "Qwen3-8B": 2_727_936}
"""Adapter parameters for each step of rank, over all linear layers."""


def _pools(rng: Random) -> dict[str, Any]:
    first = {
        "name": "H100",
        "replicas": rng.choice((10, 20, 30)),
        "gpus_per_replica": 8,
        "requests_per_s": rng.choice((4, 5)),
    }
    second = {
        "name": "B200",
        "replicas": rng.choice((5, 10, 15)),
        "gpus_per_replica": 4,
        "requests_per_s": rng.choice((9, 11)),
    }
    return {"pools": [first, second], "demand_per_s": 100}


def _pools_lines(case: Case) -> Iterator[str]:
    for pool in case["pools"]:
        yield (
            f"{pool['name']}: {pool['replicas']} replicas of {pool['gpus_per_replica']} GPUs, "
            f"{pool['requests_per_s']} requests a second each."
        )
    yield "A unit is what one replica of the first pool does."


def _pools_slips(case: Case) -> Iterator[Named]:
    first, second = case["pools"]
    yield float(first["replicas"] + second["replicas"]), "replicas of different speed were added"
    gpus = sum(pool["replicas"] * pool["gpus_per_replica"] for pool in case["pools"])
    yield gpus / first["gpus_per_replica"], "GPUs were counted; they do not do the same"
    yield case.measure("capacity_per_s"), "that is requests a second, not units"


def _job(rng: Random) -> dict[str, Any]:
    one = {
        "name": "extract",
        "documents": rng.choice((1_000_000, 5_000_000, 20_000_000)),
        "input_tokens": rng.choice((800, 1500, 3000)),
        "output_tokens": rng.choice((100, 200, 400)),
        "prefill_tokens_per_s": rng.choice((10_000, 20_000, 30_000)),
        "decode_tokens_per_s": rng.choice((2_000, 4_000)),
    }
    return {"passes": [one], "gpu_usd_h": 2.5}


def _job_lines(case: Case) -> Iterator[str]:
    (one,) = case["passes"]
    yield (
        f"{show(one['documents'])} documents, {show(one['input_tokens'])} tokens in and "
        f"{one['output_tokens']} out each."
    )
    yield (
        f"A GPU prefills {show(one['prefill_tokens_per_s'])} tokens a second or decodes "
        f"{show(one['decode_tokens_per_s'])}, one or the other."
    )


def _job_slips(case: Case) -> Iterator[Named]:
    (one,) = case["passes"]
    reading = one["documents"] * one["input_tokens"] / one["prefill_tokens_per_s"] / 3600
    yield reading, "the output was left out"
    yield case.value - reading, "the input was left out"
    yield case.value * 60, "minutes were given for hours"


def _cost(rng: Random) -> dict[str, Any]:
    return {
        "prompt_tokens": rng.choice((4_000, 16_000, 64_000)),
        "output_tokens": rng.choice((400, 800, 1600)),
        "prefill_tokens_per_s": rng.choice((8_000, 16_000)),
        "step_ms": rng.choice((20, 25, 40)),
        "batch": rng.choice((8, 16, 32)),
        "kv_bytes_per_token": 327_680,
        "kv_pool_gb": 220,
    }


def _cost_slips(case: Case) -> Iterator[Named]:
    alone = case["output_tokens"] * case["step_ms"] / 1000
    yield case.measure("prefill_s") + alone, "a step is shared by the whole batch"
    yield case.measure("prefill_s"), "the output was left out"
    yield case.measure("decode_s"), "the prompt was left out"


def _adapter(rng: Random) -> dict[str, Any]:
    model = rng.choice(tuple(PER_RANK))
    return {
        "params_per_rank": PER_RANK[model],
        "rank": rng.choice((4, 8, 16, 24, 32, 48, 64)),
        "max_rank": 64,
    }


def _turns(rng: Random) -> dict[str, Any]:
    distinct = rng.choice((4, 8, 16))
    return {
        "base_ms": rng.choice((12, 15, 20)),
        "adapter_mb": rng.choice((200, 400, 800)),
        "bandwidth_tb_s": rng.choice((3.35, 4.8)),
        "batch": 32,
        "adapters": distinct,
        "distinct": distinct,
        "slots": distinct,
    }


def _turns_slips(case: Case) -> Iterator[Named]:
    each = case.measure("per_adapter_ms")
    yield case["base_ms"] + 32 * each, "an adapter is read once a step, not once a sequence"
    yield case["distinct"] * each, "the base model's step was left out"
    yield case["base_ms"] + 8 * case["distinct"] * each, EIGHT_BITS


def _tunes(rng: Random) -> dict[str, Any]:
    return {
        "adapters": rng.choice((50, 200, 500)),
        "adapter_mb": 400,
        "gpus_per_replica": rng.choice((1, 2, 4)),
        "requests_per_s": rng.choice((18, 30, 41)),
        "replica_requests_per_s": rng.choice((4, 5)),
        "slots": 16,
        "host_gb": 400,
        "spare": 1,
    }


def _tunes_slips(case: Case) -> Iterator[Named]:
    gpus = case["gpus_per_replica"]
    exact = case["requests_per_s"] / case["replica_requests_per_s"]
    yield float(ceil(exact) * gpus), "the one that stands by was left out"
    yield float((int(exact) + 1) * gpus), "replicas come whole; the load was rounded down"
    yield float(ceil(exact) + 1), "those are replicas, not GPUs"
    yield float(case["adapters"] * gpus), "that is one merged copy for every fine-tune"


def _training(rng: Random) -> dict[str, Any]:
    return {
        "params_b": rng.choice((8, 32, 70)),
        "tokens_b": rng.choice((0.5, 1, 2)),
        "peak_tflops": rng.choice((989, 2250)),
        "mfu": rng.choice((0.3, 0.35, 0.4)),
        "gpu_usd_h": 2.5,
        "fleet_gpus": 64,
        "fleet_factor": 0.6,
    }


def _training_slips(case: Case) -> Iterator[Named]:
    yield case.value * 6 / 8, "the teacher's forward pass was left out"
    yield case.value * case["mfu"], "the utilisation was left out"
    yield case.value * 2 / 8, "only a forward pass was counted"


def _dilution(rng: Random) -> dict[str, Any]:
    names = ("batch fill", "prefill in the steps", "longer context")
    shares = rng.sample((0.6, 0.7, 0.75, 0.8, 0.9), 3)
    factors = [{"name": name, "share": share} for name, share in zip(names, shares, strict=True)]
    return {"claimed": rng.choice((2000, 2600, 4000)), "measured": 900, "factors": factors}


def _dilution_lines(case: Case) -> Iterator[str]:
    yield f"The benchmark claims {show(case['claimed'])} tokens a second."
    yield "In production each of these leaves only a share of it:"
    for factor in case["factors"]:
        yield f"{factor['name']}: {show(factor['share'] * 100)}%."


def _dilution_slips(case: Case) -> Iterator[Named]:
    shares = [factor["share"] for factor in case["factors"]]
    lost = sum(1 - share for share in shares)
    yield max(0.0, case["claimed"] * (1 - lost)), "the losses were added; shares multiply"
    yield case["claimed"] * sum(shares) / 3, "the mean of the shares was taken"
    yield case["claimed"] * min(shares), "only the largest loss was counted"


def _narrow(rng: Random) -> dict[str, Any]:
    return {
        "before_ms": rng.choice((16, 20, 30)),
        "after_ms": 15,
        "weights_share": rng.choice((0.5, 0.6, 0.7, 0.8)),
        "bytes_ratio": rng.choice((2, 4)),
    }


def _narrow_slips(case: Case) -> Iterator[Named]:
    before, share = case["before_ms"], case["weights_share"]
    yield before / case["bytes_ratio"], "only the reads of the weights shrink, not the whole step"
    yield before * share / case["bytes_ratio"], "what is not weights was left out"
    yield before * (1 - share), "the weights are still read, at fewer bytes"


def _slow(rng: Random) -> dict[str, Any]:
    return {
        "comm_share": rng.choice((0.1, 0.2, 0.25, 0.3)),
        "slowdown": rng.choice((2, 3, 4, 5)),
        "step_ms": rng.choice((20, 30, 40)),
        "nodes": rng.choice((8, 16)),
    }


def _slow_slips(case: Case) -> Iterator[Named]:
    step, share, times = case["step_ms"], case["comm_share"], case["slowdown"]
    yield step * times, "only the communication is slower, not the whole step"
    mean = 1 + (times - 1) / case["nodes"]
    yield step * (1 - share + share * mean), "a collective runs at its slowest link, not the mean"
    yield step * (1 + share * times), "the communication was counted twice"


TEMPLATES = (
    Template(
        name="units",
        tool="capacity_units",
        measure="units",
        unit="units",
        ask="What is the fleet's capacity in units?",
        draw=_pools,
        given=_pools_lines,
        slips=_pools_slips,
    ),
    Template(
        name="job-hours",
        tool="offline_job",
        measure="gpu_hours",
        unit="hours",
        ask="How many GPU hours does the job take?",
        draw=_job,
        given=_job_lines,
        slips=_job_slips,
    ),
    Template(
        name="request-seconds",
        tool="request_cost",
        measure="compute_s",
        unit="s",
        ask="How many seconds of a replica does one request use? Answer in s.",
        draw=_cost,
        given=lambda case: (
            f"A prompt of {show(case['prompt_tokens'])} tokens, prefilled at "
            f"{show(case['prefill_tokens_per_s'])} a second.",
            f"{show(case['output_tokens'])} tokens out, a step of {case['step_ms']} ms each, "
            f"in a batch of {case['batch']}.",
        ),
        slips=_cost_slips,
    ),
    Template(
        name="adapter",
        tool="lora_memory",
        measure="adapter_MB",
        unit="MB",
        ask="How large is the adapter? Answer in MB.",
        draw=_adapter,
        given=lambda case: (
            f"Each step of rank takes {show(case['params_per_rank'])} parameters.",
            f"The rank is {case['rank']}; a parameter takes 2 bytes.",
        ),
        slips=lambda case: (
            (case.value / 2, "one byte a parameter was taken"),
            (case.value * 8, EIGHT_BITS),
            (case.value / case["rank"], "the rank was left out"),
        ),
    ),
    Template(
        name="adapter-step",
        tool="lora_batch",
        measure="step_ms",
        unit="ms",
        ask="How long does the step take with the adapters? Answer in ms.",
        draw=_turns,
        given=lambda case: (
            f"A step of the base model takes {case['base_ms']} ms.",
            f"The 32 sequences use {case['distinct']} different adapters of "
            f"{case['adapter_mb']} MB; each is read once.",
            f"Memory gives {show(case['bandwidth_tb_s'])} TB a second.",
        ),
        slips=_turns_slips,
        tolerance=0.01,
    ),
    Template(
        name="shared-gpus",
        tool="lora_fleet",
        measure="shared_gpus",
        unit="GPUs",
        ask="How many GPUs serve all fine-tunes on a shared base?",
        draw=_tunes,
        given=lambda case: (
            f"{case['adapters']} fine-tunes, {case['requests_per_s']} requests a second together.",
            f"A replica of {case['gpus_per_replica']} GPUs does "
            f"{case['replica_requests_per_s']} a second; 1 more replica stands by.",
        ),
        slips=_tunes_slips,
        tolerance=0.01,
    ),
    Template(
        name="training-hours",
        tool="qat_cost",
        measure="gpu_hours",
        unit="hours",
        ask="How many GPU hours does the training with a teacher take?",
        draw=_training,
        given=lambda case: (
            f"{case['params_b']} billion parameters, {show(case['tokens_b'])} billion tokens; "
            "6 FLOPs a parameter and token to train, 2 for the teacher of the same size.",
            f"A GPU peaks at {show(case['peak_tflops'])} TFLOPS and reaches "
            f"{show(case['mfu'] * 100)}% of it.",
        ),
        slips=_training_slips,
    ),
    Template(
        name="diluted",
        tool="gap_dilution",
        measure="predicted",
        unit="tokens/s",
        ask="How many tokens a second are to be expected in production?",
        draw=_dilution,
        given=_dilution_lines,
        slips=_dilution_slips,
    ),
    Template(
        name="narrower",
        tool="quant_gain",
        measure="expected_ms",
        unit="ms",
        ask="How long should the step take with the narrower weights? Answer in ms.",
        draw=_narrow,
        given=lambda case: (
            f"The step takes {case['before_ms']} ms, {show(case['weights_share'] * 100)}% of it "
            "to read weights.",
            f"The weights get {case['bytes_ratio']} times smaller; nothing else changes.",
        ),
        slips=_narrow_slips,
    ),
    Template(
        name="slow-link",
        tool="slow_link",
        measure="step_ms",
        unit="ms",
        ask="How long does a step take with the slow link? Answer in ms.",
        draw=_slow,
        given=lambda case: (
            f"A step takes {case['step_ms']} ms, {show(case['comm_share'] * 100)}% of it "
            "collectives that nothing hides.",
            f"One link of {case['nodes']} nodes gets {case['slowdown']} times slower.",
        ),
        slips=_slow_slips,
        tolerance=0.02,
    ),
)
