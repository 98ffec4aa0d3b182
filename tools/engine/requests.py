"""A request as the scheduler sees it, and the queue in which it waits."""

from collections import deque
from collections.abc import Hashable
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import Literal, Protocol

Policy = Literal["fcfs", "priority"]


@dataclass(slots=True, eq=False)
class Request:
    """Prompt and output in tokens, times in seconds. A lower priority number goes first."""

    id: str
    prompt: int
    output: int
    arrival: float = 0.0
    priority: int = 0
    prefix: str = ""
    shared: int = 0
    """The first `shared` prompt tokens are the same in all requests with this prefix."""

    computed: int = 0
    known: int = 0
    """Tokens whose position is known: the prompt and every sampled one."""
    sampled: int = 0
    done: bool = False
    """Every token was sampled; in async scheduling its last one may still be in flight."""
    blocks: int = 0
    preemptions: int = 0
    first_at: float = -1.0
    last_at: float = -1.0
    order: int = 0
    """Place among all that came, given by the scheduler."""

    def __post_init__(self) -> None:
        self.known = self.prompt

    @property
    def urgency(self) -> tuple[int, float, int]:
        """The lowest goes first. The order decides ties, or two equals could preempt in turn."""
        return self.priority, self.arrival, self.order


@dataclass(slots=True)
class Blockwise:
    """A request's content in blocks of `size`, told apart by owner and place, not by tokens."""

    request: Request
    size: int

    def __len__(self) -> int:
        """Known tokens."""
        return self.request.known

    def block(self, index: int) -> Hashable:
        """The shared prefix where the block lies in it, else the request itself."""
        request = self.request
        end = (index + 1) * self.size
        return request.prefix if end <= request.shared else (request.id,)


class Queue(Protocol):
    """Requests that wait, the next one in front."""

    def __len__(self) -> int:
        """How many wait."""
        ...

    def head(self) -> Request:
        """The next one."""
        ...

    def pop(self) -> Request:
        """Take the next one out."""
        ...

    def add(self, request: Request) -> None:
        """A new one joins."""
        ...

    def give_back(self, request: Request) -> None:
        """A preempted one returns."""
        ...


class FirstCome:
    """First come, first served; a preempted request returns to the front."""

    def __init__(self) -> None:
        self._queue: deque[Request] = deque()

    def __len__(self) -> int:
        """How many wait."""
        return len(self._queue)

    def head(self) -> Request:
        """The oldest."""
        return self._queue[0]

    def pop(self) -> Request:
        """Take the oldest out."""
        return self._queue.popleft()

    def add(self, request: Request) -> None:
        """Behind all."""
        self._queue.append(request)

    def give_back(self, request: Request) -> None:
        """Before all."""
        self._queue.appendleft(request)


class ByPriority:
    """The lowest priority number first, then the earliest arrival."""

    def __init__(self) -> None:
        self._heap: list[tuple[tuple[int, float, int], Request]] = []

    def __len__(self) -> int:
        """How many wait."""
        return len(self._heap)

    def head(self) -> Request:
        """The most urgent."""
        return self._heap[0][1]

    def pop(self) -> Request:
        """Take the most urgent out."""
        return heappop(self._heap)[1]

    def add(self, request: Request) -> None:
        """In its place."""
        heappush(self._heap, (request.urgency, request))

    give_back = add


def queue_for(policy: Policy) -> Queue:
    """The waiting queue of a scheduling policy."""
    return ByPriority() if policy == "priority" else FirstCome()
