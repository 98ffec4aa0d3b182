"""Block tables with fork and copy-on-write as in the vLLM paper (SOSP 2023): a teaching model.

vLLM V1 has neither: beam search there admits each beam anew and hits the prefix cache.
"""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from tools.engine.pool import BlockPool, OutOfBlocks, Prefixes


@dataclass(slots=True)
class Held:
    """A sequence: its blocks, the chain of its full ones, and the tokens of the last, open one."""

    table: list[int]
    chain: int
    open: list[int]
    full: bool
    """Whether the last block of the table is full."""


class PaperBlocks:
    """Admit, append, fork and release over one pool; an exact repeat of a prompt hits all of it.

    Every operation either happens or raises OutOfBlocks and leaves all as it was.
    """

    def __init__(self, blocks: int, size: int = 16) -> None:
        self.pool = BlockPool(blocks, reuse="paper")
        self.size = size
        self.copies = 0
        self.sequences: dict[Hashable, Held] = {}
        self._prefixes = Prefixes()
        self._salts: dict[str, int] = {"": 0}

    def admit(self, name: Hashable, prompt: Sequence[int], salt: str = "") -> int:
        """Build the table of a new sequence; the number of tokens found in the cache."""
        size, pool, chained = self.size, self.pool, self._prefixes.chain
        chain = self._salts.setdefault(salt, -len(self._salts))
        whole = len(prompt) // size * size
        chains, table, at = [], [], 0
        while at < whole:
            chain = chained(chain, tuple(prompt[at : at + size]))
            found = pool.find(chain)
            if not found:
                break
            table.append(found)
            at += size
        hits = at
        if at < whole:
            chains.append(chain)
            for start in range(at + size, whole, size):
                chain = chained(chain, tuple(prompt[start : start + size]))
                chains.append(chain)
        fresh = -(-len(prompt) // size) - len(table)
        revived = sum(not pool.refs[block] for block in table)
        if fresh + revived > pool.free:
            raise OutOfBlocks(f"{fresh + revived} blocks needed, {pool.free} free")
        pool.touch(table)
        new = pool.take(fresh)
        for block, key in zip(new, chains, strict=False):
            self._seal(block, key)
        table += new
        self.sequences[name] = Held(table, chain, list(prompt[whole:]), whole == len(prompt))
        return hits

    def append(self, name: Hashable, token: int) -> None:
        """Write one token; a shared, open last block is copied first."""
        held, pool = self.sequences[name], self.pool
        last = held.table[-1] if held.table else 0
        if held.full:
            held.table += pool.take(1)
            held.full = False
        elif pool.refs[last] > 1:
            (copy,) = pool.take(1)
            pool.release((last,))
            held.table[-1] = copy
            self.copies += 1
        held.open.append(token)
        if len(held.open) == self.size:
            held.chain = self._prefixes.chain(held.chain, tuple(held.open))
            self._seal(held.table[-1], held.chain)
            held.open, held.full = [], True

    def fork(self, name: Hashable, child: Hashable) -> None:
        """The child shares every block of the sequence."""
        held = self.sequences[name]
        self.pool.touch(held.table)
        self.sequences[child] = Held(list(held.table), held.chain, list(held.open), held.full)

    def release(self, name: Hashable) -> None:
        """End a sequence: its last block becomes the first of its own to be reused."""
        self.pool.release(reversed(self.sequences.pop(name).table))

    def _seal(self, block: int, key: int) -> None:
        if not self.pool.find(key):
            self.pool.register(block, key)
