"""Plays whole rounds in this process against a model at a URL. Knows sessions, no pages."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from interviewer.assembly import Viva, open_viva
from interviewer.events import CandidateSpoke, Event, InterviewerSpoke
from interviewer.session import RoundSession
from interviewer.settings import Settings

CARD = "FDE-01"
REPLY_S = 300.0
"""For the model's next word: on a busy machine it takes its time, and only a fault all of this."""
WRONG = (
    "I would batch continuously, because a decode step is bound by reading the weights: 140 GB "
    "over 4.8 TB/s is 29 ms for one user or for twenty. The trade-off is latency per user, so I "
    "stop where a step passes 40 ms."
)
"""Counts two bytes for a weight of FP8: the follow-up is about that number."""
ANSWERS = (
    WRONG,
    "The cache then takes the rest of the card, so I would keep it at eight bits and look at the "
    "accuracy on our own set before I ship it.",
    "Next I would replay real traffic and watch the p99 of the step, then decide on the batch.",
    "I would keep the nightly job at a lower priority and cap how many of its requests run.",
    "That is all.",
)


@asynccontextmanager
async def opened(
    url: str,
    folder: Path,
    model: str,
    judge: Literal["rule", "vllm"] = "rule",
    timeout_s: float = REPLY_S,
) -> AsyncIterator[Viva]:
    """A Viva with a database of its own, whose model is at `url`."""
    settings = Settings(
        database_url=f"sqlite:///{folder / 'viva.db'}",
        checks=folder / "checks.json",
        llm="vllm",
        llm_base_url=url,
        llm_model=model,
        llm_timeout_s=timeout_s,
        judge=judge,
    )
    async with open_viva(settings) as viva:
        yield viva


async def play(viva: Viva, answers: tuple[str, ...] = ANSWERS) -> RoundSession:
    """A round from its start to its scorecard."""
    session = await begun(viva)
    await answer(session, answers)
    return session


async def answer(session: RoundSession, answers: tuple[str, ...] = ANSWERS) -> None:
    """Answer to the end; the last answer is given again as often as it is asked for."""
    for number in range(10):
        await session.settle()
        if session.status != "listening":
            return
        await session.hear(f"say-{number}", answers[min(number, len(answers) - 1)])
    raise AssertionError(f"the round did not end: {session.status}")


async def begun(viva: Viva) -> RoundSession:
    """A round whose question was asked and whose model has been tried."""
    session = await viva.rounds.start(CARD)
    await session.settle()
    async with asyncio.timeout(REPLY_S):
        while session.warming:
            await asyncio.sleep(0.02)
    return session


def events(session: RoundSession, kind: type[Event]) -> list[Any]:
    """The events of a kind in the round's log."""
    return [item.event for item in session.log if isinstance(item.event, kind)]


def said(session: RoundSession) -> list[str]:
    """What the candidate said, as it was recorded."""
    return [event.text for event in events(session, CandidateSpoke)]


def probes(session: RoundSession) -> list[InterviewerSpoke]:
    """The questions that the model had to word."""
    return [event for event in events(session, InterviewerSpoke) if event.purpose == "probe"]
