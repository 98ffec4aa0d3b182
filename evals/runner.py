"""Runs work over cases and repeats, some at once; whatever happens to one is that sample's state.

The one place in evals where anything may be caught.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from evals.budget import BudgetSpent
from evals.cases import Case
from evals.sample import Sample, State, Unscored
from interviewer.errors import LLMError, LLMErrorKind

C = TypeVar("C", bound=Case)
WORKERS = 8
LONGEST_S = 600.0
_STATES: dict[LLMErrorKind, State] = {
    "timeout": "timeout",
    "refused": "refused",
    "truncated": "parse_failed",
}


@dataclass(frozen=True)
class Plan(Generic[C]):
    """What to do: `evaluate` gives what it found for a case and a repeat, or raises."""

    cases: Sequence[C]
    evaluate: Callable[[C, int], Awaitable[dict[str, Any]]]
    repeats: int = 1
    workers: int = WORKERS
    longest_s: float = LONGEST_S
    """Seconds for one sample."""

    def __len__(self) -> int:
        return len(self.cases) * self.repeats


async def run(plan: Plan[C], tell: Callable[[Sample], None] = lambda _: None) -> list[Sample]:
    """One sample for every case and repeat, in their order; `tell` hears of each as it ends."""
    work = [(case, repeat) for case in plan.cases for repeat in range(plan.repeats)]
    samples: dict[int, Sample] = {}
    todo = iter(enumerate(work))

    async def worker() -> None:
        for index, (case, repeat) in todo:
            samples[index] = await _sample(plan, case, repeat)
            tell(samples[index])

    async with asyncio.TaskGroup() as group:
        for _ in range(min(plan.workers, len(work))):
            group.create_task(worker())
    return [samples[index] for index in range(len(work))]


async def _sample(plan: Plan[C], case: C, repeat: int) -> Sample:
    try:
        async with asyncio.timeout(plan.longest_s):
            found = await plan.evaluate(case, repeat)
    except Unscored as end:
        return _without(case, repeat, end.state, end.reason)
    except BudgetSpent as end:
        return _without(case, repeat, "unscored", str(end))
    except TimeoutError:
        return _without(case, repeat, "timeout", f"longer than {plan.longest_s:g} s")
    except LLMError as error:
        state = _STATES.get(error.kind, "error")
        return _without(case, repeat, state, f"{error.kind}: {error}")
    except Exception as error:  # noqa: BLE001 (one bad sample must not end the run)
        return _without(case, repeat, "error", f"{type(error).__name__}: {error}")
    return Sample(case=case.id, repeat=repeat, state="scored", found=found)


def _without(case: Case, repeat: int, state: State, reason: str) -> Sample:
    return Sample(case=case.id, repeat=repeat, state=state, reason=reason[:500])
