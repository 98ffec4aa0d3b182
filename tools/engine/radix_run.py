"""Requests over a radix cache: what they match, lock, hold for themselves and give back."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from tools.engine.radix_tree import Node, RadixTree
from tools.engine.script import Operation, Tokens

VERBS: Mapping[str, frozenset[str]] = {
    "admit": frozenset(),
    "append": frozenset(),
    "finish": frozenset(),
    "abort": frozenset(),
    "match": frozenset(),
    "evict": frozenset(),
}


@dataclass
class Running:
    """A request: its tokens, the node that it locks, and slots that are not in the tree."""

    tokens: list[int]
    node: Node
    cached: int
    """Tokens that lie in the tree, from the start."""
    own: list[int]
    """Slots of the tokens after those."""


@dataclass
class Done:
    """What one operation did."""

    operation: Operation
    hit: int = 0
    asked: int = 0
    gone: list[Node] = field(default_factory=list)
    """Evicted nodes."""
    splits: int = 0
    refused: str = ""


class RadixRun:
    """Slots 0 to `capacity` - 1, each free, in the tree or with one request."""

    def __init__(self, capacity: int, page: int) -> None:
        self.tree = RadixTree(page)
        self.capacity = capacity
        self.free = list(range(capacity - 1, -1, -1))
        self.requests: dict[str, Running] = {}
        self._tokens = Tokens()

    @property
    def own(self) -> int:
        """Tokens that requests hold outside the tree."""
        return sum(len(request.own) for request in self.requests.values())

    def run(self, op: Operation) -> Done:
        """Do one operation."""
        done, splits = Done(op), self.tree.splits
        match op.verb:
            case "match":
                done.hit = len(self.tree.match(self._tokens.read(op, 0))[0])
            case "evict":
                self._drop(op.count(0, self.capacity), done)
            case "admit":
                self._admit(op, done)
            case "append":
                self._append(op, done)
            case "finish" | "abort":
                self._leave(self._known(op), keep=op.verb == "finish")
        done.splits = self.tree.splits - splits
        return done

    def _admit(self, op: Operation, done: Done) -> None:
        """Match all but the last token, lock, compute the rest, and share the prompt at once."""
        name = op.name(0, "a request's name")
        if name in self.requests:
            raise op.wrong(f"{name} runs already: finish it first")
        tokens = self._tokens.read(op, 1)
        hit, node = self.tree.match(tokens[:-1])
        self.tree.lock(node)
        new = self._take(len(tokens) - len(hit), done)
        if new is None:
            self.tree.unlock(node)
            return
        done.hit, done.asked = len(hit), len(tokens)
        self.requests[name] = request = Running(list(tokens), node, len(hit), new)
        self._share(request)

    def _append(self, op: Operation, done: Done) -> None:
        request = self.requests[self._known(op)]
        tokens = self._tokens.read(op, 1)
        new = self._take(len(tokens), done)
        if new is not None:
            request.tokens += tokens
            request.own += new

    def _leave(self, name: str, *, keep: bool) -> None:
        request = self.requests.pop(name)
        if keep:
            self._share(request)
        self.tree.unlock(request.node)
        self.free += reversed(request.own)

    def _share(self, request: Running) -> None:
        """Put the request's whole pages into the tree and lock them instead."""
        tokens = tuple(request.tokens)
        whole = len(tokens) // self.tree.page * self.tree.page
        mine = [*self.tree.match(tokens[: request.cached])[0], *request.own]
        found = self.tree.insert(tokens, mine)
        # Where the tree had them already its slots count, and the request's own are spare.
        self.free += reversed(mine[request.cached : found])
        _, node = self.tree.match(tokens[:whole])
        self.tree.lock(node)
        self.tree.unlock(request.node)
        request.node, request.cached, request.own = node, whole, mine[whole:]

    def _take(self, count: int, done: Done) -> list[int] | None:
        """Free slots, after evicting what is missing; None if even that is too little."""
        missing = count - len(self.free)
        if missing > self.tree.evictable:
            done.refused = f"{count:,} slots needed, {len(self.free):,} free and "
            done.refused += f"{self.tree.evictable:,} evictable"
            return None
        if missing > 0:
            self._drop(missing, done)
        return [self.free.pop() for _ in range(count)]

    def _drop(self, count: int, done: Done) -> None:
        done.gone += self.tree.evict(count)
        for node in done.gone:
            self.free += reversed(node.slots)

    def _known(self, op: Operation) -> str:
        name = op.name(0, "a request's name")
        if name not in self.requests:
            held = ", ".join(self.requests) or "none"
            raise op.wrong(f"{name} does not run; running: {held[:80]}")
        return name
