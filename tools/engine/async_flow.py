"""An engine that plans a step before the last one's tokens are back: tickets, placeholders, fences.

Each step carries tickets that say whose token each row is. Two wrong ways can be switched on.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Literal

from tools.engine.pool import BlockPool, OutOfBlocks

Routing = Literal["ticket", "row", "name"]
Frees = Literal["deferred", "immediate"]
EOS = 0
VOCABULARY = 50_000


def draw(seed: str, position: int) -> int:
    """The token at an address: depends on the request's seed and its position, on nothing else."""
    digest = blake2b(f"{seed}/{position}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") % VOCABULARY + 1


@dataclass(eq=False)
class Live:
    """A request: what it may still launch, what came back, and its pages."""

    name: str
    generation: int
    prompt: int
    most: int
    seed: str
    launched: int = 0
    tokens: list[int] = field(default_factory=list)
    pages: list[int] = field(default_factory=list)
    ended: str = ""

    @property
    def label(self) -> str:
        """Name and generation: the same name can be admitted again."""
        return f"{self.name}#{self.generation}"


@dataclass(frozen=True)
class Ticket:
    """One row of a step: whose token it computes, where, and from which input."""

    request: Live
    row: int
    position: int
    placeholder: bool
    """Whether its input token is not back on the host yet."""
    pages: tuple[int, ...]
    """Pages that the step may write or read."""


@dataclass
class Flight:
    """A step on the device."""

    number: int
    tickets: tuple[Ticket, ...]


@dataclass
class Counts:
    """What happened over the whole run."""

    emitted: int = 0
    wasted: int = 0
    placeholders: int = 0
    dropped: int = 0
    duplicates: int = 0
    misrouted: int = 0
    corrupted: int = 0
    deferred: int = 0


class AsyncEngine:
    """Requests, steps in flight and pages. Operations return what is to be told of them."""

    def __init__(
        self, pages: int, size: int, depth: int, routing: Routing, frees: Frees, seed: int
    ) -> None:
        self.pool = BlockPool(pages)
        self.rows: list[Live] = []
        self.flights: list[Flight] = []
        self.owed: list[tuple[int, Live, tuple[int, ...]]] = []
        """Pages of ended requests, until the step with that number is back."""
        self.everyone: list[Live] = []
        self.counts = Counts()
        self.launched = 0
        self._size, self._depth, self._routing, self._frees = size, depth, routing, frees
        self._seed = seed

    def find(self, name: str) -> Live | None:
        """The running request of this name."""
        return next((request for request in self.rows if request.name == name), None)

    def admit(self, name: str, prompt: int, most: int, seed: str) -> str:
        """A request joins the rows."""
        generation = 1 + sum(request.name == name for request in self.everyone)
        own = seed or f"{self._seed}/{name}/{generation}"
        request = Live(name, generation, prompt, most, own)
        self.rows.append(request)
        self.everyone.append(request)
        return f"{request.label} joins as row {len(self.rows) - 1}"

    def launch(self) -> str:
        """Plan and start a step for every request that may need another token."""
        if len(self.flights) >= self._depth:
            return "nothing is launched: as many steps as allowed are in flight"
        tickets = [
            ticket
            for row, request in enumerate(self.rows)
            if request.launched < request.most and (ticket := self._ticket(row, request))
        ]
        if not tickets:
            return "nothing is launched: no request needs a step, or none has pages for it"
        self.launched += 1
        self.flights.append(Flight(self.launched, tuple(tickets)))
        waiting = sum(ticket.placeholder for ticket in tickets)
        self.counts.placeholders += waiting
        return f"step {self.launched} starts with {len(tickets)} rows, {waiting} on placeholders"

    def land(self, number: int, given: Mapping[str, int]) -> str:
        """The oldest step is back with its tokens; a step that was back before changes nothing."""
        if not self.flights or self.flights[0].number > number:
            self.counts.duplicates += 1
            return f"step {number} is back a second time: ignored"
        flight = self.flights.pop(0)
        told = [self._receive(ticket, given) for ticket in flight.tickets]
        self._settle()
        return f"step {flight.number} is back: {', '.join(told)}"

    def abort(self, request: Live) -> str:
        """The client is gone: no more steps; the pages wait for those in flight."""
        self._end(request, "aborted")
        self._settle()
        return f"{request.label} is aborted with {len(request.tokens)} tokens sent"

    @property
    def owed_pages(self) -> int:
        """Pages of ended requests that a step in flight may still touch."""
        return sum(len(pages) for _, _, pages in self.owed)

    # --- parts ---

    def _ticket(self, row: int, request: Live) -> Ticket | None:
        position = request.prompt + request.launched
        need = -(-position // self._size) - len(request.pages)
        try:
            new = self.pool.take(max(0, need))
        except OutOfBlocks:
            return None
        busy = {page for flight in self.flights for t in flight.tickets for page in t.pages}
        self.counts.corrupted += sum(page in busy for page in new)
        request.pages += new
        placeholder = request.launched > len(request.tokens)
        request.launched += 1
        return Ticket(request, row, position, placeholder, tuple(request.pages))

    def _receive(self, ticket: Ticket, given: Mapping[str, int]) -> str:
        request = ticket.request
        token = given.get(request.name, draw(request.seed, ticket.position))
        target = self._target(ticket)
        if target is None or target.ended:
            self.counts.dropped += 1
            self.counts.wasted += 1
            return f"{request.label} has ended, its token is dropped"
        if target is not request:
            self.counts.misrouted += 1
        target.tokens.append(token)
        self.counts.emitted += 1
        if token == EOS:
            self._end(target, "eos")
        elif len(target.tokens) >= target.most:
            self._end(target, "length")
        shown = "EOS" if token == EOS else str(token)
        wrong = f" (computed for {request.label})" if target is not request else ""
        return f"{target.label} gets {shown}{wrong}"

    def _target(self, ticket: Ticket) -> Live | None:
        match self._routing:
            case "ticket":
                return ticket.request
            case "row":
                return self.rows[ticket.row] if ticket.row < len(self.rows) else None
        return self.find(ticket.request.name)

    def _end(self, request: Live, why: str) -> None:
        request.ended = why
        self.rows.remove(request)
        pages, request.pages = tuple(request.pages), []
        in_flight = [f.number for f in self.flights for t in f.tickets if t.request is request]
        if self._frees == "deferred" and in_flight:
            self.counts.deferred += len(pages)
            self.owed.append((max(in_flight), request, pages))
        else:
            self.pool.release(reversed(pages))

    def _settle(self) -> None:
        """Free what no step in flight can touch any more."""
        oldest = self.flights[0].number if self.flights else self.launched + 1
        for number, _, pages in self.owed:
            if number < oldest:
                self.pool.release(reversed(pages))
        self.owed = [entry for entry in self.owed if entry[0] >= oldest]
