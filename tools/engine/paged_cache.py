"""The paged KV cache with prefix caching as vLLM 0.31 V1 manages it: hits, slots, eviction order.

Knows sequences of blocks, not why they are scheduled. Tokens count as cached when they are placed.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from tools.engine.attention_groups import NULL, Group, kindred
from tools.engine.pool import BlockPool, Prefixes

FULL = (Group(),)


class Content(Protocol):
    """The tokens of a sequence, block by block."""

    def __len__(self) -> int:
        """Tokens known so far."""
        ...

    def block(self, index: int) -> Hashable:
        """What fills the block at `index`; equal for equal tokens."""
        ...


@dataclass
class Placed:
    """A sequence in the cache: its tables (one per group) and how far it is computed."""

    content: Content
    root: int = 0
    """The chain that its salt starts; 0 without a salt."""
    computed: int = 0
    tables: list[list[int]] = field(default_factory=list)
    chains: list[int] = field(default_factory=list)
    keyed: int = 0
    """Full blocks that were offered to the prefix map."""


@dataclass(frozen=True)
class Hit:
    """Tokens found in the cache, and the blocks that hold them, per group."""

    tokens: int
    tables: Sequence[Sequence[int]]


class PagedCache:
    """Slots for sequences over one pool. The null block is not in it: usable = blocks - 1."""

    def __init__(
        self,
        usable: int,
        size: int = 16,
        groups: Sequence[Group] = FULL,
        caching: bool = True,
        in_flight: int = 8192,
    ) -> None:
        self.pool = BlockPool(usable)
        self.size, self.groups, self.caching = size, tuple(groups), caching
        self._in_flight = in_flight
        self._kindred = kindred(self.groups)
        self._all_full = all(group.kind == "full" for group in self.groups)
        self._prefixes = Prefixes()
        self._salts = {"": 0}

    def start(self, content: Content, salt: str = "") -> Placed:
        """A sequence that holds nothing yet; the salt enters the first block's chain."""
        return Placed(content, self._salts.setdefault(salt, -len(self._salts)))

    def lookup(self, seq: Placed) -> Hit:
        """The longest cached prefix, short of the last token, that every group can serve."""
        tables: list[list[int]] = [[] for _ in self.groups]
        if not self.caching:
            return Hit(0, tables)
        self._extend_chains(seq)
        length, before = len(seq.content) - 1, -1
        # Each kind shortens what the kinds before it allow, until all agree.
        while length != before:
            before = length
            for each in self._kindred:
                found = each.longest_hit(self.pool, seq.chains, length, len(tables), self.size)
                length = min(length, len(found[0]) * self.size)
                for index, table in zip(each.indices, found, strict=True):
                    tables[index] = table
            if len(self._kindred) == 1:
                break
        return Hit(length, [table[: length // self.size] for table in tables])

    def allocate(
        self, seq: Placed, new: int, hit: Hit | None = None, whole: bool = False, spare: int = 0
    ) -> list[list[int]] | None:
        """Place `new` tokens after the computed ones and the hit; the new blocks per group.

        None, with the tables as they were but for blocks that left a window, if the pool is too
        small. `whole` also asks for room for all known tokens; `spare` blocks must stay free.
        """
        required = -(-(seq.computed + new) // self.size)
        if seq.tables and self._all_full and required <= len(seq.tables[0]):
            # Most decode steps: the last block has room and no block leaves a window.
            seq.computed += new
            self._key_full(seq)
            return [[] for _ in self.groups]
        first = not seq.tables
        found = hit.tables if hit and first else [() for _ in self.groups]
        computed = seq.computed + (hit.tokens if hit and first else 0)
        if whole and self._needed(seq, len(seq.content), computed, found, True) + spare > (
            self.pool.free
        ):
            return None
        self._drop_skipped(seq, computed)
        if self._needed(seq, computed + new, computed, found) + spare > self.pool.free:
            return None
        if first:
            self._adopt(seq, computed, found)
        required = -(-(computed + new) // self.size)
        added = [self.pool.take(max(0, required - len(table))) for table in seq.tables]
        for table, blocks in zip(seq.tables, added, strict=True):
            table.extend(blocks)
        seq.computed = computed + new
        self._key_full(seq)
        return added

    def release(self, seq: Placed) -> None:
        """Give all blocks back, the last of each table to be reused first."""
        for table in seq.tables:
            self.pool.release(block for block in reversed(table) if block != NULL)
        seq.tables, seq.computed, seq.keyed = [], 0, 0

    def _needed(
        self,
        seq: Placed,
        tokens: int,
        computed: int,
        found: Sequence[Sequence[int]],
        claim: bool = False,
    ) -> int:
        """Blocks that leave the free list: new ones, and hit ones that nobody holds."""
        total = 0
        for index, group in enumerate(self.groups):
            required = -(-tokens // self.size)
            if claim:
                required = min(required, group.most_blocks(tokens, self._in_flight, self.size))
            if seq.tables:
                total += max(0, required - len(seq.tables[index]))
                continue
            skipped = group.skipped(computed) // self.size
            total += max(0, required - max(skipped, len(found[index])))
            refs = self.pool.refs
            total += sum(block != NULL and not refs[block] for block in found[index][skipped:])
        return total

    def _adopt(self, seq: Placed, computed: int, found: Sequence[Sequence[int]]) -> None:
        for group, blocks in zip(self.groups, found, strict=True):
            skipped = group.skipped(computed) // self.size
            kept = list(blocks[skipped:])
            self.pool.touch(block for block in kept if block != NULL)
            seq.tables.append([NULL] * skipped + kept)
        seq.keyed = computed // self.size

    def _drop_skipped(self, seq: Placed, computed: int) -> None:
        """Free blocks that no later token attends to; null takes their place."""
        for group, table in zip(self.groups, seq.tables, strict=False):
            gone: list[int] = []
            for index in range(min(group.skipped(computed) // self.size, len(table)) - 1, -1, -1):
                if table[index] == NULL:
                    break
                gone.append(table[index])
                table[index] = NULL
            self.pool.release(gone)

    def _extend_chains(self, seq: Placed) -> None:
        chain = seq.chains[-1] if seq.chains else seq.root
        for index in range(len(seq.chains), len(seq.content) // self.size):
            chain = self._prefixes.chain(chain, seq.content.block(index))
            seq.chains.append(chain)

    def _key_full(self, seq: Placed) -> None:
        full = min(seq.computed, len(seq.content)) // self.size
        if not self.caching or full <= seq.keyed:
            return
        self._extend_chains(seq)
        register, count, chains = self.pool.register, len(self.groups), seq.chains
        for number, table in enumerate(seq.tables):
            for index in range(seq.keyed, full):
                if table[index] != NULL:
                    register(table[index], chains[index] * count + number)
        seq.keyed = full
