"""A stage for session tests: real store, cards and scorer, with an interviewer and a clock of the
test's own.
"""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from interviewer.events import Event, InterviewerSpoke
from interviewer.interviewers.card import CardInterviewer
from interviewer.interviewers.scene import Floor, Interviewer, Scene
from interviewer.migrations import migrate
from interviewer.rounds import Rounds
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.store import EventStore
from questions.library import load
from rubrics.library import load_rubrics

CARD = "INF-010"
Say = str | Event | Exception | asyncio.Event


@dataclass
class FakeClock:
    """A clock that moves only when told."""

    at: datetime = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at

    def pass_(self, seconds: float) -> None:
        self.at += timedelta(seconds=seconds)


@dataclass
class ScriptedInterviewer:
    """Says what the script of its turn says; an Event in it waits, an exception is raised."""

    script: list[list[Say]] = field(default_factory=list)
    warm_error: Exception | None = None
    name: str = "scripted-model"
    cancelled: int = 0

    async def warm(self, scene: Scene) -> None:
        if self.warm_error is not None:
            raise self.warm_error

    async def speak(self, scene: Scene, floor: Floor) -> None:
        try:
            for item in self.script.pop(0):
                if isinstance(item, asyncio.Event):
                    await item.wait()
                elif isinstance(item, Exception):
                    raise item
                elif isinstance(item, str):
                    floor.say(item)
                else:
                    await floor.keep(item)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


def question(text: str = "How many users fit?") -> InterviewerSpoke:
    return InterviewerSpoke(text=text, purpose="question", speaker="scripted-model", limit_s=180)


def probe(text: str = "Which number?") -> InterviewerSpoke:
    return InterviewerSpoke(
        text=text, purpose="probe", speaker="scripted-model", part="number", limit_s=60
    )


CLOSING = InterviewerSpoke(text="Thank you.", purpose="closing", speaker="scripted-model")


@dataclass
class Stage:
    """Rounds on a database file, which can be closed and opened again like a restarted server."""

    url: str
    store: EventStore
    rounds: Rounds
    clock: FakeClock


@asynccontextmanager
async def stage(
    folder: Path, model: Interviewer | None = None, clock: FakeClock | None = None
) -> AsyncIterator[Stage]:
    """Open the database in `folder` and build the rounds on it."""
    url, clock = f"sqlite:///{folder}/viva.db", clock or FakeClock()
    migrate(url)
    store = EventStore(url)
    rounds = Rounds(
        store, load(), load_rubrics(), CardInterviewer(), model, (RuleScorer(),), now=clock
    )
    yield Stage(url, store, rounds, clock)
    await rounds.close()
    store.close()
