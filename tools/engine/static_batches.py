"""Static batching: a group is taken together and holds its slots until its longest member ends.

Has the scheduler's face, so that a run can use either.
"""

from tools.engine.requests import Queue, Request, queue_for
from tools.engine.scheduler import Emissions, Plan, Rules
from tools.engine.slots import CountedBlocks


class StaticBatches:
    """Groups of at most `rules.most_running`; slots for prompt and output are taken at once."""

    def __init__(self, rules: Rules, slots: CountedBlocks) -> None:
        self.rules, self.slots = rules, slots
        self.running: dict[Request, None] = {}
        self.waiting: Queue = queue_for(rules.policy)
        self.emissions = Emissions()
        self._came = 0

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
        """A token for everyone in the group, or the prompts of the next group in one step."""
        plan = Plan(budget=self.rules.budget)
        if not self.running:
            self._gather(plan)
        for request in self.running:
            new = 0 if request.done else request.known - request.computed
            plan.context += request.computed + new
            if new:
                plan.tokens[request] = new
            else:
                plan.padding += 1
        return plan

    def advance(self, plan: Plan, at: float) -> list[Request]:
        """The step ended at `at` seconds; the requests that ended with it."""
        ended = []
        for request, new in plan.tokens.items():
            request.computed += new
            request.known += 1
            request.sampled += 1
            self.emissions.came(request, at)
            if request.sampled == request.output:
                request.done = True
                ended.append(request)
        self.emissions.wasted += plan.padding
        if all(request.done for request in self.running):
            for request in self.running:
                self.slots.release(request)
            self.running.clear()
        return ended

    def tokens(self, plan: Plan, request: Request) -> int:
        """Tokens of a running request in a plan that has not advanced yet."""
        return plan.tokens.get(request, 0)

    def progress(self, request: Request) -> int:
        """Tokens of a running request in the cache before the plan at hand."""
        return request.computed

    def _gather(self, plan: Plan) -> None:
        while self.waiting and len(self.running) < self.rules.most_running:
            request = self.waiting.head()
            if not self.slots.place(request, request.prompt + request.output):
                return
            self.running[self.waiting.pop()] = None
            plan.admitted.append(request)
