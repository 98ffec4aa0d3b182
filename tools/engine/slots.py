"""Where the scheduler gets KV slots: counted blocks, or a paged cache with prefix hits."""

from typing import Protocol

from tools.engine.paged_cache import Hit, PagedCache, Placed
from tools.engine.requests import Blockwise, Request


class Slots(Protocol):
    """KV blocks for requests. `hit` is the number of tokens that `lookup` promised."""

    size: int
    usable: int
    effort: int
    """Blocks compared in lookups so far: what a long run costs beside its steps."""

    @property
    def free(self) -> int:
        """Blocks that can be taken."""
        ...

    def lookup(self, request: Request) -> int:
        """Tokens of the request that are in the cache already."""
        ...

    def place(self, request: Request, upto: int, whole: bool = False, spare: int = 0) -> bool:
        """Room for the first `upto` tokens, or nothing changes; `whole`: all must fit."""
        ...

    def release(self, request: Request) -> None:
        """Take all blocks back."""
        ...


class CountedBlocks:
    """Blocks without identity: without a prefix cache only their number matters."""

    def __init__(self, usable: int, size: int) -> None:
        self.usable = self.free = usable
        self.size = size
        self.effort = 0

    def lookup(self, request: Request) -> int:
        """Nothing is cached."""
        return 0

    def place(self, request: Request, upto: int, whole: bool = False, spare: int = 0) -> bool:
        """Count the blocks that `upto` tokens need beyond those held."""
        size = self.size
        need = -(-upto // size) - request.blocks
        if need <= 0 and not spare and not whole:
            return True
        claim = -(-request.known // size) - request.blocks if whole else need
        if max(claim, need) + spare > self.free:
            return False
        if need > 0:
            self.free -= need
            request.blocks += need
        return True

    def release(self, request: Request) -> None:
        """All of the request's blocks are free again."""
        self.free += request.blocks
        request.blocks = 0


class CachedBlocks:
    """Blocks with prefixes: what a request computed can be hit by the next one."""

    def __init__(self, usable: int, size: int) -> None:
        self.usable, self.size = usable, size
        self.hits = self.asked = self.effort = 0
        self._cache = PagedCache(usable, size)
        self._placed: dict[str, Placed] = {}
        self._hits: dict[str, Hit] = {}

    @property
    def free(self) -> int:
        """Blocks that can be taken, cached prefixes included."""
        return self._cache.pool.free

    def lookup(self, request: Request) -> int:
        """The longest cached prefix, in whole blocks, short of the last token."""
        placed = self._placed.get(request.id)
        if placed is None:
            placed = self._placed[request.id] = self._cache.start(Blockwise(request, self.size))
        hit = self._hits[request.id] = self._cache.lookup(placed)
        self.effort += 1 + hit.tokens // self.size
        return hit.tokens

    def place(self, request: Request, upto: int, whole: bool = False, spare: int = 0) -> bool:
        """Slots up to `upto`; a first placement takes over the blocks of the hit."""
        placed = self._placed[request.id]
        hit = None if placed.tables else self._hits[request.id]
        new = upto - (hit.tokens if hit else placed.computed)
        if self._cache.allocate(placed, new, hit, whole, spare) is None:
            return False
        if hit:
            self.hits, self.asked = self.hits + hit.tokens, self.asked + request.known
        request.blocks = len(placed.tables[0])
        return True

    def release(self, request: Request) -> None:
        """Give the blocks back; full ones stay to be hit."""
        self._cache.release(self._placed[request.id])
        request.blocks = 0
        if request.done:
            del self._placed[request.id], self._hits[request.id]
