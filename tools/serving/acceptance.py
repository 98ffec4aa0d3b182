"""Tokens that a speculative step yields: acceptance by position, chains and trees; no units."""

from collections.abc import Sequence
from heapq import heappop, heappush


def reach(alphas: Sequence[float]) -> list[float]:
    """Probability that draft 1, 2, ... is accepted, each given that all before it were."""
    reached, chance = [], 1.0
    for alpha in alphas:
        chance *= alpha
        reached.append(chance)
    return reached


def expected_tokens(alphas: Sequence[float]) -> float:
    """Accepted drafts and the one token that every verification yields (bonus or correction).

    With a constant alpha: (1 - alpha^(g+1)) / (1 - alpha). Leviathan et al. 2023, equation 1.
    """
    return 1.0 + sum(reach(alphas))


def speedup(alphas: Sequence[float], draft: float, verify: float, *, parallel: bool) -> float:
    """Tokens per target step over its cost in target steps; 1.0 is plain decoding."""
    passes = min(1, len(alphas)) if parallel else len(alphas)
    return expected_tokens(alphas) / (verify + passes * draft)


def paths(parents: Sequence[int], ranks: Sequence[float]) -> list[float]:
    """Probability that each node of a draft tree is accepted; a parent is before its children.

    `ranks[r]` is the chance that the r-th candidate of an accepted node is the next token.
    """
    seen: dict[int, int] = {}
    chances: list[float] = []
    for parent in parents:
        rank = seen.get(parent, 0)
        seen[parent] = rank + 1
        chances.append((chances[parent] if parent >= 0 else 1.0) * ranks[rank])
    return chances


def depths(parents: Sequence[int]) -> list[int]:
    """Depth of each node; 1 for a child of the root."""
    found: list[int] = []
    for parent in parents:
        found.append(found[parent] + 1 if parent >= 0 else 1)
    return found


def best_tree(nodes: int, ranks: Sequence[float]) -> list[int]:
    """Parents of the tree of `nodes` nodes that yields most: always the likeliest next node."""
    heap = [(-ranks[0], 0, -1, 0)]
    parents: list[int] = []
    order = 0
    while len(parents) < nodes:
        negative, _, parent, rank = heappop(heap)
        here, up = len(parents), -negative / ranks[rank] if ranks[rank] else 0.0
        parents.append(parent)
        heappush(heap, (negative * ranks[0], order := order + 1, here, 0))
        if rank + 1 < len(ranks):
            heappush(heap, (-up * ranks[rank + 1], order := order + 1, parent, rank + 1))
    return parents
