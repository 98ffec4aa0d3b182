"""The free list and the prefix map of a paged KV cache; every operation is O(1) a block.

Knows neither requests nor tokens: a block's content is an integer key that stands for its prefix.
"""

from collections import OrderedDict
from collections.abc import Hashable, Iterable
from typing import Literal

Reuse = Literal["vllm", "paper"]


class OutOfBlocks(Exception):
    """More blocks were asked for than are free; nothing was taken."""


class Prefixes:
    """Gives each distinct chain of block contents one integer: exact, so nothing can collide.

    0 is the empty chain. An engine hashes the chain instead (vLLM: sha256 of parent and tokens).
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, Hashable], int] = {}

    def chain(self, parent: int, content: Hashable) -> int:
        """The id of `parent` followed by a full block of `content`."""
        ids = self._ids
        return ids.setdefault((parent, content), len(ids) + 1)


class BlockPool:
    """Blocks 1 to `blocks`, their reference counts, the order of reuse and the prefix map.

    The free list is three parts, reused in this order: returned blocks without a key (last in,
    first out), blocks never used, returned blocks with a key (least recently used first). With
    reuse='paper' every returned block joins the last part, as in the teaching model.
    """

    def __init__(self, blocks: int, reuse: Reuse = "vllm") -> None:
        self.blocks = blocks
        self.evictions = 0
        self.free = blocks
        self.refs = [0] * (blocks + 1)
        self._plain_first = reuse == "vllm"
        self._front: list[int] = []  # its last element is reused first
        self._unused = 1
        self._tail: OrderedDict[int, None] = OrderedDict()
        self._key_of: dict[int, int] = {}
        self._by_key: dict[int, int | dict[int, None]] = {}

    @property
    def used(self) -> int:
        """Blocks with at least one reference."""
        return self.blocks - self.free

    @property
    def keys(self) -> int:
        """Distinct prefixes that can be hit."""
        return len(self._by_key)

    def take(self, count: int) -> list[int]:
        """The next `count` blocks in the order of reuse, with one reference each.

        A key that a block held is forgotten. Raises OutOfBlocks and changes nothing if too few.
        """
        if count > self.free:
            raise OutOfBlocks(f"{count} blocks asked for, {self.free} free")
        self.free -= count
        refs, front, tail = self.refs, self._front, self._tail
        taken: list[int] = []
        for _ in range(count):
            if front:
                block = front.pop()
            elif self._unused <= self.blocks:
                block = self._unused
                self._unused += 1
            else:
                block = tail.popitem(last=False)[0]
                if block in self._key_of:
                    self._forget(block)
            refs[block] = 1
            taken.append(block)
        return taken

    def touch(self, blocks: Iterable[int]) -> None:
        """One more reference to each; a free one leaves the free list with its content."""
        refs = self.refs
        for block in blocks:
            if refs[block] == 0:
                del self._tail[block]
                self.free -= 1
            refs[block] += 1

    def release(self, blocks: Iterable[int]) -> None:
        """One reference less; those without any join the free list, the first reused first."""
        refs, keyed, tail = self.refs, self._key_of, self._tail
        plain: list[int] = []
        for block in blocks:
            refs[block] -= 1
            if refs[block]:
                continue
            self.free += 1
            if self._plain_first and block not in keyed:
                plain.append(block)
            else:
                tail[block] = None
        if plain:
            self._front.extend(reversed(plain))

    def register(self, block: int, key: int) -> None:
        """Let `key` find this block. Several blocks may hold one key: there is no merging."""
        self._key_of[block] = key
        known = self._by_key.get(key)
        if known is None:
            self._by_key[key] = block
        elif isinstance(known, dict):
            known[block] = None
        else:
            self._by_key[key] = {known: None, block: None}

    def find(self, key: int) -> int:
        """The oldest block with this key, or 0."""
        known = self._by_key.get(key, 0)
        return next(iter(known)) if isinstance(known, dict) else known

    def key(self, block: int) -> int:
        """The key under which a block can be found, or 0."""
        return self._key_of.get(block, 0)

    def free_order(self) -> list[int]:
        """The free blocks, the one reused first in front."""
        return [*reversed(self._front), *range(self._unused, self.blocks + 1), *self._tail]

    def _forget(self, block: int) -> None:
        self.evictions += 1
        key = self._key_of.pop(block)
        known = self._by_key[key]
        if isinstance(known, dict) and len(known) > 1:
            del known[block]
        else:
            del self._by_key[key]
