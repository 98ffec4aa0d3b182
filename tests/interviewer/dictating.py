"""A round with an open microphone, for the tests of spoken answers."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from interviewer.dictation import Dictation, Told
from interviewer.session import RoundSession
from interviewer.takes import wav
from interviewer.takes.shelf import Shelf
from interviewer.voice.scripted import Script, ScriptedRecogniser
from tests.interviewer.stage import CARD, Stage, stage
from tests.patience import until

FRAME = b"\x01\x02" * (wav.FRAME_BYTES // 2)
SAID = "I would batch them, because 70 gigabytes over 4.8 terabytes per second is 14.6 ms."


@dataclass
class Spoken:
    """A round with an open microphone, and what the page has been told."""

    on: Stage
    session: RoundSession
    shelf: Shelf
    recogniser: ScriptedRecogniser
    told: list[Told] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    async def dictation(self) -> Dictation:
        made = Dictation(self.session, self.shelf, self.recogniser, self.on.clock, self.tasks)
        made.tell = self.told.append
        await made.load()
        return made

    @property
    def last(self) -> Told:
        return self.told[-1]


@asynccontextmanager
async def spoken(folder: Path, *script: Script) -> AsyncIterator[Spoken]:
    async with stage(folder) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        shelf = Shelf(folder / "audio", keep_days=30)
        made = Spoken(on, session, shelf, ScriptedRecogniser(*(script or (SAID,))))
        yield made
        await asyncio.gather(*made.tasks, return_exceptions=True)


async def record(
    dictation: Dictation, frames: int, take_id: str = "a1", keep: bool = False
) -> None:
    await dictation.begin(take_id, keep=keep)
    for number in range(frames):
        await dictation.put(number, FRAME)
    await dictation.settle()


def endings(folder: Path) -> list[str]:
    return [path.suffix for path in (folder / "audio").rglob("*.*")]


async def heard(dictation: Dictation) -> None:
    await until(lambda: bool(dictation.notice and dictation.notice.state in ("heard", "failed")))
