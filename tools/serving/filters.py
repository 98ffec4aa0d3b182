"""Temperature, top-k, top-p and min-p on one distribution; ties are kept or cut, as asked."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import exp, fsum

ORDERS: Mapping[str, tuple[str, ...]] = {
    "vllm": ("temperature", "min_p", "top_k", "top_p"),
    "transformers": ("temperature", "top_k", "top_p", "min_p"),
    "llama.cpp": ("top_k", "top_p", "min_p", "temperature"),
}
"""In which order engines apply the four."""

SLACK = 1e-12
"""Rounding that a cumulative sum is allowed, so that 0.6 + 0.3 reaches 0.9."""


@dataclass(frozen=True)
class Knobs:
    """Settings; 0 or 1 switch a filter off as engines have it."""

    temperature: float
    top_k: int
    top_p: float
    min_p: float
    keep_ties: bool


def softmax(logits: Sequence[float]) -> list[float]:
    """Probabilities; the largest logit is taken off first, so nothing overflows."""
    top = max(logits)
    weights = [exp(logit - top) for logit in logits]
    total = fsum(weights)
    return [weight / total for weight in weights]


def greedy(logits: Sequence[float]) -> list[int]:
    """Indices of the largest logit: more than one only on a tie."""
    top = max(logits)
    return [index for index, logit in enumerate(logits) if logit == top]


def kept_by(name: str, logits: Sequence[float], kept: Sequence[int], knobs: Knobs) -> list[int]:
    """Indices that the filter keeps of those kept so far, in the order of the vocabulary."""
    return sorted(FILTERS[name]([logits[i] for i in kept], kept, knobs))


def _top_k(logits: Sequence[float], kept: Sequence[int], knobs: Knobs) -> list[int]:
    if not 0 < knobs.top_k < len(kept):
        return list(kept)
    return _cut(logits, kept, knobs.top_k, keep_ties=knobs.keep_ties)


def _top_p(logits: Sequence[float], kept: Sequence[int], knobs: Knobs) -> list[int]:
    """The fewest likeliest tokens that reach top_p together; 1 keeps all, whatever rounds."""
    if knobs.top_p >= 1:
        return list(kept)
    chances = sorted(softmax(logits), reverse=True)
    total, count = 0.0, 0
    while count < len(chances) and (count == 0 or total < knobs.top_p - SLACK):
        total += chances[count]
        count += 1
    return _cut(logits, kept, count, keep_ties=knobs.keep_ties)


def _min_p(logits: Sequence[float], kept: Sequence[int], knobs: Knobs) -> list[int]:
    chances = softmax(logits)
    least = knobs.min_p * max(chances)
    return [i for i, chance in zip(kept, chances, strict=True) if chance >= least * (1 - SLACK)]


def _cut(logits: Sequence[float], kept: Sequence[int], count: int, *, keep_ties: bool) -> list[int]:
    """The `count` likeliest: of equal ones all, or those of the lowest index."""
    order = sorted(range(len(kept)), key=lambda i: -logits[i])
    last = logits[order[count - 1]]
    if keep_ties:
        return [index for index, logit in zip(kept, logits, strict=True) if logit >= last]
    return [kept[i] for i in order[:count]]


FILTERS: Mapping[str, Callable[[Sequence[float], Sequence[int], Knobs], list[int]]] = {
    "top_k": _top_k,
    "top_p": _top_p,
    "min_p": _min_p,
}
