"""Runs a script of block operations on one of the two caches and keeps what each step did.

Knows the script and the caches; `block_manager_sim` is the tool around it.
"""

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from tools.engine.paged_cache import PagedCache, Placed
from tools.engine.paper_blocks import PaperBlocks
from tools.engine.pool import BlockPool, OutOfBlocks
from tools.engine.script import Operation, Tokens

VERBS: Mapping[str, frozenset[str]] = {
    "admit": frozenset({"salt", "chunk"}),
    "append": frozenset(),
    "fork": frozenset(),
    "free": frozenset(),
    "find": frozenset({"salt"}),
}


@dataclass
class Done:
    """What one operation did; `refused` says why nothing happened."""

    operation: Operation
    hit: int = 0
    asked: int = 0
    """Tokens that looked for a prefix."""
    new: tuple[int, ...] = ()
    copied: int = 0
    refused: str = ""


class Listed:
    """Tokens as a list, in blocks of `size`."""

    def __init__(self, tokens: Sequence[int], size: int) -> None:
        self.tokens, self.size = list(tokens), size

    def __len__(self) -> int:
        """Tokens known."""
        return len(self.tokens)

    def block(self, index: int) -> Hashable:
        """The tokens of one full block."""
        return tuple(self.tokens[index * self.size : (index + 1) * self.size])


@dataclass
class PagedRun:
    """The script on vLLM V1's cache; there is no fork."""

    cache: PagedCache
    whole: bool
    """Admit only where all known tokens fit (scheduler_reserve_full_isl)."""
    tokens: Tokens = field(default_factory=Tokens)
    sequences: dict[str, tuple[Placed, Listed]] = field(default_factory=dict)

    @property
    def pool(self) -> BlockPool:
        """The pool under the cache."""
        return self.cache.pool

    def tables(self) -> dict[str, list[list[int]]]:
        """Block tables per sequence and group."""
        return {name: placed.tables for name, (placed, _) in self.sequences.items()}

    def run(self, op: Operation) -> Done:
        """Do one operation."""
        if op.verb == "find":
            content = Listed(self.tokens.read(op, 0), self.cache.size)
            placed = self.cache.start(content, op.options.get("salt", ""))
            return Done(op, self.cache.lookup(placed).tokens)
        name = op.name(0, "a sequence's name")
        match op.verb:
            case "admit":
                return self._admit(op, name)
            case "append":
                return self._append(op, name)
            case "free":
                placed, _ = self.sequences.pop(_known(op, name, self.sequences))
                self.cache.release(placed)
                return Done(op)
        raise op.wrong("vLLM V1 has no fork: use mode=paper, which models the vLLM paper")

    def _admit(self, op: Operation, name: str) -> Done:
        if name in self.sequences:
            raise op.wrong(f"{name} is held already: free it first, or append to it")
        content = Listed(self.tokens.read(op, 1), self.cache.size)
        placed = self.cache.start(content, op.options.get("salt", ""))
        hit = self.cache.lookup(placed)
        left = len(content) - hit.tokens
        new = min(left, op.number("chunk", left) or left)
        added = self.cache.allocate(placed, new, hit, whole=self.whole)
        if added is None:
            return Done(op, refused="the pool has too few free blocks")
        self.sequences[name] = (placed, content)
        return Done(op, hit.tokens, len(content), tuple(b for table in added for b in table))

    def _append(self, op: Operation, name: str) -> Done:
        placed, content = self.sequences[_known(op, name, self.sequences)]
        tokens = self.tokens.read(op, 1)
        new: list[int] = []
        for number, token in enumerate(tokens):
            content.tokens.append(token)
            added = self.cache.allocate(placed, len(content) - placed.computed)
            if added is None:
                content.tokens.pop()
                why = f"no free block for token {number + 1} of {len(tokens)}: preempt a sequence"
                return Done(op, new=tuple(new), refused=why)
            new += [block for table in added for block in table]
        return Done(op, new=tuple(new))


@dataclass
class PaperRun:
    """The script on the paper's cache, with fork and copy-on-write."""

    cache: PaperBlocks
    tokens: Tokens = field(default_factory=Tokens)

    @property
    def pool(self) -> BlockPool:
        """The pool under the cache."""
        return self.cache.pool

    def tables(self) -> dict[str, list[list[int]]]:
        """Block tables per sequence, one group."""
        return {str(name): [held.table] for name, held in self.cache.sequences.items()}

    def run(self, op: Operation) -> Done:
        """Do one operation."""
        if op.verb == "find":
            raise op.wrong("find is for mode=vllm")
        name = op.name(0, "a sequence's name")
        before, copies = set(self._table(name)), self.cache.copies
        done = Done(op)
        try:
            self._do(op, name, done)
        except OutOfBlocks as error:
            done.refused = f"{error}: preempt a sequence"
        if op.verb in ("admit", "append"):
            hit = done.hit // self.cache.size if op.verb == "admit" else 0
            done.new = tuple(b for b in self._table(name)[hit:] if b not in before)
        done.copied = self.cache.copies - copies
        return done

    def _do(self, op: Operation, name: str, done: Done) -> None:
        held = self.cache.sequences
        match op.verb:
            case "admit":
                _unknown(op, name, held)
                if "chunk" in op.options:
                    raise op.wrong("chunk= is for mode=vllm")
                prompt = self.tokens.read(op, 1)
                done.hit = self.cache.admit(name, prompt, op.options.get("salt", ""))
                done.asked = len(prompt)
            case "append":
                _known(op, name, held)
                for token in self.tokens.read(op, 1):
                    self.cache.append(name, token)
            case "fork":
                child = op.name(1, "the child's name")
                _unknown(op, child, held)
                self.cache.fork(_known(op, name, held), child)
            case "free":
                self.cache.release(_known(op, name, held))

    def _table(self, name: str) -> list[int]:
        held = self.cache.sequences.get(name)
        return held.table if held else []


def _known(op: Operation, name: str, sequences: Collection[object]) -> str:
    if name not in sequences:
        held = ", ".join(map(str, sequences)) or "none"
        raise op.wrong(f"{name} is not held; held: {held[:80]}")
    return name


def _unknown(op: Operation, name: str, sequences: Collection[object]) -> None:
    if name in sequences:
        raise op.wrong(f"{name} is held already: free it first")
