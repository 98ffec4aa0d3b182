"""What happens to a round while one of its events is on the way to the disk."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import datetime
from pathlib import Path

import pytest

from interviewer.events import Event, Recorded
from interviewer.session import RoundSession
from interviewer.store import EventStore
from tests.interviewer.stage import CARD, ScriptedInterviewer, probe, question, stage
from tests.patience import PATIENCE_S


class SlowDisk:
    """A store's `append` that takes an event of one type and then waits until it is let go."""

    def __init__(self, store: EventStore, kind: str) -> None:
        self.reached, self.free = asyncio.Event(), asyncio.Event()
        self._append = store.append
        self._kind = kind

    async def append(
        self, log: str, seq: int, *events: Event, at: datetime | None = None
    ) -> list[Recorded]:
        if events[0].type == self._kind:
            self.reached.set()
            await self.free.wait()
        return await self._append(log, seq, *events, at=at)

    async def waits(self) -> None:
        async with asyncio.timeout(PATIENCE_S):
            await self.reached.wait()


@asynccontextmanager
async def slow(
    folder: Path, patch: pytest.MonkeyPatch, kind: str, model: ScriptedInterviewer
) -> AsyncIterator[tuple[RoundSession, SlowDisk]]:
    """A round whose first question is out, on a disk that is slow with events of one type."""
    async with stage(folder, model) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        disk = SlowDisk(on.store, kind)
        patch.setattr(on.store, "append", disk.append)
        yield session, disk


def types(session: RoundSession) -> list[str]:
    return [item.event.type for item in session.log]


def talking() -> ScriptedInterviewer:
    """Asks, then speaks without end; a third turn would be one that nobody asked for."""
    return ScriptedInterviewer([[question()], ["Which num", asyncio.Event()], [probe("Unasked?")]])


async def begun_to_speak(session: RoundSession) -> None:
    """The candidate answers, and the interviewer speaks."""
    await session.hear("a", "Twenty users.")
    async with asyncio.timeout(PATIENCE_S):
        while not session.speech:
            await asyncio.sleep(0)


async def test_a_page_that_looks_in_while_a_stop_is_written_lets_nobody_speak_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = talking()
    async with slow(tmp_path, monkeypatch, "SpeechInterrupted", model) as (session, disk):
        await begun_to_speak(session)
        stopping = asyncio.create_task(session.interrupt())
        await disk.waits()
        session.advance()
        await asyncio.sleep(0)
        disk.free.set()
        await stopping
        await session.settle()
        assert types(session)[-2:] == ["CandidateSpoke", "SpeechInterrupted"]
        assert len(model.script) == 1


async def test_a_page_that_looks_in_while_the_end_is_written_does_not_undo_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slow(tmp_path, monkeypatch, "RoundEnded", talking()) as (session, disk):
        await begun_to_speak(session)
        ending = asyncio.create_task(session.finish("f"))
        await disk.waits()
        session.advance()
        await asyncio.sleep(0)
        disk.free.set()
        await ending
        await session.settle()
        assert types(session)[-2:] == ["RoundEnded", "RoundScored"]
        assert session.status == "over"


async def test_an_answer_and_the_end_at_once_are_both_recorded_and_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slow(tmp_path, monkeypatch, "CandidateSpoke", talking()) as (session, disk):
        answering = asyncio.create_task(session.hear("a", "Twenty users."))
        await disk.waits()
        ending = asyncio.create_task(session.finish("f"))
        await asyncio.sleep(0)
        disk.free.set()
        await asyncio.gather(answering, ending)
        await session.settle()
        assert types(session)[-3:] == ["CandidateSpoke", "RoundEnded", "RoundScored"]


async def test_a_stop_whose_page_has_gone_is_recorded_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with slow(tmp_path, monkeypatch, "SpeechInterrupted", talking()) as (session, disk):
        await begun_to_speak(session)
        stopping = asyncio.create_task(session.interrupt())
        await disk.waits()
        stopping.cancel()
        await asyncio.gather(stopping, return_exceptions=True)
        session.advance()
        disk.free.set()
        await session.hear("b", "So, twenty.")
        assert types(session)[-2:] == ["SpeechInterrupted", "CandidateSpoke"]


async def test_a_session_that_is_closed_in_the_middle_of_a_stop_begins_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    model = talking()
    async with slow(tmp_path, monkeypatch, "SpeechInterrupted", model) as (session, disk):
        await begun_to_speak(session)
        stopping = asyncio.create_task(session.interrupt())
        await disk.waits()
        await session.close()
        await asyncio.gather(stopping, return_exceptions=True)
        await session.settle()
        assert len(model.script) == 1
