"""Attention in plain Python, small and exact: whole, by tiles, split and merged, backward."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, fsum, inf, log
from operator import mul

Row = Sequence[float]


@dataclass(frozen=True)
class Partial:
    """Attention over some of the keys: log of the sum of exponentials, and the output."""

    lse: float
    """-inf where no key was seen."""
    output: list[float]


def dot(a: Row, b: Row) -> float:
    """Exactly rounded sum of the products; rows of one length."""
    return fsum(map(mul, a, b))


def softmax(scores: Row) -> tuple[list[float], float]:
    """Weights and log-sum; all-masked scores (-inf) give zeros and -inf, not NaN."""
    top = max(scores, default=-inf)
    if top == -inf:
        return [0.0] * len(scores), -inf
    weights = [exp(score - top) for score in scores]
    total = fsum(weights)
    return [weight / total for weight in weights], top + log(total)


def whole(query: Row, keys: Sequence[Row], values: Sequence[Row], seen: Row) -> Partial:
    """One query over all keys at once; `seen[j]` is 0 or -inf."""
    scores = [dot(query, key) + mask for key, mask in zip(keys, seen, strict=True)]
    weights, lse = softmax(scores)
    return Partial(lse, [dot(weights, column) for column in zip(*values, strict=True)])


@dataclass
class Online:
    """Running maximum, sum and output of the online softmax; `rescale=False` is a fault."""

    width: int
    rescale: bool = True
    top: float = -inf
    total: float = 0.0
    factor: float = 1.0
    """By which the last tile rescaled what was there."""

    def __post_init__(self) -> None:
        """Nothing seen yet."""
        self.output = [0.0] * self.width

    def take(self, scores: Row, values: Sequence[Row]) -> None:
        """Add a tile; one with every key masked changes nothing."""
        top = max(self.top, max(scores, default=-inf))
        if top == -inf:
            return
        self.factor = (
            exp(self.top - top) if self.rescale and self.top > -inf else float(not self.rescale)
        )
        weights = [exp(score - top) for score in scores]
        self.total = self.total * self.factor + fsum(weights)
        self.output = [
            old * self.factor + dot(weights, column)
            for old, column in zip(self.output, zip(*values, strict=True), strict=True)
        ]
        self.top = top

    def result(self) -> Partial:
        """The output, divided by the sum at last; zeros where nothing was seen."""
        if not self.total:
            return Partial(-inf, [0.0] * self.width)
        return Partial(self.top + log(self.total), [x / self.total for x in self.output])


def merge(partials: Sequence[Partial], *, average: bool = False) -> Partial:
    """Exact output over the keys of all parts; `average=True` is a fault."""
    weights, lse = softmax([part.lse for part in partials])
    if average:
        weights = [1 / len(partials)] * len(partials)
    outputs = zip(*(part.output for part in partials), strict=True)
    return Partial(lse, [dot(weights, column) for column in outputs])


@dataclass(frozen=True)
class Gradients:
    """Of a scalar loss, sum of upstream x output."""

    query: list[list[float]]
    identity_gap: float
    """Largest difference of rowsum(dO x O) and rowsum(P x dP)."""


def backward(
    queries: Sequence[Row], keys: Sequence[Row], values: Sequence[Row], upstream: Sequence[Row]
) -> Gradients:
    """dQ by recomputing P from one log-sum a row: dS = P x (dP - D), D = rowsum(dO x O)."""
    gradients, gap = [], 0.0
    for query, grad in zip(queries, upstream, strict=True):
        part = whole(query, keys, values, [0.0] * len(keys))
        weights = [exp(dot(query, key) - part.lse) for key in keys]
        inner = [dot(grad, value) for value in values]
        delta = dot(grad, part.output)
        gap = max(gap, abs(delta - dot(weights, inner)))
        scores = [w * (d - delta) for w, d in zip(weights, inner, strict=True)]
        gradients.append([dot(scores, column) for column in zip(*keys, strict=True)])
    return Gradients(gradients, gap)
