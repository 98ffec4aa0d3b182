"""A batch engine that serves tenants by virtual token counters or by turns; steps, no seconds."""

from collections.abc import Sequence

from pydantic import Field

from tools.arguments import Arguments


class Tenant(Arguments):
    """One tenant with requests of one size, always waiting while it is there."""

    name: str = Field(min_length=1, max_length=40, description="Who it is")
    input_tokens: int = Field(ge=0, le=10_000_000, description="Prompt tokens of a request")
    output_tokens: int = Field(ge=1, le=1_000_000, description="Tokens of a reply")
    weight: float = Field(default=1, ge=1e-3, le=1000, description="Share that it is due")
    from_step: int = Field(default=0, ge=0, le=5000, description="Step at which it comes")
    until_step: int | None = Field(
        default=None, ge=1, le=5000, description="Step before which it leaves; none: it stays"
    )

    def present(self, step: int) -> bool:
        """Whether it has requests waiting."""
        return self.from_step <= step and (self.until_step is None or step < self.until_step)


class Engine:
    """Slots shared by tenants; `service` is weighted tokens, not yet over the tenant's weight."""

    def __init__(
        self,
        tenants: Sequence[Tenant],
        slots: int,
        costs: tuple[float, float],
        *,
        by_turns: bool,
        lift: bool,
    ) -> None:
        """`costs` are those of an input and of an output token."""
        self.tenants, self.slots, self.costs = tenants, slots, costs
        self.by_turns, self.lift = by_turns, lift
        self.counters = [0.0] * len(tenants)
        self.service = [0.0] * len(tenants)
        self.started = [0] * len(tenants)
        self.running: list[list[int]] = []
        self.active: set[int] = set()
        self.waited = [0] * len(tenants)
        self.longest_wait = 0
        self._turn = -1
        self._left_last: int | None = None

    def step(self, step: int) -> None:
        """Fill the free slots, then make one token of every running sequence."""
        present = {n for n, tenant in enumerate(self.tenants) if tenant.present(step)}
        self._welcome(present)
        while present and len(self.running) < self.slots:
            self._admit(self._next(present))
        for sequence in self.running:
            self._charge(sequence[0], self.costs[1])
            sequence[1] -= 1
        self.running = [sequence for sequence in self.running if sequence[1]]

    def _welcome(self, present: set[int]) -> None:
        """Lift whoever returns; note how long each has been without a start."""
        stayed = self.active & present
        for newcomer in sorted(present - self.active):
            last = self.counters[self._left_last] if self._left_last is not None else 0.0
            floor = min((self.counters[n] for n in stayed), default=last)
            if self.lift:
                self.counters[newcomer] = max(self.counters[newcomer], floor)
        for index in self.active - present:
            self._left_last = index
        self.active = present
        for index in present:
            self.waited[index] += 1
            self.longest_wait = max(self.longest_wait, self.waited[index])

    def _next(self, present: set[int]) -> int:
        if self.by_turns:
            self._turn = min(present, key=lambda n: (n <= self._turn, n))
            return self._turn
        return min(present, key=lambda n: (self.counters[n], n))

    def _admit(self, index: int) -> None:
        tenant = self.tenants[index]
        self._charge(index, self.costs[0] * tenant.input_tokens)
        self.running.append([index, tenant.output_tokens])
        self.started[index] += 1
        self.waited[index] = 0

    def _charge(self, index: int, cost: float) -> None:
        self.counters[index] += cost / self.tenants[index].weight
        self.service[index] += cost
