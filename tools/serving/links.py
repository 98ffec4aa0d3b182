"""Times of collectives by latency and bandwidth of one direction; seconds and bytes only."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Op = Literal["all_reduce", "all_gather", "reduce_scatter", "all_to_all"]
Algorithm = Literal["ring", "one_shot", "two_shot", "direct"]

ALGORITHMS: Mapping[str, tuple[Algorithm, ...]] = {
    "all_reduce": ("ring", "one_shot", "two_shot"),
    "all_gather": ("ring", "direct"),
    "reduce_scatter": ("ring", "direct"),
    "all_to_all": ("direct",),
}


@dataclass(frozen=True)
class Link:
    """What one GPU can send, in one direction."""

    bandwidth: float
    """Bytes per second."""
    latency: float
    """Seconds per step."""


def steps(op: str, algorithm: str, gpus: int) -> int:
    """Rounds that wait for one another."""
    if algorithm == "ring":
        return (2 if op == "all_reduce" else 1) * (gpus - 1)
    return {"one_shot": 1, "two_shot": 2, "direct": 1}[algorithm] if gpus > 1 else 0


def sent(op: str, algorithm: str, gpus: int, size: float) -> float:
    """Bytes that each GPU sends. `size` is the whole vector; for all-to-all what each GPU holds."""
    share = size * (gpus - 1) / gpus
    if algorithm == "one_shot":
        return size * (gpus - 1)
    return 2 * share if op == "all_reduce" else share


def seconds(op: str, algorithm: str, gpus: int, size: float, link: Link) -> float:
    """Steps of latency, and all bytes at the bandwidth of one direction."""
    wire = sent(op, algorithm, gpus, size) / link.bandwidth
    return steps(op, algorithm, gpus) * link.latency + wire


def fastest(op: str, gpus: int, size: float, link: Link) -> Algorithm:
    """The algorithm with the least time."""
    return min(ALGORITHMS[op], key=lambda name: seconds(op, name, gpus, size, link))


def crossover(gpus: int, link: Link) -> float | None:
    """Bytes at which a ring all-reduce overtakes one-shot; None where it never does."""
    if gpus < 3:
        return None
    return link.latency * link.bandwidth * (2 * gpus - 3) / ((gpus - 1) * (1 - 2 / gpus))


def second_shot(gpus: int, link: Link) -> float | None:
    """Bytes at which two-shot overtakes one-shot; None where it never does."""
    if gpus < 3:
        return None
    return link.latency * link.bandwidth / ((gpus - 1) * (1 - 2 / gpus))
