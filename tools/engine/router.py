"""Replicas that prefill one prompt at a time, and a router that sees them late.

A replica keeps whole prefixes up to a number of tokens, the least recently used goes first.
"""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from tools.engine.requests import Request

Policy = Literal["affinity", "round_robin", "least_loaded", "predicted"]


@dataclass
class Replica:
    """Serves in order of arrival. Its whole future is known once a request is sent."""

    room: int
    """Tokens of prefixes that it keeps."""
    busy_until: float = 0.0
    work: float = 0.0
    kept: int = 0
    """Tokens of the prefixes."""
    prefixes: OrderedDict[str, int] = field(default_factory=OrderedDict)
    sent: list[tuple[float, float]] = field(default_factory=list)
    """(when sent, busy until then) of every request, for a late view."""
    notices: list[tuple[float, str, bool]] = field(default_factory=list)
    """(when, prefix, kept or evicted)."""

    def serve(self, request: Request, ms_per_token: float) -> tuple[float, int]:
        """Queue a request: when its prefill ends, and the tokens that it found cached."""
        start = max(request.arrival, self.busy_until)
        hit = min(self.prefixes.get(request.prefix, 0), request.shared)
        took = (request.prompt - hit) * ms_per_token / 1000
        self.busy_until = start + took
        self.work += took
        self.sent.append((request.arrival, self.busy_until))
        if request.shared:
            self._keep(request)
        return self.busy_until, hit

    def _keep(self, request: Request) -> None:
        self.kept -= self.prefixes.pop(request.prefix, 0)
        if request.shared > self.room:
            return
        self.prefixes[request.prefix] = request.shared
        self.kept += request.shared
        self.notices.append((self.busy_until, request.prefix, True))
        while self.kept > self.room:
            gone, tokens = self.prefixes.popitem(last=False)
            self.kept -= tokens
            self.notices.append((self.busy_until, gone, False))


@dataclass
class View:
    """What the router knows of one replica, reported `delay` seconds ago."""

    replica: Replica
    delay: float
    reserve: bool
    """Whether the router adds what it has sent since the report."""
    told: set[str] = field(default_factory=set)
    promised: dict[str, float] = field(default_factory=dict)
    """Prefixes sent there, with the time, until they are reported or evicted."""
    _sent: int = 0
    _noticed: int = 0

    def backlog(self, now: float) -> float:
        """Seconds of work queued, as believed."""
        then, sent = now - self.delay, self.replica.sent
        while self._sent < len(sent) and sent[self._sent][0] <= then:
            self._sent += 1
        reported = sent[self._sent - 1][1] if self._sent else 0.0
        if not self.reserve:
            return max(0.0, reported - then)
        # Its own requests since then push the end of the queue back; time has passed too.
        return max(0.0, self.replica.busy_until - now)

    def caches(self, prefix: str, now: float) -> bool:
        """Whether the prefix is there, as believed."""
        then, notices = now - self.delay, self.replica.notices
        while self._noticed < len(notices) and notices[self._noticed][0] <= then:
            at, name, kept = notices[self._noticed]
            self._noticed += 1
            (self.told.add if kept else self.told.discard)(name)
            if not kept and self.promised.get(name, now) <= at:
                del self.promised[name]
        return prefix in self.told or (self.reserve and prefix in self.promised)


@dataclass(frozen=True)
class Choice:
    """A replica, and whether it was chosen away from the prefix's home."""

    index: int
    spilled: bool = False


def home(prefix: str, replicas: int) -> int:
    """The replica of a prefix by rendezvous hashing: few move when a replica is added."""
    return max(range(replicas), key=lambda index: _weight(f"{prefix}/{index}"))


def _weight(text: str) -> bytes:
    return blake2b(text.encode(), digest_size=8).digest()


def choose(
    policy: Policy,
    request: Request,
    turn: int,
    backlogs: Sequence[float],
    cached: Sequence[bool],
    saving: float,
    spill: float,
) -> Choice:
    """The replica for a request. `saving`: seconds of prefill that a hit saves."""
    least = min(range(len(backlogs)), key=lambda index: (backlogs[index], index))
    match policy:
        case "round_robin":
            return Choice(turn % len(backlogs))
        case "least_loaded":
            return Choice(least)
        case "predicted":
            ends = [b - (saving if c else 0.0) for b, c in zip(backlogs, cached, strict=True)]
            return Choice(min(range(len(ends)), key=lambda index: (ends[index], index)))
    if not request.prefix:
        return Choice(least)
    at = home(request.prefix, len(backlogs))
    if backlogs[at] - backlogs[least] > spill:
        return Choice(least, spilled=True)
    return Choice(at)
