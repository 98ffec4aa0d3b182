"""Formulas of waiting lines: Pollaczek-Khinchine, Erlang C, tails. Seconds and requests; no I/O."""

from collections.abc import Callable
from dataclasses import dataclass
from math import exp, log


def erlang_c(servers: int, offered: float) -> float:
    """Chance that an arrival waits in M/M/c; `offered` is arrival rate x service time, below c."""
    blocked = 1.0
    for number in range(1, servers + 1):
        blocked = offered * blocked / (number + offered * blocked)
    return blocked / (1 - offered / servers * (1 - blocked))


@dataclass(frozen=True)
class Queue:
    """A first-come-first-served queue with Poisson arrivals; stable, so utilisation is below 1."""

    rate: float
    """Arrivals per second."""
    service: float
    """Mean service time in seconds."""
    scv: float = 1.0
    """Variance of the service time over the square of its mean."""
    servers: int = 1

    @property
    def utilisation(self) -> float:
        """Share of the time that a server is busy."""
        return self.rate * self.service / self.servers

    @property
    def waits(self) -> float:
        """Chance to wait at all: the utilisation for one server, Erlang C for more."""
        if self.servers == 1:
            return self.utilisation
        return erlang_c(self.servers, self.rate * self.service)

    @property
    def mean_of_waiters(self) -> float:
        """Mean wait in seconds of those that wait at all."""
        return self.service / self.servers / (1 - self.utilisation) * (1 + self.scv) / 2

    @property
    def mean_wait(self) -> float:
        """Mean wait: Pollaczek-Khinchine for one server, Allen-Cunneen's scaling for more."""
        return self.waits * self.mean_of_waiters

    def late(self, wait: float) -> float:
        """Chance to wait longer than `wait` seconds, by an exponential tail of the right mean."""
        return self.waits * exp(-wait / self.mean_of_waiters)

    def wait_quantile(self, quantile: float) -> float:
        """Wait in seconds that a share `quantile` of the requests stays within."""
        beyond = 1 - quantile
        return self.mean_of_waiters * log(self.waits / beyond) if self.waits > beyond else 0.0

    def at(self, utilisation: float) -> "Queue":
        """The same queue with the arrivals that make this utilisation."""
        rate = utilisation * self.servers / self.service
        return Queue(rate, self.service, self.scv, self.servers)


def highest_utilisation(within: Callable[[float], bool]) -> float:
    """Largest utilisation below 1 for which `within` holds, where it holds up to a point."""
    low, high = 0.0, 1.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if within(middle) else (low, middle)
    return low
