"""One spoken answer as it is recorded: numbered frames of sound, on disk before they count."""

import asyncio
from collections.abc import Callable
from datetime import datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from interviewer.errors import StoreUnavailable, TakeRefused
from interviewer.heard import Heard
from interviewer.takes import wav
from interviewer.takes.disk import on_disk, write_whole

LONGEST_FRAMES = 18_000
"""Thirty minutes of frames of 100 ms: 58 MB."""
MOST_WAITING = 64
"""Frames that may wait for the disk; a faster sender is made to wait."""


class Notes(BaseModel):
    """What is written beside the sound. Unknown fields are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    id: str
    keep: bool
    """Whether the person wants the sound kept once the answer is sent."""
    done_at: datetime | None = None
    heard: Heard | None = None


class Take:
    """A spoken answer that has not been sent; lives on one event loop."""

    def __init__(self, path: Path, notes: Notes, frames: int) -> None:
        self.path = path
        self.notes = notes
        self.stored = frames
        """Frames that are on the disk."""
        self.tell: Callable[[StoreUnavailable | None], None] = lambda fault: None
        """Called after each write, with its fault if it failed."""
        self._waiting: list[bytes] = []
        self._in_flight = 0
        self._writing: asyncio.Task[None] | None = None
        self._noting: asyncio.Task[None] | None = None

    @property
    def id(self) -> str:
        """The id under which the answer will be sent."""
        return self.notes.id

    @property
    def wanted(self) -> int:
        """The number of the frame that comes next, from 0."""
        return self.stored + self._in_flight + len(self._waiting)

    @property
    def seconds(self) -> float:
        """Length of what is on the disk."""
        return self.stored * wav.FRAME_S

    async def put(self, number: int, sound: bytes) -> bool:
        """Queue the wanted frame; False for any other, which is dropped.

        Raises TakeRefused once the take is done or as long as one may be.
        """
        if number != self.wanted:
            return False
        if self.notes.done_at is not None:
            raise TakeRefused("this answer is done: send it, or go on with it first")
        if number >= LONGEST_FRAMES:
            raise TakeRefused(
                f"an answer has at most {LONGEST_FRAMES * wav.FRAME_S / 60:g} minutes, and this "
                "one has them; all of it is kept: press Done"
            )
        self._waiting.append(sound)
        if self._writing is None or self._writing.done():
            self._writing = asyncio.create_task(self._write())
        if len(self._waiting) >= MOST_WAITING:
            await self.settle()
        return True

    async def settle(self) -> None:
        """Wait until nothing waits for the disk; what it refused is wanted again."""
        if self._noting is not None and not self._noting.done():
            await asyncio.wait([self._noting])
        while self._writing is not None and not self._writing.done():
            await asyncio.wait([self._writing])

    async def finish(self, at: datetime) -> None:
        """The answer is complete, and ended at this moment."""
        await self.settle()
        await on_disk(wav.finish, self.path, self.stored)
        await self.note(done_at=at)

    async def sound(self) -> bytes:
        """All that was recorded, without a head."""
        await self.settle()
        return await on_disk(wav.sound_of, self.path)

    async def note(self, **changes: object) -> None:
        """Change what is written beside the sound."""
        self._noting = asyncio.create_task(self._note(self._noting, changes))
        # Whoever waits may be cancelled; the write is not, and the next one comes after it.
        await asyncio.shield(self._noting)

    async def _note(self, earlier: asyncio.Task[None] | None, changes: dict[str, object]) -> None:
        if earlier is not None:
            await asyncio.wait([earlier])
        notes = self.notes.model_copy(update=changes)
        await on_disk(write_notes, self.path, notes)
        self.notes = notes

    async def _write(self) -> None:
        """Everything that waits goes in one write, so that a slow disk is asked less often."""
        while self._waiting:
            batch, self._waiting = self._waiting, []
            self._in_flight = len(batch)
            fault = await self._attempt(b"".join(batch))
            self.stored += 0 if fault else self._in_flight
            self._in_flight = 0
            if fault:
                self._waiting = []
            self.tell(fault)

    async def _attempt(self, sound: bytes) -> StoreUnavailable | None:
        try:
            await on_disk(wav.write, self.path, self.stored, sound)
        except StoreUnavailable as error:
            return error
        return None


def write_notes(path: Path, notes: Notes) -> None:
    """Put notes beside the sound at `path`, whole or not at all; blocks."""
    write_whole(path.with_suffix(".json"), notes.model_dump_json().encode())
