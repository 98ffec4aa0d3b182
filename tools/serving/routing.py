"""Routing of tokens to experts: distinct experts, blocks, loads and placements; plain numbers."""

from collections.abc import Sequence
from math import ceil, exp, lgamma, log


def shares(experts: int, skew: float) -> list[float]:
    """Each expert's share of the choices: Zipf with exponent `skew`; 0 is uniform."""
    weights = [(rank + 1) ** -skew for rank in range(experts)]
    total = sum(weights)
    return [weight / total for weight in weights]


def distinct(experts: int, per_token: int, tokens: int, skew: float = 0.0) -> float:
    """Expected distinct experts: E(1 - (1 - k/E)^B); with a skew the sum over unequal experts."""
    if not skew:
        return experts * (1 - (1 - per_token / experts) ** tokens)
    return sum(1 - (1 - p) ** tokens for p in inclusion(experts, per_token, skew))


def inclusion(experts: int, per_token: int, skew: float) -> list[float]:
    """Chance that a token chooses each expert, k x share capped at 1, together k."""
    capped = 0
    found = [per_token * share for share in shares(experts, skew)]
    while capped < experts and found[capped] > 1:
        found[capped] = 1.0
        capped += 1
        rest = sum(found[capped:])
        scale = (per_token - capped) / rest if rest else 0.0
        found[capped:] = [share * scale for share in found[capped:]]
    return found


def padded(counts: Sequence[int], block: int) -> int:
    """Rows after each expert's tokens are filled up to whole blocks."""
    return sum(ceil(count / block) * block for count in counts)


def expected_blocks(trials: int, chance: float, block: int) -> float:
    """Expected blocks of one expert whose tokens are binomial."""
    if chance >= 1:
        return ceil(trials / block)
    total = 0.0
    for count in range(1, trials + 1):
        total += ceil(count / block) * _binomial(trials, count, chance)
    return total


def _binomial(trials: int, count: int, chance: float) -> float:
    if chance <= 0:
        return 0.0
    ways = lgamma(trials + 1) - lgamma(count + 1) - lgamma(trials - count + 1)
    return exp(ways + count * log(chance) + (trials - count) * log(1 - chance))


def balanced(loads: Sequence[float], ranks: int) -> list[int]:
    """Rank of each expert, the heaviest first to the lightest rank with room for it."""
    room = len(loads) // ranks
    held = [(0.0, 0)] * ranks
    placed = [0] * len(loads)
    for expert in sorted(range(len(loads)), key=lambda e: -loads[e]):
        rank = min((r for r in range(ranks) if held[r][1] < room), key=lambda r: held[r][0])
        placed[expert] = rank
        held[rank] = (held[rank][0] + loads[expert], held[rank][1] + 1)
    return placed
