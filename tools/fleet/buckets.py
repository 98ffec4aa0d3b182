"""Token buckets replayed over a list of requests; no clock, no I/O: times are the requests' own."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import Any

from pydantic import Field

from tools.arguments import Arguments

SLACK = 1e-9
"""Relative rounding of a level that a request may lean on."""


class Request(Arguments):
    """One request, with what it will turn out to use."""

    user: str = Field(default="a", min_length=1, max_length=40, description="Who asks")
    at_s: float = Field(ge=0, le=1e7, description="Time of arrival in s")
    prompt_tokens: int = Field(ge=0, le=10**8, description="Tokens of the prompt")
    max_tokens: int = Field(ge=0, le=10**8, description="Most tokens that it may yield: reserved")
    output_tokens: int = Field(ge=0, le=10**8, description="Tokens that it yields in the end")
    seconds: float = Field(default=10, ge=0, le=1e6, description="Time until it ends, in s")


@dataclass
class Bucket:
    """Tokens that refill at a rate up to a size; it starts full."""

    rate: float
    size: float
    level: float = field(init=False)
    at: float = 0.0

    def __post_init__(self) -> None:
        """Fill it."""
        self.level = self.size

    def refill(self, now: float) -> None:
        """Bring the level up to `now`, in s."""
        self.level = min(self.size, self.level + (now - self.at) * self.rate)
        self.at = now

    def wait(self, tokens: float) -> float:
        """Seconds until it holds `tokens`; 0 if it does; infinite if it never can."""
        if tokens > self.size:
            return float("inf")
        missing = tokens - self.level
        return missing / self.rate if missing > SLACK * self.size else 0.0

    def add(self, tokens: float) -> None:
        """Take (negative) or give back tokens, never over the size."""
        self.level = min(self.size, self.level + tokens)


@dataclass
class Limited:
    """What a replay counted; tokens are those of the shared bucket."""

    admitted: int = 0
    delayed: int = 0
    never: int = 0
    reserved: int = 0
    used: int = 0
    refunded: int = 0
    worst_window: float = 0.0
    """Most that the charge of any window exceeded rate x window by."""
    table: list[dict[str, Any]] = field(default_factory=list)


def replay(
    requests: Sequence[Request],
    shared: Bucket,
    own: tuple[float, float] | None,
    *,
    refund: bool,
) -> Limited:
    """Run the events in order of time; `own` is rate and size of each user's bucket."""
    users: dict[str, Bucket] = {}
    run, net, lowest = Limited(), 0.0, 0.0
    # kind 0 is an end and precedes an arrival (1) of the same time
    events = [(request.at_s, 1, number) for number, request in enumerate(requests)]
    heapify(events)
    while events:
        now, kind, number = heappop(events)
        request = requests[number]
        buckets = [shared]
        if own:
            buckets.append(users.setdefault(request.user, Bucket(*own)))
        for bucket in buckets:
            bucket.refill(now)
        lowest = min(lowest, net - shared.rate * now)
        if kind:
            change = _arrive(run, request, buckets)
            if change is not None:
                heappush(events, (now + request.seconds, 0, number))
        else:
            change = _end(run, request, buckets) if refund else 0
        net += change or 0
        run.worst_window = max(run.worst_window, net - shared.rate * now - lowest)
        if run.table:
            run.table[-1].update(left=shared.level, own=buckets[-1].level)
    return run


def _arrive(run: Limited, request: Request, buckets: list[Bucket]) -> int | None:
    """Reserve in every bucket or in none; the tokens reserved, or None if it was refused."""
    tokens = request.prompt_tokens + request.max_tokens
    wait = max(bucket.wait(tokens) for bucket in buckets)
    row = {"at_s": request.at_s, "user": request.user, "tokens": tokens}
    if wait:
        lost = wait == float("inf")
        run.never, run.delayed = run.never + lost, run.delayed + (not lost)
        what = "refuse for good" if lost else "refuse"
        run.table.append({**row, "event": what, "retry_after_s": None if lost else wait})
        return None
    for bucket in buckets:
        bucket.add(-tokens)
    run.admitted, run.reserved = run.admitted + 1, run.reserved + tokens
    run.used += request.prompt_tokens + request.output_tokens
    run.table.append({**row, "event": "admit", "retry_after_s": None})
    return tokens


def _end(run: Limited, request: Request, buckets: list[Bucket]) -> int:
    """Give back what was not used; the negative of it."""
    back = request.max_tokens - request.output_tokens
    for bucket in buckets:
        bucket.add(back)
    run.refunded += back
    at = request.at_s + request.seconds
    row = {"at_s": at, "user": request.user, "tokens": back, "event": "refund"}
    run.table.append({**row, "retry_after_s": None})
    return -back
