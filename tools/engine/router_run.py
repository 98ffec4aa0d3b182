"""Sends a trace of requests through a router and keeps what each decision rested on."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tools.engine.requests import Request
from tools.engine.router import Choice, Policy, Replica, View, choose


@dataclass(frozen=True)
class Setting:
    """A fleet and its router."""

    replicas: int
    policy: Policy
    ms_per_token: float
    room: int
    delay: float
    reserve: bool
    spill_ms: float | None
    """None: what a hit saves."""


@dataclass(frozen=True)
class Decision:
    """One request's way: what the router believed, chose, and got."""

    request: Request
    choice: Choice
    believed: tuple[float, ...]
    backlogs: tuple[float, ...]
    end: float
    hit: int
    informed: int
    """The replica that a view without delay and with reservations would have chosen."""


@dataclass
class Routed:
    """A finished run."""

    decisions: list[Decision] = field(default_factory=list)
    work: list[float] = field(default_factory=list)

    @property
    def waits(self) -> list[float]:
        """Seconds to the first token, sorted."""
        return sorted(d.end - d.request.arrival for d in self.decisions)

    @property
    def hit_rate(self) -> float:
        """Tokens found over prompt tokens."""
        asked = sum(d.request.prompt for d in self.decisions)
        return sum(d.hit for d in self.decisions) / asked


def route(requests: Sequence[Request], setting: Setting) -> Routed:
    """All requests in order of arrival."""
    replicas = [Replica(setting.room) for _ in range(setting.replicas)]
    views = [View(replica, setting.delay, setting.reserve) for replica in replicas]
    routed = Routed()
    for turn, request in enumerate(sorted(requests, key=lambda request: request.arrival)):
        now = request.arrival
        saving = request.shared * setting.ms_per_token / 1000
        spill = saving if setting.spill_ms is None else setting.spill_ms / 1000
        believed = [view.backlog(now) for view in views]
        held = [bool(request.prefix) and view.caches(request.prefix, now) for view in views]
        choice = choose(setting.policy, request, turn, believed, held, saving, spill)
        true = [max(0.0, replica.busy_until - now) for replica in replicas]
        there = [request.prefix in replica.prefixes for replica in replicas]
        best = choose(setting.policy, request, turn, true, there, saving, spill)
        end, hit = replicas[choice.index].serve(request, setting.ms_per_token)
        if 0 < request.shared <= setting.room:
            views[choice.index].promised[request.prefix] = now
        routed.decisions.append(
            Decision(request, choice, tuple(believed), tuple(true), end, hit, best.index)
        )
    routed.work = [replica.work for replica in replicas]
    return routed


def with_policy(setting: Setting, policy: Policy) -> Setting:
    """The same fleet under another policy."""
    return replace(setting, policy=policy)
