"""What each kind of attention layer needs of the paged cache: which blocks it skips, what hits.

Rules of vLLM 0.31 V1 for full, sliding-window and chunked-local layers; one block size for all.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tools.engine.pool import BlockPool

Kind = Literal["full", "sliding", "chunked"]
NULL = 0
"""The null block: stands in a table where the attention no longer looks; never counted."""


@dataclass(frozen=True)
class Group:
    """Layers that share one block table. `span` is the window or the chunk in tokens."""

    kind: Kind = "full"
    span: int = 0

    def skipped(self, computed: int) -> int:
        """Tokens from the start that no later token attends to."""
        if self.kind == "sliding":
            return max(0, computed - self.span + 1)
        if self.kind == "chunked":
            return computed // self.span * self.span
        return 0

    def most_blocks(self, tokens: int, in_flight: int, size: int) -> int:
        """Blocks that a request of `tokens` holds at once: the claim at admission."""
        if self.kind == "sliding":
            return min(-(-tokens // size), -(-min(self.span - 1 + in_flight, tokens) // size) + 1)
        if self.kind == "chunked":
            return -(-min(self.span + in_flight, tokens) // size)
        return -(-tokens // size)


@dataclass(frozen=True)
class Kindred:
    """Groups of one kind and span: they hit together or not at all."""

    group: Group
    indices: tuple[int, ...]

    def longest_hit(
        self, pool: BlockPool, chains: Sequence[int], limit: int, groups: int, size: int
    ) -> list[list[int]]:
        """Blocks per group, null where the attention does not look, for at most `limit` tokens."""
        most = min(limit // size, len(chains))
        if self.group.kind == "sliding":
            return self._window(pool, chains, most, groups, size)
        start = 0
        if self.group.kind == "chunked":
            start = min(self.group.skipped(limit) // size, most)
        tables = [[NULL] * start for _ in self.indices]
        for chain in chains[start:most]:
            found = self._at(pool, chain, groups)
            if not found:
                break
            for table, block in zip(tables, found, strict=True):
                table.append(block)
        return tables

    def _window(
        self, pool: BlockPool, chains: Sequence[int], most: int, groups: int, size: int
    ) -> list[list[int]]:
        """From the right: the first run of cached blocks that covers the window."""
        needed = -(-(self.group.span - 1) // size)
        run: list[list[int]] = []
        for index in range(most - 1, -1, -1):
            found = self._at(pool, chains[index], groups)
            if not found:
                run = []
                continue
            run.append(found)
            if len(run) >= needed:
                return [[NULL] * index + column for column in self._columns(run)]
        return self._columns(run)

    def _columns(self, run: Sequence[Sequence[int]]) -> list[list[int]]:
        """Rows found from the right, as tables per group from the left."""
        return [[row[k] for row in reversed(run)] for k in range(len(self.indices))]

    def _at(self, pool: BlockPool, chain: int, groups: int) -> list[int]:
        """The cached block of each group, or nothing if one of them lacks it."""
        if len(self.indices) == 1:
            one = pool.find(chain * groups + self.indices[0])
            return [one] if one else []
        found = [pool.find(chain * groups + index) for index in self.indices]
        return found if all(found) else []


def kindred(groups: Sequence[Group]) -> tuple[Kindred, ...]:
    """Groups gathered by kind and span, full attention first."""
    distinct = sorted(dict.fromkeys(groups), key=lambda group: group.kind != "full")
    return tuple(
        Kindred(group, tuple(i for i, other in enumerate(groups) if other == group))
        for group in distinct
    )
