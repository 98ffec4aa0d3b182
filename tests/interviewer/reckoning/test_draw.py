"""Numbers drawn at random: solvable from what is shown, right by the tool, slips told apart.

Each template has a second solution here that reads nothing but the lines that a person sees.
"""

import re
from collections.abc import Callable, Mapping
from math import ceil, exp, floor, log2, sqrt
from random import Random

import pytest

from interviewer.reckoning.check import check
from interviewer.reckoning.draw import again, draw, pool_of, templates
from interviewer.reckoning.model import Reckoning
from questions.library import load
from questions.model import QuestionCard

CARDS = [card for card in load().cards if pool_of(card)]
NUMBER = re.compile(r"(?<![\w.,-])\d[\d,]*(?:\.\d+)?")


def stated(reckoning: Reckoning) -> list[float]:
    """The figures of the lines below the question; names such as H100 are none."""
    lines = "\n".join(reckoning.given)
    return [float(found.replace(",", "")) for found in NUMBER.findall(lines)]


def kv(n: list[float]) -> float:
    """Bytes of cache a token: layers, query heads, KV heads, head dimension, bytes a value."""
    layers, _, kv_heads, width, size = n[:5]
    return 2 * layers * kv_heads * width * size


def users(n: list[float]) -> float:
    memory, share, weights, reserve = n[:4]
    return (memory * share / 100 - weights - reserve) * 1e9 / kv(n[4:9]) / n[9]


def step(n: list[float]) -> float:
    weights, batch, context, per_token, bandwidth = n[:5]
    return (weights + batch * context * per_token / 1e9) / bandwidth


def accepted(n: list[float]) -> float:
    return sum(n[1] ** k for k in range(int(n[0]) + 1))


def blocks(n: list[float]) -> float:
    return min(n[1] // n[2], n[0] // (n[2] * n[3]))


def replicas(n: list[float]) -> float:
    rate, tokens_in, tokens_out, prefill, decode, busy, spare = n
    load = rate * (tokens_in / prefill + tokens_out / decode) / (busy / 100)
    return ceil(load - 1e-9) + spare


def wait(n: list[float]) -> float:
    busy = n[0] * n[1]
    return busy / (1 - busy) * n[1]


def wilson_low(n: list[float]) -> float:
    p, trials, z = n[0] / n[1], n[1], 1.96
    middle, root = p + z * z / 2 / trials, sqrt(p * (1 - p) / trials + z * z / 4 / trials**2)
    return 100 * (middle - z * root) / (1 + z * z / trials)


def arms(n: list[float]) -> float:
    a, b = n[0] / 100, n[1] / 100
    return 7.85 * (a * (1 - a) + b * (1 - b)) / (a - b) ** 2


def drain(n: list[float]) -> float:
    capacity, base, seconds, burst = n
    return (burst - capacity) * seconds / (capacity - base)


def job(n: list[float]) -> float:
    documents, tokens_in, tokens_out, prefill, decode = n
    return documents * (tokens_in / prefill + tokens_out / decode) / 3600


def fused(n: list[float]) -> float:
    return sum(n[:-2]) / sum(n[-2:])


def faster(n: list[float]) -> float:
    calls, old, new, more, before, after = n
    return (calls * old + more * before) / (calls * min(old, new) + more * min(before, after))


def halves(n: list[float]) -> float:
    compute, per_token, comm, comm_per_token, tokens = n[:5]
    half = tokens / 2
    return 2 * max(compute + half * per_token, comm + half * comm_per_token)


def nucleus(n: list[float]) -> float:
    *chances, bound = n
    return next(k for k in range(1, 7) if sum(chances[:k]) >= bound - 1e-9)


def falling(n: list[float]) -> float:
    return 1 + n[0] + n[0] * n[1] + n[0] * n[1] * n[2]


def sectors(n: list[float]) -> float:
    lanes, size, stride, sector = n
    touched = {int(lane * stride // sector) for lane in range(int(lanes))}
    return 100 * lanes * size / (len(touched) * sector)


def banks(n: list[float]) -> float:
    lanes, _, width, pad, count = n
    hit = [int(lane * (width + pad)) % int(count) for lane in range(int(lanes))]
    return max(hit.count(bank) for bank in hit)


def causal(n: list[float]) -> float:
    side = n[0] / n[1]
    return side * (side + 1) / 2


def scores(n: list[float]) -> float:
    tokens, width, size = n[:3]
    return (4 * tokens * width + 4 * tokens**2) * size / 1e9


def copied(n: list[float]) -> float:
    words, drafted = n
    return (words - 1) / ceil((words - 1) / (drafted + 1))


def bucketed(n: list[float]) -> float:
    total, *rest, quantile = n
    counts, bounds = [0, *rest[0::2]], [0, *rest[1::2]]
    rank = quantile * total
    at = next(i for i, count in enumerate(counts) if count >= rank)
    share = (rank - counts[at - 1]) / (counts[at] - counts[at - 1])
    return bounds[at - 1] + (bounds[at] - bounds[at - 1]) * share


def images(n: list[float]) -> float:
    count, width, height, patch, merge, _, markers = n
    return count * (width / (patch * merge) * height / (patch * merge) + markers)


def peak(n: list[float]) -> float:
    weights, pool, encoder, prefill, embeddings = n
    return weights + pool + embeddings + max(encoder, prefill)


SOLVED: Mapping[str, Callable[[list[float]], float]] = {
    "kv-token": lambda n: kv(n) / 1024,
    "kv-sequence": lambda n: kv(n) * n[5] / 1e9,
    "kv-budget": lambda n: n[0] * n[1] / 100 - n[2] - n[3],
    "kv-users": users,
    "kv-shard": lambda n: kv(n) / n[5] / 1024,
    "kv-move": lambda n: n[0] * n[1] * 8 / (n[2] * 1e9) * 1e3,
    "weights-read": lambda n: n[0] * n[1] / n[2],
    "user-speed": lambda n: n[2] * 1000 / (n[0] * n[1]),
    "decode-step": step,
    "decode-throughput": lambda n: n[1] * 1000 / step(n),
    "first-token": lambda n: 2 * n[0] * 1e9 * n[1] / (n[2] * 1e12 * n[3] / 100) * 1e3,
    "ridge": lambda n: n[0] / n[1],
    "tokens-a-step": accepted,
    "speculation-speedup": lambda n: accepted(n) / (1 + n[0] * n[2]),
    "unexplained": lambda n: n[1] - n[0] - n[2] - n[3],
    "batch-throughput": lambda n: n[2] * 1000 / (n[0] + n[1] * n[2]),
    "bubble": lambda n: 100 * (n[0] - 1) / (n[1] + n[0] - 1),
    "ring": lambda n: 2 * (n[0] - 1) / n[0] * n[1] / n[2],
    "experts": lambda n: n[0] * (1 - (1 - n[1] / n[0]) ** n[2]),
    "packed-weights": lambda n: n[0] * (n[1] + n[2] / n[3]) / 8,
    "blocks-on-sm": blocks,
    "grammar-mask": lambda n: n[0] * n[1] / 8 / 1000,
    "wave-share": lambda n: 100 * n[1] / (ceil(n[1] / n[0]) * n[0]),
    "in-flight": lambda n: n[0] / 60 * n[1],
    "wait": wait,
    "replicas": replicas,
    "token-price": lambda n: n[0] * n[1] / 3600 / (n[2] * n[3] / 100) * 1e6,
    "energy": lambda n: n[0] * n[1] * n[3] / n[2],
    "payback": lambda n: n[0] / (n[2] - n[1]) / 24,
    "loading": lambda n: n[0] / (n[1] / 8),
    "bucket": lambda n: min(n[1], n[0] // (n[2] + n[3])),
    "rate": lambda n: 100 * n[0] / n[1],
    "wilson-low": wilson_low,
    "no-failure": lambda n: 100 * 3.84 / (n[0] + 3.84),
    "flipped": lambda n: n[1] + n[2],
    "tile-reuse": lambda n: 2 * n[0] * n[1] / ((n[0] + n[1]) * n[2]),
    "pinned": lambda n: n[0] / n[1],
    "leak": lambda n: n[0] * 1000 / (n[1] * 3600),
    "bucket-quantile": bucketed,
    "missing-seconds": lambda n: (n[2] + n[3]) / n[0] - n[1],
    "image-tokens": images,
    "peak-memory": peak,
    "time-a-token": lambda n: n[4] / n[3],
    "chunk-pairs": lambda n: n[2] * sum(n[1] - n[0] + k for k in range(1, int(n[0]) + 1)),
    "waited": lambda n: max(n) - min(n),
    "handoff": lambda n: n[3] - n[0] + n[4],
    "spill": lambda n: n[0] * n[2] / n[3],
    "score-matrix": lambda n: n[0] * n[1] ** 2 * n[2] / 1e9,
    "chunk": lambda n: (n[0] - n[1]) * 1000 / n[2],
    "drain": drain,
    "regions": lambda n: n[0] * n[1] * n[0] / (n[0] - 1),
    "slow-period": lambda n: (n[1] + (n[0] - 1) * n[2]) / 1000,
    "steps": lambda n: ceil(n[0] / n[2]) + n[1] - 1,
    "block-hits": lambda n: n[0] // n[2] * n[2],
    "radix-hits": lambda n: n[0],
    "wasted-tokens": lambda n: n[1],
    "stalled-bytes": lambda n: n[0] * n[1] * n[2] / 1000,
    "units": lambda n: (n[0] * n[2] + n[3] * n[5]) / n[2],
    "job-hours": job,
    "request-seconds": lambda n: n[0] / n[1] + n[2] * n[3] / 1000 / n[4],
    "adapter": lambda n: n[0] * n[1] * n[2] / 1e6,
    "adapter-step": lambda n: n[0] + n[2] * n[3] / 1000 / n[4],
    "shared-gpus": lambda n: (ceil(n[1] / n[3]) + n[4]) * n[2],
    "training-hours": lambda n: (n[2] + n[3]) * n[0] * n[1] * 1e6 / (n[4] * n[5] / 100) / 3600,
    "diluted": lambda n: n[0] * n[1] * n[2] * n[3] / 1e6,
    "narrower": lambda n: n[0] * (1 - n[1] / 100 + n[1] / 100 / n[2]),
    "slow-link": lambda n: n[0] * (1 - n[1] / 100 + n[1] / 100 * n[3]),
    "nucleus": nucleus,
    "stalled-sum": lambda n: min(n[1] * n[2], 2 ** (n[0] + 1) * n[1]),
    "spacing": lambda n: 2 ** (floor(log2(n[1])) - n[0]),
    "acceptance": lambda n: sum(min(p, q) for p, q in zip(n[:3], n[3:6], strict=True)),
    "copied": copied,
    "acceptance-length": lambda n: 1 + n[2] / n[0],
    "tokens-a-pass": lambda n: sum(n) / len(n) + 1,
    "tree": lambda n: 1 + n[0] + n[1] + n[0] * n[0] + n[1] * n[0],
    "falling-acceptance": falling,
    "merge-weight": lambda n: exp(n[0]) / (exp(n[0]) + exp(n[1])),
    "unsplit": lambda n: 100 * n[0] / n[1],
    "causal-tiles": causal,
    "score-bytes": scores,
    "in-flight-bytes": lambda n: n[0] * 1e12 * n[2] * 1e-9 / n[1] / 1024,
    "used-sectors": sectors,
    "bank-ways": banks,
    "fused": fused,
    "median": lambda n: sorted(n)[len(n) // 2],
    "dispatch-gain": faster,
    "issue-slots": lambda n: n[0] * n[1] * n[2] * 1e9 / (n[3] * 1e12 / (n[4] / 8)),
    "promotion": lambda n: n[0] * n[1] * n[2] / n[3],
    "two-halves": halves,
    "host-bound": lambda n: n[2] * 1000 / (n[0] + n[1]),
    "expert-bytes": lambda n: n[0] * n[1] * (n[2] + n[3]) / 1000,
    "spare-pages": lambda n: (n[0] - n[1]) * 1e9 // n[2] - n[3],
    "kept-wide": lambda n: n[0] * (n[1] - n[2]) / 8,
    "arms": arms,
}


def held_back(text: str, stop: str) -> int:
    """The longest end of what came so far that may still become the stop string."""
    starts = [stop[:size] for size in range(1, len(stop))]
    ends = [len(s) for at in range(len(text) + 1) for s in starts if text[:at].endswith(s)]
    return max(ends, default=0)


def assert_fair(reckoning: Reckoning) -> None:
    """Solvable from the lines shown, to well within its tolerance; slips tell apart."""
    if reckoning.template == "held-back":  # its lines hold text, not figures
        solved = float(
            held_back(reckoning.given[0].split()[-1], "#" * reckoning.given[1].count("#"))
        )
    else:
        solved = SOLVED[reckoning.template](stated(reckoning))
    assert solved == pytest.approx(reckoning.value, rel=reckoning.tolerance / 2), reckoning.text
    assert check(reckoning, f"{solved:.5g}").verdict == "right"
    assert reckoning.slips, reckoning.text
    for slip in reckoning.slips:
        checked = check(reckoning, f"{slip.value:.6g}")
        assert (checked.verdict, checked.reason) == ("slip", slip.reason), reckoning.text


def test_two_hundred_numbers_over_all_cards_that_have_tools_are_fair() -> None:
    rng = Random(8)
    for _ in range(200):
        assert_fair(draw(pool_of(rng.choice(CARDS)), rng))


@pytest.mark.parametrize("name", sorted(templates()))
def test_a_template_is_fair_whatever_it_draws(name: str) -> None:
    for seed in range(25):
        assert_fair(draw((name,), Random(seed)))


def test_every_template_has_a_second_solution() -> None:
    assert {*SOLVED, "held-back"} == set(templates())


def test_every_card_whose_numbers_rest_on_a_tool_has_a_number_drill() -> None:
    plain = {None, "calculate", "fde_postings"}  # counts and sums have nothing to draw anew
    tools = {card.id for card in load().cards if {f.tool for f in card.facts} - plain}
    assert tools - {card.id for card in CARDS} == set()


@pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)
def test_a_card_draws_only_from_its_own_tools(card: QuestionCard) -> None:
    tools = {fact.tool for fact in card.facts}
    assert {templates()[name].tool for name in pool_of(card)} <= tools


def test_ten_numbers_in_a_row_are_ten_different_ones() -> None:
    for card in CARDS:
        rng, asked = Random(card.id), list[Reckoning]()
        for _ in range(10):
            asked.append(draw(pool_of(card), rng, asked))
        assert len({reckoning.text for reckoning in asked}) == 10


def test_parameters_are_fresh_from_one_seed_to_the_next() -> None:
    texts = {draw(("kv-users",), Random(seed)).text for seed in range(20)}
    assert len(texts) > 15


def test_a_number_is_rebuilt_from_what_the_log_holds() -> None:
    drawn = draw(("decode-step",), Random(4))
    assert again(drawn.template, drawn.arguments) == drawn


def test_a_template_of_another_version_is_not_guessed_at() -> None:
    assert again("phrenology", {"model": "Llama-3.3-70B"}) is None
