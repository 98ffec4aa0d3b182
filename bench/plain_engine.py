"""Plain re-implementations to measure the simulators against: block objects in lists, a bare loop.

Written as a teaching text would: each step looks at every request, each release walks a list.
"""

import hashlib
from collections import deque
from dataclasses import dataclass, field

BLOCK = 16


@dataclass(eq=False)
class PlainBlock:
    number: int
    refs: int = 0
    tokens: list[int] = field(default_factory=list)
    digest: str = ""


class PlainBlocks:
    """Free blocks in a list, prefixes by sha256 of the tokens' text; nothing is kept for speed."""

    def __init__(self, blocks: int) -> None:
        self.free = [PlainBlock(number) for number in range(blocks)]
        self.found: dict[str, PlainBlock] = {}
        self.tables: dict[int, list[PlainBlock]] = {}

    def admit(self, name: int, prompt: list[int]) -> int:
        """Tokens found in the cache."""
        table: list[PlainBlock] = []
        hits = 0
        for start in range(0, len(prompt), BLOCK):
            chunk = prompt[start : start + BLOCK]
            digest = self._digest(table, chunk)
            block = self.found.get(digest)
            if block is not None and hits == start:
                hits += BLOCK
                if block.refs == 0:
                    self.free.remove(block)
                block.refs += 1
            else:
                block = self._take(chunk)
                self._seal(block, digest)
            table.append(block)
        self.tables[name] = table
        return hits

    def append(self, name: int, token: int) -> None:
        table = self.tables[name]
        if len(table[-1].tokens) == BLOCK:
            table.append(self._take([]))
        block = table[-1]
        block.tokens.append(token)
        self._seal(block, self._digest(table[:-1], block.tokens))

    def release(self, name: int) -> None:
        for block in reversed(self.tables.pop(name)):
            block.refs -= 1
            if block.refs == 0:
                self.free.append(block)

    def _take(self, tokens: list[int]) -> PlainBlock:
        block = self.free.pop(0)
        if block.digest and self.found.get(block.digest) is block:
            del self.found[block.digest]
        block.refs, block.tokens, block.digest = 1, list(tokens), ""
        return block

    def _digest(self, before: list[PlainBlock], tokens: list[int]) -> str:
        parent = before[-1].digest if before else ""
        return hashlib.sha256(f"{parent}{tokens}".encode()).hexdigest()

    def _seal(self, block: PlainBlock, digest: str) -> None:
        if len(block.tokens) == BLOCK:
            block.digest = digest
            self.found.setdefault(digest, block)


@dataclass(slots=True, eq=False)
class PlainRequest:
    prompt: int
    output: int
    arrival: float
    computed: int = 0
    sampled: int = 0
    blocks: int = 0
    first: float = -1.0
    end: float = -1.0


class BareLoop:
    """Continuous batching with chunks and preemption over counted blocks, without any metric."""

    def __init__(self, blocks: int, budget: int, most: int) -> None:
        self.free, self.budget, self.most = blocks, budget, most
        self.waiting: deque[PlainRequest] = deque()
        self.running: list[PlainRequest] = []
        self.decoded = 0

    def run(self, requests: list[PlainRequest]) -> int:
        """All requests to their end; tokens decoded."""
        now, came = 0.0, 0
        while came < len(requests) or self.waiting or self.running:
            while came < len(requests) and requests[came].arrival <= now:
                self.waiting.append(requests[came])
                came += 1
            if not self.waiting and not self.running:
                now = requests[came].arrival
                continue
            left, context = self._serve()
            left, context = self._admit(left, context)
            now += max(0.010 + context * 2e-8, (self.budget - left) * 1e-6)
            self._emit(now)
        return self.decoded

    def _serve(self) -> tuple[int, int]:
        running, left, context, index = self.running, self.budget, 0, 0
        while index < len(running) and left:
            request = running[index]
            new = request.prompt + request.sampled - request.computed
            new = new if new < left else left
            need = -(-(request.computed + new) // BLOCK) - request.blocks
            while need > self.free and running[-1] is not request:
                victim = running.pop()
                self.free += victim.blocks
                victim.computed = victim.blocks = 0
                self.waiting.appendleft(victim)
            if need > self.free:
                break
            self.free -= need
            request.blocks += need
            request.computed += new
            left -= new
            context += request.computed
            index += 1
        return left, context

    def _admit(self, left: int, context: int) -> tuple[int, int]:
        while self.waiting and left and len(self.running) < self.most:
            request = self.waiting[0]
            known = request.prompt + request.sampled
            if -(-known // BLOCK) > self.free:
                break
            new = known if known < left else left
            self.running.append(self.waiting.popleft())
            request.blocks = -(-new // BLOCK)
            self.free -= request.blocks
            request.computed = new
            left -= new
            context += new
        return left, context

    def _emit(self, now: float) -> None:
        ended = False
        for request in self.running:
            if request.computed == request.prompt + request.sampled:
                request.sampled += 1
                self.decoded += 1
                if request.first < 0:
                    request.first = now
                if request.sampled == request.output:
                    request.end = now
                    self.free += request.blocks
                    ended = True
        if ended:
            self.running = [request for request in self.running if request.end < 0]
