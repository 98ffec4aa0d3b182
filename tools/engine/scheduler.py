"""The scheduler of vLLM 0.31 V1: running first, then waiting; budget, preemption, priorities.

Decides step by step who computes how many tokens. Knows no time; `engine_run` gives it one.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

from tools.engine.decoders import Decoders
from tools.engine.requests import Policy, Queue, Request, queue_for
from tools.engine.slots import CountedBlocks, Slots


@dataclass(frozen=True)
class Rules:
    """Settings by vLLM's names in brackets, with its defaults for a large GPU's server."""

    budget: int = 8192
    """Tokens of one step (max_num_batched_tokens)."""
    most_running: int = 1024
    """Requests that run at once (max_num_seqs)."""
    policy: Policy = "fcfs"
    chunked: bool = True
    """Whether a prompt may be split over steps (enable_chunked_prefill)."""
    threshold: int = 0
    """Most prompt tokens of one request a step if others are there; 0 is no limit
    (long_prefill_token_threshold)."""
    reserve_full: bool = True
    """Admit only where all known tokens fit (scheduler_reserve_full_isl)."""
    watermark: float = 0.0
    """Share of the blocks to keep free at an admission while others run."""
    overlapped: bool = False
    """Async scheduling: a step is planned before the last one's tokens are back."""
    stop_unknown: bool = False
    """Requests end by a token that only the model knows: overlapped, one step is wasted."""
    shortcut: bool = True
    """Count steady decoders together where that gives the same schedule."""


@dataclass(slots=True)
class Emissions:
    """When tokens came: gaps between a request's tokens in seconds, each with its count."""

    gaps: list[tuple[float, int]] = field(default_factory=list)
    tokens: int = 0
    wasted: int = 0
    """Tokens computed for requests that had ended, unknown to the scheduler."""
    recomputed: int = 0
    """Tokens whose KV was lost by a preemption."""

    def came(self, request: Request, at: float) -> None:
        """One token of one request."""
        self.tokens += 1
        if request.first_at < 0:
            request.first_at = at
        else:
            self.gaps.append((at - request.last_at, 1))
        request.last_at = at


@dataclass(slots=True)
class Plan:
    """One step: tokens by request, and the decoders that were counted together."""

    tokens: dict[Request, int] = field(default_factory=dict)
    decoding: int = 0
    context: int = 0
    """Tokens in the cache that the step reads, over all its requests."""
    padding: int = 0
    """Slots of a static batch whose request has ended."""
    preempted: list[Request] = field(default_factory=list)
    admitted: list[Request] = field(default_factory=list)
    budget: int = 0

    @property
    def total(self) -> int:
        """Tokens computed in this step."""
        return self.decoding + self.padding + sum(self.tokens.values())


class Scheduler:
    """Requests in order of admission over KV slots. Call `schedule`, then `advance`, in turn."""

    def __init__(self, rules: Rules, slots: Slots) -> None:
        self.rules, self.slots = rules, slots
        self.running: dict[Request, None] = {}
        self.waiting: Queue = queue_for(rules.policy)
        self.steady = Decoders(slots.size)
        self.emissions = Emissions()
        self._spare = int(rules.watermark * (slots.usable + 1))
        self._extra = int(rules.overlapped and rules.stop_unknown)
        self._came = 0
        self._leaving: list[Request] = []
        self._over: list[Request] = []
        """Ended, but preempted before the scheduler knew."""
        self._even = True
        """Whether every decoder got its token in the last step."""
        self._last_end = 0.0
        self._counted = slots if isinstance(slots, CountedBlocks) and rules.shortcut else None

    def add(self, request: Request) -> None:
        """A request arrives."""
        self._came += 1
        request.order = self._came
        self.waiting.add(request)

    @property
    def idle(self) -> bool:
        """Nobody runs and nobody waits."""
        return not self.running and not self.waiting

    def schedule(self) -> Plan:
        """Plan one step: the running requests in order, then new ones while nothing is short."""
        plan = Plan(budget=self.rules.budget)
        alone = len(self.running) + len(self.waiting) <= 1
        cap = self.rules.threshold if self.rules.threshold and not alone else plan.budget
        if not self._glide(plan, cap):
            self._walk(plan, cap)
        if not plan.preempted:
            self._admit(plan, cap)
        return plan

    def advance(self, plan: Plan, at: float) -> list[Request]:
        """The step ended at `at` seconds; the requests that ended with it.

        With async scheduling a request that ends by length gives its blocks back a step later.
        """
        for request in self._leaving:
            self._leave(request)
        over, self._leaving, self._over = self._over, [], []
        ended = self._tick(plan.decoding, at) if plan.decoding else []
        emitted = []
        for request, new in plan.tokens.items():
            request.computed += new
            if request.computed == request.known:
                emitted.append(request)
                self._emit(request, at)
                if request.sampled == request.output + self._extra:
                    ended.append(request)
        self._last_end = at
        self._end(ended)
        if self._counted is not None and self._even:
            for request in emitted:
                if not request.done:
                    self.steady.join(request, request.output + self._extra)
        return ended + over

    def tokens(self, plan: Plan, request: Request) -> int:
        """Tokens of a running request in a plan that has not advanced yet."""
        counted = 1 if plan.decoding and request in self.steady else 0
        return plan.tokens.get(request, counted)

    def progress(self, request: Request) -> int:
        """Tokens of a running request in the cache before the plan at hand."""
        return self.steady.computed(request) if request in self.steady else request.computed

    # --- one step ---

    def _glide(self, plan: Plan, cap: int) -> bool:
        """Count the decoders together: allowed where each surely gets its token and block."""
        slots, steady = self._counted, self.steady
        if slots is None or not self._even or len(steady) > plan.budget:
            return False
        others = self._others()
        need = steady.needing_a_block
        if others is None or need > slots.free:
            return False
        slots.free -= need
        plan.decoding, plan.context = len(steady), steady.context
        plan.budget -= len(steady)
        self._serve(others, plan, cap)
        return True

    def _others(self) -> list[Request] | None:
        """Requests still in their prompt, or None if one was admitted before a decoder."""
        count = len(self.running) - len(self.steady) - len(self._leaving)
        found: list[Request] = []
        if not count:
            return found
        if self.rules.policy == "priority":
            return None
        for request in reversed(self.running):
            if request in self.steady:
                return None
            if not request.done:
                found.append(request)
            if len(found) == count:
                break
        return found[::-1]

    def _walk(self, plan: Plan, cap: int) -> None:
        """The reference: every running request in turn, as vLLM does."""
        for request in self.steady.dissolve():
            request.last_at = self._last_end
        self._serve(tuple(self.running), plan, cap)
        # Who goes without now gets its next token late, and must not be counted with the others.
        self._even = all(
            request in plan.tokens or request.known - request.computed != 1 or request.done
            for request in self.running
        )

    def _serve(self, requests: Iterable[Request], plan: Plan, cap: int) -> None:
        """Tokens in order, while the budget lasts and room can be made."""
        for request in requests:
            if plan.budget == 0:
                return
            if request not in self.running or request.done:
                continue
            new = min(request.known - request.computed, cap, plan.budget)
            if not self._make_room(request, new, plan):
                return
            self._give(request, new, plan)

    def _give(self, request: Request, new: int, plan: Plan) -> None:
        plan.tokens[request] = new
        plan.budget -= new
        plan.context += request.computed + new

    def _make_room(self, request: Request, new: int, plan: Plan) -> bool:
        """Preempt until `new` tokens have slots; False where the request itself had to go."""
        while not self.slots.place(request, request.computed + new):
            victim = self._victim()
            if victim in plan.tokens:
                taken = plan.tokens.pop(victim)
                plan.budget += taken
                plan.context -= victim.computed + taken
            self._preempt(victim)
            plan.preempted.append(victim)
            if victim is request:
                return False
        return True

    def _victim(self) -> Request:
        """Last admitted, or the least urgent and latest to arrive."""
        if self.rules.policy == "priority":
            return max(self.running, key=lambda request: request.urgency)
        return next(reversed(self.running))

    def _preempt(self, victim: Request) -> None:
        """All its blocks go and all its tokens are computed anew; an ended one just leaves."""
        del self.running[victim]
        victim.preemptions += 1
        over = victim.sampled >= victim.output
        if victim.done:
            self._leaving.remove(victim)
        elif over:
            victim.done = True
            self._over.append(victim)
        self.slots.release(victim)
        self.emissions.recomputed += victim.computed
        victim.computed = 0
        if not over:
            self.waiting.give_back(victim)

    def _admit(self, plan: Plan, cap: int) -> None:
        """Waiting requests in order, until one does not fit."""
        rules, waiting = self.rules, self.waiting
        while plan.budget and waiting and len(self.running) < rules.most_running:
            request = waiting.head()
            hit = self.slots.lookup(request)
            new = min(request.known - hit, cap)
            if new > plan.budget and not rules.chunked:
                return
            new = min(new, plan.budget)
            spare = self._spare if self.running else 0
            if not self.slots.place(request, hit + new, rules.reserve_full, spare):
                return
            waiting.pop()
            self.running[request] = None
            request.computed = hit
            plan.admitted.append(request)
            self._give(request, new, plan)

    # --- what came back ---

    def _tick(self, decoding: int, at: float) -> list[Request]:
        ended = self.steady.tick()
        came = decoding - len(ended) * self._extra
        self.emissions.gaps.append((at - self._last_end, came))
        self.emissions.tokens += came
        self.emissions.wasted += decoding - came
        for request in ended:
            request.last_at = self._last_end if self._extra else at
        return ended

    def _emit(self, request: Request, at: float) -> None:
        request.known += 1
        request.sampled += 1
        if request.sampled > request.output:
            self.emissions.wasted += 1
            return
        self.emissions.came(request, at)

    def _end(self, ended: list[Request]) -> None:
        for request in ended:
            request.done = True
            if self.rules.overlapped and not self.rules.stop_unknown:
                self._leaving.append(request)
            else:
                self._leave(request)

    def _leave(self, request: Request) -> None:
        del self.running[request]
        self.slots.release(request)
