"""Numbers of speculation, sampling, attention and number formats."""

from collections.abc import Iterator
from itertools import accumulate
from math import ceil, exp, log
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template

MANTISSA = {"bf16": 7, "fp16": 10, "e4m3": 3, "e5m2": 2}
"""Bits after the leading one."""
TOP_P = (0.5, 0.55, 0.65, 0.7, 0.8, 0.9, 0.95)
SHAPES = (
    (0.42, 0.25, 0.15, 0.1, 0.05, 0.03),
    (0.6, 0.14, 0.11, 0.08, 0.05, 0.02),
    (0.33, 0.24, 0.19, 0.12, 0.08, 0.04),
)
DRAFTER = {"model": "Llama-3.3-70B", "gpu": "H100", "gpus": 8, "context": 2048}


def _nucleus(rng: Random) -> dict[str, Any]:
    shape = rng.choice(SHAPES)
    return {"logits": [round(log(p), 9) for p in shape], "top_p": rng.choice(TOP_P)}


def _chances(case: Case) -> list[float]:
    return [round(exp(logit), 2) for logit in case["logits"]]


def _nucleus_slips(case: Case) -> Iterator[Named]:
    yield case.value - 1, "the token that reaches the bound is kept too"
    above = sum(p >= 1 - case["top_p"] for p in _chances(case))
    yield float(above), "each chance was compared with the bound; they are summed"
    yield float(len(case["logits"])), "nothing was cut"
    yield case.value + 1, "the sum had already reached the bound"


def _sum(rng: Random) -> dict[str, Any]:
    kind = rng.choice(("bf16", "e4m3", "e5m2"))
    limit = 2 ** (MANTISSA[kind] + 1)
    step = rng.choice((1, 2, 4, 8))
    return {"format": kind, "increment": step, "count": limit * rng.choice((2, 3, 5))}


def _sum_slips(case: Case) -> Iterator[Named]:
    limit = 2 ** MANTISSA[case["format"]]
    yield float(case["increment"] * case["count"]), "that is the exact sum"
    yield float(limit * case["increment"]), "the leading one counts as a bit as well"
    yield float(2 * limit), "the size of the addend was left out"


def _spacing(rng: Random) -> dict[str, Any]:
    kind = rng.choice(tuple(MANTISSA))
    top = 8 if kind == "e4m3" else 12
    return {"format": kind, "value": 2 ** rng.randrange(3, top) + rng.randrange(1, 5)}


def _spacing_slips(case: Case) -> Iterator[Named]:
    yield 2.0 ** -MANTISSA[case["format"]], "that is the spacing at 1"
    yield case.value / 2, "that is the largest error of rounding, half of the spacing"
    yield case.value * 2, "that is the spacing one binade higher"


def _pair(rng: Random) -> dict[str, Any]:
    target = rng.choice(((0.5, 0.3, 0.2), (0.6, 0.3, 0.1), (0.4, 0.4, 0.2), (0.7, 0.2, 0.1)))
    draft = rng.choice(
        ((0.2, 0.6, 0.2), (0.3, 0.3, 0.4), (0.9, 0.05, 0.05), (0.1, 0.2, 0.7), (0.25, 0.5, 0.25))
    )
    return {"target": [list(target), [0.3, 0.3, 0.4]], "draft": [list(draft)]}


def _rows(case: Case) -> tuple[list[float], list[float]]:
    return case["target"][0], case["draft"][0]


def _pair_slips(case: Case) -> Iterator[Named]:
    p, q = _rows(case)
    yield sum(a * b for a, b in zip(p, q, strict=True)), "that is the chance that both draw alike"
    yield 1 - case.value, "that is the chance of a rejection"
    yield min(p[0] / q[0], 1), "only the first token was looked at"


def _pair_lines(case: Case) -> Iterator[str]:
    target, draft = _rows(case)
    yield f"The target gives three tokens {', '.join(map(show, target))}."
    yield f"The draft gives them {', '.join(map(show, draft))}."
    yield "A drafted token is accepted with min(1, target over draft)."


def _copied(rng: Random) -> dict[str, Any]:
    words = [f"w{n}" for n in range(40)]
    gamma = rng.choice((3, 4, 5))
    length = 2 + (gamma + 1) * rng.choice((2, 3, 4)) + rng.randrange(gamma)
    texts = {"prompt": " ".join(words), "output": " ".join(words[:length])}
    return {**texts, "match": 1, "gamma": gamma}


def _copied_slips(case: Case) -> Iterator[Named]:
    length, gamma = len(case["output"].split()), case["gamma"]
    yield (length - 1) / ceil((length - 1) / gamma), "each pass adds a token of the target"
    yield gamma + 1.0, "the last pass is cut where the output ends"
    yield float(length - 1), "those are the words of all passes"


def _counters(rng: Random) -> dict[str, Any]:
    drafts, length = rng.choice((100, 200, 500)), rng.choice((3, 4, 5))
    accepted = round(drafts * length * rng.choice((0.4, 0.5, 0.6, 0.7)))
    return {"drafts": drafts, "draft_tokens": drafts * length, "accepted": accepted}


def _counters_slips(case: Case) -> Iterator[Named]:
    yield case["accepted"] / case["drafts"], "the target's own token was left out"
    yield case["accepted"] / case["draft_tokens"], "that is the acceptance rate"


def _verified(rng: Random) -> dict[str, Any]:
    accepted = [rng.randrange(0, 4) for _ in range(rng.choice((3, 4, 5)))]
    target, drafts, at = [100], [], 101
    for good in accepted:
        run = [at + n for n in range(good + 1)]
        drafts.append([*run[:good], 9, 9, 9][:3])
        target += run
        at += good + 1
    return {"target": target, "drafts": drafts}


def _kept(case: Case) -> list[int]:
    return [sum(token != 9 for token in draft) for draft in case["drafts"]]


def _verified_slips(case: Case) -> Iterator[Named]:
    kept = _kept(case)
    yield sum(kept) / len(kept), "each pass adds a token of the target"
    yield 4.0, "not every draft is accepted"
    yield float(sum(kept) + len(kept)), "that is the sum over all passes"


def _tree(rng: Random) -> dict[str, Any]:
    first = rng.choice((0.5, 0.55, 0.6, 0.65, 0.7))
    return {"ranks": [first, rng.choice((0.05, 0.1, 0.15, 0.2))], "branches": [2, 1]}


def _tree_slips(case: Case) -> Iterator[Named]:
    a, b = case["ranks"]
    yield case.value - 1, "the target's own token was left out"
    yield 1 + a + b, "the second level was left out"
    yield 1 + a + a * a, "only the best path was counted"


def _drafter(rng: Random) -> dict[str, Any]:
    alphas = sorted(rng.sample((0.9, 0.8, 0.7, 0.6, 0.5, 0.4), 3), reverse=True)
    return {**DRAFTER, "drafters": [{"name": "draft", "alphas": alphas, "weights_gb": 2}]}


def _alphas(case: Case) -> list[float]:
    return list(case["drafters"][0]["alphas"])


def _drafter_slips(case: Case) -> Iterator[Named]:
    alphas = _alphas(case)
    yield case.value - 1, "the target's own token was left out"
    yield 1 + sum(alphas), "a refusal ends the rest of the draft as well"
    products = list(accumulate(alphas, lambda a, b: a * b))
    yield 1 + products[-1], "only the whole draft was counted"


def _merge(rng: Random) -> dict[str, Any]:
    first, second = rng.sample((1, 1.5, 2, 2.5, 3, 3.5, 4), 2)
    parts = [{"lse": first, "output": [1.0, 0.0]}, {"lse": second, "output": [0.0, 1.0]}]
    return {"parts": parts}


def _merge_slips(case: Case) -> Iterator[Named]:
    a, b = (part["lse"] for part in case["parts"])
    yield 0.5, "the parts were averaged"
    yield a / (a + b), "the log-sums were taken for sums"
    yield 1 - case.value, "that is the other part's weight"


def _split(rng: Random) -> dict[str, Any]:
    return {
        "blocks": rng.choice((4, 8, 12, 16, 24, 32, 48, 64)),
        "context": 32_768,
        "sms": rng.choice((108, 132, 148)),
    }


def _tiles(rng: Random) -> dict[str, Any]:
    return {"queries": 128 * rng.randrange(6, 40), "block_q": 128, "block_k": 128}


def _tiles_slips(case: Case) -> Iterator[Named]:
    side = case["queries"] // 128
    yield float(side * side), "tiles above the diagonal are skipped"
    yield float(side * (side - 1) // 2), "the tiles on the diagonal are computed as well"
    yield float(case["queries"] ** 2 // 2), "those are pairs, not tiles"


def _scores(rng: Random) -> dict[str, Any]:
    return {
        "tokens": 1024 * rng.choice((2, 3, 4, 6, 8, 10, 12, 16)),
        "head_dim": rng.choice((64, 128)),
        "dtype": "bf16",
    }


def _scores_slips(case: Case) -> Iterator[Named]:
    n = case["tokens"]
    yield (
        (4 * n * case["head_dim"] + n * n) * 2 / 1e9,
        "the scores cross memory four times, not once",
    )
    yield case.value / 2, "one byte a value was taken"
    yield case.measure("once_GB"), "the scores were left out"
    yield case.value * 8, "bits were taken for bytes"


TEMPLATES = (
    Template(
        name="nucleus",
        tool="sampling_ref",
        measure="kept",
        unit="tokens",
        ask="How many tokens does top-p keep?",
        draw=_nucleus,
        given=lambda case: (
            f"The chances are {', '.join(map(show, _chances(case)))}.",
            f"The bound of top-p is {show(case['top_p'])}.",
        ),
        slips=_nucleus_slips,
        tolerance=0.01,
    ),
    Template(
        name="stalled-sum",
        tool="accumulate",
        measure="sum",
        unit="",
        ask="What does the running sum come to?",
        draw=_sum,
        given=lambda case: (
            f"The format keeps {MANTISSA[case['format']]} bits after the leading one and rounds "
            "to the nearest, ties to even.",
            f"{case['increment']} is added {show(case['count'])} times, one after the other.",
        ),
        slips=_sum_slips,
        tolerance=0.01,
    ),
    Template(
        name="spacing",
        tool="numerics",
        measure="ulp",
        unit="",
        ask="How far apart are neighbouring values of the format there?",
        draw=_spacing,
        given=lambda case: (
            f"The format keeps {MANTISSA[case['format']]} bits after the leading one.",
            f"The value is {case['value']}.",
        ),
        slips=_spacing_slips,
        tolerance=0.02,
    ),
    Template(
        name="acceptance",
        tool="speculative_sampling",
        measure="acceptance",
        unit="",
        ask="With which probability is the draft's token accepted? Answer as a fraction of 1.",
        draw=_pair,
        given=_pair_lines,
        slips=_pair_slips,
    ),
    Template(
        name="copied",
        tool="prompt_lookup",
        measure="tokens_per_pass",
        unit="tokens",
        ask="How many words does a pass of the target yield on average? Give two decimals.",
        draw=_copied,
        given=lambda case: (
            f"The output repeats {len(case['output'].split())} words of the prompt as they stand; "
            "no word occurs twice.",
            "The prefill gives its first word. In each pass the last word is looked up and the "
            f"{case['gamma']} that followed it are drafted, rightly; the target adds its own.",
        ),
        slips=_copied_slips,
        tolerance=0.01,
    ),
    Template(
        name="acceptance-length",
        tool="spec_counters",
        measure="acceptance_length",
        unit="tokens",
        ask="How many tokens does a verification yield on average?",
        draw=_counters,
        given=lambda case: (
            f"The counters say {case['drafts']} verifications, {show(case['draft_tokens'])} "
            f"drafted tokens, {show(case['accepted'])} accepted ones.",
        ),
        slips=_counters_slips,
    ),
    Template(
        name="tokens-a-pass",
        tool="spec_trace",
        measure="tokens_per_pass",
        unit="tokens",
        ask="How many tokens does a pass of the target yield on average? Give two decimals.",
        draw=_verified,
        given=lambda case: (
            "Three tokens are drafted for each pass; of them are accepted, pass by pass:",
            f"{', '.join(map(str, _kept(case)))}.",
        ),
        slips=_verified_slips,
        tolerance=0.01,
    ),
    Template(
        name="tree",
        tool="spec_tree",
        measure="expected_tokens",
        unit="tokens",
        ask="How many tokens does the tree yield on average? Give two decimals.",
        draw=_tree,
        given=lambda case: (
            f"The draft's first choice is right with {show(case['ranks'][0])}, its second with "
            f"{show(case['ranks'][1])}, at every position alike.",
            "The tree has both choices at the root and one first choice below each.",
            "The target adds a token of its own.",
        ),
        slips=_tree_slips,
        tolerance=0.015,
    ),
    Template(
        name="falling-acceptance",
        tool="spec_batch",
        measure="expected_tokens",
        unit="tokens",
        ask="How many tokens does a step yield on average? Give two decimals.",
        draw=_drafter,
        given=lambda case: (
            "Each drafted token is accepted, once those before it are, with "
            f"{', '.join(map(show, _alphas(case)))}.",
            "The target adds a token of its own.",
        ),
        slips=_drafter_slips,
        tolerance=0.015,
    ),
    Template(
        name="merge-weight",
        tool="lse_merge",
        measure="output_0",
        unit="",
        ask="Which weight does the first part get when they are merged? Give two decimals.",
        draw=_merge,
        given=lambda case: (
            "Attention was computed over two parts of the keys; the logs of their sums are "
            f"{show(case['parts'][0]['lse'])} and {show(case['parts'][1]['lse'])}.",
        ),
        slips=_merge_slips,
        tolerance=0.02,
    ),
    Template(
        name="unsplit",
        tool="split_kv",
        measure="efficiency_unsplit",
        unit="%",
        scale=100,
        ask="Which share of the SMs works without splitting the keys? Answer in percent.",
        draw=_split,
        given=lambda case: (
            f"{case['blocks']} blocks of one decode step on a GPU of {case['sms']} SMs, "
            "one block an SM.",
        ),
        slips=lambda case: (
            (100 - case.value, "that is the share that idles"),
            (100 / case["blocks"], "that is one block's share of the work"),
        ),
    ),
    Template(
        name="causal-tiles",
        tool="attention_tiles",
        measure="tiles",
        unit="tiles",
        ask="How many tiles of causal attention are computed?",
        draw=_tiles,
        given=lambda case: (
            f"{show(case['queries'])} queries over as many keys, in tiles of 128 by 128.",
        ),
        slips=_tiles_slips,
        tolerance=0.005,
    ),
    Template(
        name="score-bytes",
        tool="attention_io",
        measure="naive_GB",
        unit="GB",
        ask="How much does attention move if it writes its scores out? Answer in GB, one head.",
        draw=_scores,
        given=lambda case: (
            f"{show(case['tokens'])} tokens, head dimension {case['head_dim']}, 2 bytes a value.",
            "Q, K, V and the output cross memory once. The square of scores is written and "
            "read, and so is the square of weights that the softmax makes of it.",
        ),
        slips=_scores_slips,
    ),
)
