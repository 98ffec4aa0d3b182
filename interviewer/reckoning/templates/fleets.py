"""Numbers of a service: requests in flight, waiting, replicas, prices, energy, a rate limit."""

from collections.abc import Iterator
from math import ceil
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template
from interviewer.reckoning.templates.choices import EIGHT_BITS, weights


def _flight(rng: Random) -> dict[str, Any]:
    return {
        "requests_per_s": rng.choice((2, 3, 4, 6, 8, 12, 20, 40)),
        "seconds": rng.choice((1.5, 2.5, 6, 9, 12)),
    }


def _queue(rng: Random) -> dict[str, Any]:
    return {
        "service_s": rng.choice((0.5, 1, 2, 4)),
        "arrival_rate": rng.choice((0.5, 0.6, 0.7, 0.75, 0.8, 0.9)),
    }


def _queued(rng: Random) -> dict[str, Any]:
    drawn = _queue(rng)
    return {**drawn, "arrival_rate": drawn["arrival_rate"] / drawn["service_s"]}


def _queue_slips(case: Case) -> Iterator[Named]:
    busy, service = case["arrival_rate"] * case["service_s"], case["service_s"]
    yield case.measure("time_s"), "that is the time in the system; the service itself is no wait"
    yield busy * service, "the wait grows with 1/(1 - utilisation)"
    yield case.value / busy, "the utilisation was left out above the line"


def _fleet(rng: Random) -> dict[str, Any]:
    return {
        "requests_per_s": rng.choice((20, 40, 50, 80)),
        "input_tokens": rng.choice((1500, 2000, 3000)),
        "output_tokens": rng.choice((200, 300, 400)),
        "prefill_tokens_per_s": rng.choice((10_000, 14_000, 20_000)),
        "decode_tokens_per_s": rng.choice((2_000, 2_500, 4_000)),
        "max_utilisation": rng.choice((0.6, 0.7, 0.8)),
        "spare": rng.choice((1, 2, 3)),
    }


def _fleet_lines(case: Case) -> Iterator[str]:
    yield (
        f"{case['requests_per_s']} requests a second, each {show(case['input_tokens'])} tokens in "
        f"and {case['output_tokens']} out."
    )
    yield (
        f"A replica prefills {show(case['prefill_tokens_per_s'])} tokens a second or decodes "
        f"{show(case['decode_tokens_per_s'])}, one or the other."
    )
    yield (
        f"It is to be busy {show(case['max_utilisation'] * 100)}% of the time at most; "
        f"{case['spare']} more stand by."
    )


def _fleet_slips(case: Case) -> Iterator[Named]:
    prefill, decode = case.measure("prefill_busy"), case.measure("decode_busy")
    most, spare = case["max_utilisation"], case["spare"]
    yield _whole((prefill + decode) / most), "the spare ones were left out"
    yield _whole(prefill + decode) + spare, "the utilisation was left out"
    yield _whole(prefill / most) + spare, "the replies were left out"
    yield _whole(decode / most) + spare, "the prompts were left out"


def _whole(replicas: float) -> float:
    """Rounded up, but not for what only floating point adds."""
    return float(ceil(replicas - 1e-9))


def _price(rng: Random) -> dict[str, Any]:
    return {
        "gpu_usd_h": rng.choice((2, 2.5, 3, 4)),
        "gpus": rng.choice((1, 2, 4, 8)),
        "prefill_tokens_per_s": 10_000,
        "decode_tokens_per_s": rng.choice((1_500, 2_600, 4_000, 6_000)),
        "utilisation": rng.choice((0.3, 0.4, 0.5, 0.6)),
    }


def _price_slips(case: Case) -> Iterator[Named]:
    yield case.value * case["utilisation"], "the utilisation was left out"
    yield case.value / case["gpus"], "one GPU was paid for"
    yield case.value / 60, "minutes were taken for seconds"


def _energy(rng: Random) -> dict[str, Any]:
    return {
        "watts": rng.choice((400, 600, 700)),
        "gpus": rng.choice((1, 2, 4, 8)),
        "tokens_per_s": rng.choice((1_000, 2_500, 4_000, 8_000)),
        "overhead": rng.choice((1.2, 1.3, 1.5)),
    }


def _energy_slips(case: Case) -> Iterator[Named]:
    yield case.value / case["overhead"], "the building's overhead was left out"
    yield case.value / case["gpus"], "the power of one GPU was taken"
    yield case.value / case["overhead"] / case["gpus"], "one GPU, and no overhead"
    yield 1 / case.value, "that is tokens a joule"


def _payback(rng: Random) -> dict[str, Any]:
    before = rng.choice((32, 64, 128))
    return {
        "one_off_gpu_hours": rng.choice((5_000, 10_000, 20_000, 40_000)),
        "gpu_usd_h": 2.5,
        "gpus_before": before,
        "gpus_after": before - rng.choice((4, 8, 16)),
    }


def _payback_slips(case: Case) -> Iterator[Named]:
    saved = case["gpus_before"] - case["gpus_after"]
    yield case.value * 24, "that is hours"
    yield case.value * saved / case["gpus_before"], "all GPUs were counted, not those saved"
    yield case.value * saved, "one GPU was counted, not all that are saved"


def _bucket(rng: Random) -> dict[str, Any]:
    prompt, most, used = rng.choice(((1000, 4000, 250), (2000, 2000, 400), (500, 1500, 200)))
    size = prompt + most
    burst = size * rng.choice((2, 3, 4)) + rng.choice((0, size // 2))
    asked = {
        "at_s": 0,
        "prompt_tokens": prompt,
        "max_tokens": most,
        "output_tokens": used,
        "seconds": 60,
    }
    return {
        "tokens_per_s": 1000,
        "burst_tokens": burst * 10,
        "user_tokens_per_s": 1,
        "user_burst_tokens": burst,
        "requests": [{**asked, "user": "a"} for _ in range(8)],
    }


def _bucket_lines(case: Case) -> Iterator[str]:
    one = case["requests"][0]
    yield f"A user's bucket holds {show(case['user_burst_tokens'])} tokens and is full."
    yield (
        f"{len(case['requests'])} requests come at once, each with a prompt of "
        f"{show(one['prompt_tokens'])} tokens and at most {show(one['max_tokens'])} out."
    )
    yield (
        "Each is charged the prompt and the most it may say; what it does not say "
        "comes back at its end."
    )


def _bucket_slips(case: Case) -> Iterator[Named]:
    one, room = case["requests"][0], case["user_burst_tokens"]
    most = len(case["requests"])
    yield float(min(most, room // one["prompt_tokens"])), "the reply was not charged"
    yield float(min(most, room // one["max_tokens"])), "the prompt was not charged"
    yield (
        float(ceil(room / (one["prompt_tokens"] + one["max_tokens"]))),
        "the last one does not fit",
    )


TEMPLATES = (
    Template(
        name="in-flight",
        tool="littles_law",
        measure="resident",
        unit="requests",
        ask="How many requests are in flight on average?",
        draw=_flight,
        given=lambda case: (
            f"{case['requests_per_s'] * 60} requests arrive a minute.",
            f"Each takes {show(case['seconds'])} seconds.",
        ),
        slips=lambda case: (
            (case.value * 60, "the rate a minute was taken for a rate a second"),
            (case["requests_per_s"] / case["seconds"], "the rate was divided by the time"),
        ),
    ),
    Template(
        name="wait",
        tool="queueing",
        measure="wait_s",
        unit="s",
        ask="How long does a request wait on average before its service begins? Answer in s.",
        draw=_queued,
        given=lambda case: (
            "One server; arrivals at random, service times exponential.",
            f"{show(case['arrival_rate'])} requests arrive a second; "
            f"one takes {show(case['service_s'])} s to serve.",
        ),
        slips=_queue_slips,
    ),
    Template(
        name="replicas",
        tool="fleet_capacity",
        measure="replicas",
        unit="replicas",
        ask="How many replicas are needed?",
        draw=_fleet,
        given=_fleet_lines,
        slips=_fleet_slips,
        tolerance=0.004,
    ),
    Template(
        name="token-price",
        tool="token_price",
        measure="output_usd",
        unit="$",
        ask="What does a million output tokens cost in GPUs? Answer in dollars.",
        draw=_price,
        given=lambda case: (
            f"{case['gpus']} GPUs at ${show(case['gpu_usd_h'])} an hour each.",
            f"Together they decode {show(case['decode_tokens_per_s'])} tokens a second when busy, "
            f"which is {show(case['utilisation'] * 100)}% of the time.",
        ),
        slips=_price_slips,
    ),
    Template(
        name="energy",
        tool="energy_per_token",
        measure="joules",
        unit="J",
        ask="How many joules does one token take?",
        draw=_energy,
        given=lambda case: (
            f"{case['gpus']} GPUs of {case['watts']} W each decode {show(case['tokens_per_s'])} "
            "tokens a second together.",
            f"The building takes {case['overhead']:g} times what the GPUs take.",
        ),
        slips=_energy_slips,
    ),
    Template(
        name="payback",
        tool="payback",
        measure="days",
        unit="days",
        ask="After how many days is the one-off cost earned back?",
        draw=_payback,
        given=lambda case: (
            f"The change takes {show(case['one_off_gpu_hours'])} GPU hours once.",
            f"{case['gpus_after']} GPUs do then what took {case['gpus_before']}, day and night, "
            "at the same price an hour.",
        ),
        slips=_payback_slips,
    ),
    Template(
        name="loading",
        tool="weight_loading",
        measure="storage_s",
        unit="s",
        ask="How long does it take to read the weights from storage? Answer in s.",
        draw=lambda rng: {
            **weights(rng),
            "replicas": 1,
            "storage_gb_s": rng.choice((1.25, 2.5, 5, 12.5)),
            "nic_gb_s": 50,
            "gpu_gb_s": 25,
        },
        given=lambda case: (
            f"The weights are {case['weights_gb']} GB.",
            f"Storage gives {show(case['storage_gb_s'] * 8)} gigabits a second.",
        ),
        slips=lambda case: (
            (case.value / 8, EIGHT_BITS),
            (case.value * 8, "the gigabits were divided by 8 twice"),
        ),
    ),
    Template(
        name="bucket",
        tool="rate_limiter",
        measure="admitted",
        unit="requests",
        ask="How many of them are admitted at once?",
        draw=_bucket,
        given=_bucket_lines,
        slips=_bucket_slips,
        tolerance=0.01,
    ),
)
