"""Requests that get one token in every step, counted together: a step costs what changes in it.

Their progress is the number of steps since they joined; it is written back when they go.
"""

from collections.abc import Iterator

from tools.engine.requests import Request


class Decoders:
    """Steady decoders over blocks of `size` tokens: who needs a block or ends at which step."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._steps = 0
        self._base: dict[Request, int] = {}
        self._due = [0] * size
        """How many need a new block in a step, by step modulo the block size."""
        self._ends: dict[int, list[Request]] = {}
        self.context = 0
        """Tokens that they attend to in the next step."""

    def __len__(self) -> int:
        """How many decode."""
        return len(self._base)

    def __iter__(self) -> Iterator[Request]:
        """Those that decode, in order of joining."""
        return iter(self._base)

    def __contains__(self, request: Request) -> bool:
        """Whether it is counted here."""
        return request in self._base

    @property
    def needing_a_block(self) -> int:
        """Blocks that the next step takes."""
        return self._due[self._steps % self._size]

    def computed(self, request: Request) -> int:
        """Tokens of one of them in the cache."""
        return self._base[request] + self._steps

    def join(self, request: Request, last: int) -> None:
        """A request whose next token is its turn; it ends when it has sampled `last` tokens."""
        base = self._base[request] = request.computed - self._steps
        self._due[-base % self._size] += 1
        self._ends.setdefault(self._steps + last - request.sampled, []).append(request)
        self.context += request.known

    def tick(self) -> list[Request]:
        """Everyone got a token; those that ended leave with their progress written back."""
        self._steps += 1
        self.context += len(self._base)
        ended = self._ends.pop(self._steps, [])
        for request in ended:
            self._take_out(request)
        return ended

    def dissolve(self) -> list[Request]:
        """Everyone leaves with the progress written back."""
        everyone = list(self._base)
        for request in everyone:
            self._take_out(request)
        self._ends.clear()
        return everyone

    def _take_out(self, request: Request) -> None:
        base = self._base.pop(request)
        self._due[-base % self._size] -= 1
        steps = base + self._steps - request.computed
        request.computed += steps
        request.known += steps
        request.sampled += steps
        request.blocks = -(-request.computed // self._size)
        self.context -= request.known
