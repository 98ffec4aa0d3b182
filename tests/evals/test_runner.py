"""Whatever happens to one sample is its state, and the others go on; calls keep a pace."""

from typing import Any

import pytest

from evals.budget import BudgetSpent
from evals.cases import Case
from evals.pace import Pace
from evals.results import Counts
from evals.runner import Plan, run
from evals.sample import Sample, Unscored
from interviewer.errors import LLMError

CASES = [Case(id=f"case-{n}", card="X") for n in range(5)]
ENDS = [
    (Unscored("parse_failed", "no JSON"), "parse_failed"),
    (BudgetSpent("the budget is spent"), "unscored"),
    (LLMError("timeout", "slow"), "timeout"),
    (LLMError("refused", "no"), "refused"),
    (LLMError("truncated", "cut"), "parse_failed"),
    (LLMError("rate_limited", "wait"), "error"),
    (TimeoutError(), "timeout"),
    (ZeroDivisionError("a bug"), "error"),
]


@pytest.mark.parametrize(("end", "state"), ENDS, ids=lambda end: repr(end))
async def test_a_failure_is_a_state_and_the_other_samples_are_scored(
    end: Exception, state: str
) -> None:
    async def evaluate(case: Case, repeat: int) -> dict[str, Any]:
        if case.id == "case-2":
            raise end
        return {"level": 3}

    samples = await run(Plan(CASES, evaluate))
    assert [s.state for s in samples] == ["scored", "scored", state, "scored", "scored"]
    assert samples[2].found == {}
    assert Counts.of(samples).scored == 4


async def test_every_case_and_repeat_is_run_once_and_told_of() -> None:
    seen: list[tuple[str, int]] = []
    told: list[Sample] = []

    async def evaluate(case: Case, repeat: int) -> dict[str, Any]:
        seen.append((case.id, repeat))
        return {}

    samples = await run(Plan(CASES, evaluate, repeats=3, workers=2), told.append)
    assert len(seen) == len(set(seen)) == len(samples) == len(told) == 15
    assert [(s.case, s.repeat) for s in samples][:4] == [
        ("case-0", 0),
        ("case-0", 1),
        ("case-0", 2),
        ("case-1", 0),
    ]


async def test_a_sample_that_takes_too_long_is_a_timeout() -> None:
    async def evaluate(case: Case, repeat: int) -> dict[str, Any]:
        import asyncio

        await asyncio.sleep(60)
        return {}

    samples = await run(Plan(CASES[:1], evaluate, longest_s=0.01))
    assert samples[0].state == "timeout"


async def no_wait(seconds: float) -> None:
    """Stands in for sleeping."""


async def fail(pace: Pace, error: LLMError) -> None:
    with pytest.raises(LLMError):
        async with pace.slot():
            raise error


async def test_a_rate_limit_cuts_the_pace_and_calm_raises_it_again() -> None:
    pace = Pace(10, no_wait)
    await fail(pace, LLMError("rate_limited", "wait"))
    assert pace.limit == 8
    for _ in range(20):
        async with pace.slot():
            pass
    assert pace.limit == 9


async def test_a_fault_of_the_server_pauses_and_cuts_nothing() -> None:
    waits: list[float] = []

    async def note(seconds: float) -> None:
        waits.append(seconds)

    pace = Pace(10, note)
    await fail(pace, LLMError("server", "503", retry_after_s=7))
    assert (pace.limit, waits) == (10, [7])


async def test_complaints_of_one_episode_cut_once() -> None:
    pace = Pace(10, no_wait)
    with pytest.raises(LLMError):
        async with pace.slot(), pace.slot():
            raise LLMError("rate_limited", "wait")
    assert pace.limit == 8
