"""SGLang's radix cache: a compressed tree of token prefixes, locks on paths, eviction of leaves.

Holds slots (KV indices) of tokens. Knows no requests: `radix_run` does.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush

Key = tuple[int, ...]


@dataclass(eq=False)
class Node:
    """An edge's tokens with their slots; `locks` counts requests that run below or at it."""

    number: int
    key: Key
    slots: list[int]
    parent: "Node | None"
    children: dict[Key, "Node"] = field(default_factory=dict)
    locks: int = 0
    used: int = 0
    """When it was last walked over, in operations."""


class RadixTree:
    """Prefixes in pages of `page` tokens: an edge splits only between pages."""

    def __init__(self, page: int = 1) -> None:
        self.page = page
        self.root = Node(0, (), [], None, locks=1)
        self.splits = self.evicted = 0
        self.evictable = self.protected = 0
        """Tokens of unlocked and of locked nodes."""
        self._numbers = self._clock = 0

    def __iter__(self) -> Iterator[tuple[Node, int]]:
        """Every node below the root with its depth, parents first."""
        stack = [(child, 0) for child in reversed(self.root.children.values())]
        while stack:
            node, depth = stack.pop()
            yield node, depth
            stack.extend((child, depth + 1) for child in reversed(node.children.values()))

    def match(self, tokens: Key) -> tuple[list[int], Node]:
        """Slots of the longest cached prefix in whole pages, and its last node.

        An edge that matches in part is split, so that the prefix ends at a node.
        """
        self._clock += 1
        node, at, slots = self.root, 0, list[int]()
        while child := node.children.get(tokens[at : at + self.page]):
            child.used = self._clock
            same = self._common(child.key, tokens, at)
            if same < len(child.key):
                child = self._split(child, same)
            slots += child.slots
            node, at = child, at + same
            if at + self.page > len(tokens):
                break
        return slots, node

    def insert(self, tokens: Key, slots: Sequence[int]) -> int:
        """Add a sequence; the number of its tokens that were in the tree already.

        Those keep the slots that the tree has: the caller still owns its own for them.
        """
        whole = len(tokens) // self.page * self.page
        found, node = self.match(tokens[:whole])
        at = len(found)
        if at < whole:
            self._numbers += 1
            leaf = Node(self._numbers, tokens[at:whole], list(slots[at:whole]), node)
            leaf.used = self._clock
            node.children[leaf.key[: self.page]] = leaf
            self.evictable += whole - at
        return at

    def lock(self, node: Node) -> None:
        """Keep the path from the root to `node`."""
        while node.parent:
            if not node.locks:
                self.evictable -= len(node.key)
                self.protected += len(node.key)
            node.locks += 1
            node = node.parent

    def unlock(self, node: Node) -> None:
        """Give the path up; what nobody else locks may be evicted."""
        while node.parent:
            node.locks -= 1
            if not node.locks:
                self.protected -= len(node.key)
                self.evictable += len(node.key)
            node = node.parent

    def evict(self, tokens: int) -> list[Node]:
        """Drop unlocked leaves, the least recently used first, until `tokens` are free.

        A parent whose last child goes becomes a leaf itself. The nodes that went, with slots.
        """
        leaves = [
            (node.used, node.number, node)
            for node, _ in self
            if not node.children and not node.locks
        ]
        heapify(leaves)
        gone: list[Node] = []
        while tokens > 0 and leaves:
            _, _, node = heappop(leaves)
            parent = node.parent
            assert parent is not None
            del parent.children[node.key[: self.page]]
            gone.append(node)
            tokens -= len(node.key)
            self.evictable -= len(node.key)
            self.evicted += len(node.key)
            if not parent.children and not parent.locks:
                heappush(leaves, (parent.used, parent.number, parent))
        return gone

    def _common(self, key: Key, tokens: Key, at: int) -> int:
        """Tokens that agree, in whole pages."""
        if tokens[at : at + len(key)] == key:
            return len(key)
        most = min(len(key), len(tokens) - at)
        same = next((n for n in range(most) if key[n] != tokens[at + n]), most)
        return same // self.page * self.page

    def _split(self, child: Node, at: int) -> Node:
        """A new parent takes the first `at` tokens of an edge, and its locks."""
        parent = child.parent
        assert parent is not None
        self.splits += 1
        self._numbers += 1
        upper = Node(self._numbers, child.key[:at], child.slots[:at], parent, locks=child.locks)
        upper.used = child.used
        upper.children[child.key[at : at + self.page]] = child
        parent.children[upper.key[: self.page]] = upper
        child.key, child.slots, child.parent = child.key[at:], child.slots[at:], upper
        return upper
