"""The spoken answer of a live round: recorded, heard, checked by the person, then sent."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal

from interviewer.clock import utc_now
from interviewer.errors import RoundOver, StoreUnavailable, TakeRefused, VoiceError
from interviewer.heard import Heard
from interviewer.session import RoundSession
from interviewer.takes.shelf import Shelf
from interviewer.takes.take import Take
from interviewer.voice.captions import Captions
from interviewer.voice.prompt import prompt_for
from interviewer.voice.recogniser import Recogniser
from interviewer.voice.review import Review, review_of

TakeState = Literal["recording", "hearing", "heard", "failed", "gone"]


@dataclass(frozen=True, slots=True)
class TakeNotice:
    """Where a spoken answer stands. `wanted` is the number of the frame that comes next."""

    id: str
    state: TakeState
    wanted: int = 0
    progress: float = 0.0
    review: Review | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Stored:
    """All frames before this number are on the disk; `problem` where the disk refused the rest."""

    wanted: int
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Caption:
    """What was said up to a pause; only for the eye, since the whole is heard again at the end."""

    text: str


logger = logging.getLogger(__name__)
Told = TakeNotice | Stored | Caption


class Dictation:
    """The one spoken answer that a round can have open, and its recognition."""

    def __init__(
        self,
        session: RoundSession,
        shelf: Shelf,
        recogniser: Recogniser,
        now: Callable[[], datetime] = utc_now,
        tasks: set[asyncio.Task[None]] | None = None,
    ) -> None:
        """`tasks` holds what runs in the background, for whoever has to end it."""
        self.session = session
        self.tell: Callable[[Told], None] = lambda told: None
        """Whoever serves the round's socket; there is one at a time."""
        self._shelf = shelf
        self._recogniser = recogniser
        self._now = now
        self._tasks = set() if tasks is None else tasks
        self._take: Take | None = None
        self._hearing: asyncio.Task[None] | None = None
        self._progress = 0.0
        self._problem = ""
        self._review: Review | None = None
        self._captions: Captions | None = None
        self._captioning: asyncio.Task[None] | None = None
        self._loaded = False
        self._lock = asyncio.Lock()

    async def load(self) -> None:
        """Find what an earlier connection or process left, and go on from there."""
        async with self._lock:
            if self._loaded:
                return
            take = await self._shelf.unsent(self.session.id)
            if take is not None and await self._is_over(take):
                take = None
            self._loaded = True
            if take is None:
                return
            self._adopt(take)
            if take.notes.done_at is not None:
                self.session.hold_clock(take.notes.done_at)
                self._hear(take)

    @property
    def notice(self) -> TakeNotice | None:
        """Where the answer stands; None where none is open."""
        take = self._take
        if take is None:
            return None
        return TakeNotice(
            take.id, self._state(take), take.wanted, self._progress, self._review, self._problem
        )

    async def begin(self, take_id: str, *, keep: bool) -> None:
        """Record an answer, or go on with the one that is open.

        Raises RoundOver, and TakeRefused where another one is open.
        """
        async with self._lock:
            if self.session.state.ended:
                raise RoundOver("this round has ended; start another one")
            if take_id in self.session.state.heard:
                raise TakeRefused("this answer was sent already; begin a new one")
            if self._take is None:
                self._adopt(await self._shelf.begin(self.session.id, take_id, keep=keep))
            else:
                await self._go_on(self._expect(take_id), keep)
        self._announce()

    async def put(self, number: int, sound: bytes) -> None:
        """One frame of sound. Any but the wanted one is dropped, and the wanted one named."""
        if self._take is None:
            raise TakeRefused("no spoken answer is open: begin one with a record frame")
        if not await self._take.put(number, sound):
            self.tell(Stored(self._take.wanted))
        elif self._captions is not None:
            self._captions.push(sound)

    async def done(self, take_id: str, frames: int) -> None:
        """The answer has so many frames. If some are missing they are asked for; else it is heard.

        Coming again it tries a recognition that failed once more.
        """
        async with self._lock:
            take = self._expect(take_id)
            await take.settle()
            if not frames and not take.stored:
                raise TakeRefused("nothing was recorded yet: press Speak, and say something")
            if take.notes.done_at is None and take.wanted >= frames:
                await take.finish(self._now())
                self.session.hold_clock(take.notes.done_at)
            if take.notes.done_at is not None:
                self._hear(take)
        self._announce()

    async def keep(self, take_id: str, *, keep: bool) -> None:
        """Whether the sound stays once the answer is sent."""
        async with self._lock:
            await self._expect(take_id).note(keep=keep)

    async def discard(self, take_id: str) -> None:
        """Delete the answer that is open; the clock goes on as if it had never stood still."""
        async with self._lock:
            if self._take is None:
                return
            take = self._expect(take_id)
            await self._stop_hearing()
            await self._shelf.discard(take)
            self._close()
        self.tell(TakeNotice(take_id, "gone"))

    async def abandon(self) -> None:
        """The round has ended: an answer that was not sent is deleted."""
        if self._take is not None:
            await self.discard(self._take.id)

    async def send(self, take_id: str, text: str) -> int:
        """The answer as the person corrected it; what was heard is recorded beside it."""
        async with self._lock:
            take = self._take
            if take is None or take.id != take_id:
                return await self.session.hear(take_id, text, "spoken")
            seq = await self.session.hear(take_id, text, "spoken", heard=take.notes.heard)
            await self._stop_hearing()
            self._close()
            # Packing the sound takes a moment; after a crash the next visit does it.
            self._spawn(self._put_away(take))
        self.tell(TakeNotice(take_id, "gone"))
        return seq

    def watch(self, tell: Callable[[Told], None]) -> None:
        """Tell somebody where the answer stands, and caption it; the newest one is told."""
        self.tell = tell
        # An endpoint would be sent, and paid for, everything twice.
        if self._captioning is None and self._recogniser.destination is None:
            prompt = prompt_for(self.session.card)
            self._captions = Captions(
                self._recogniser, prompt, lambda text: self.tell(Caption(text))
            )
            self._captioning = self._spawn(self._captions.run())

    def unwatch(self, tell: Callable[[Told], None]) -> None:
        """Nobody listens any more, unless a newer one has taken over."""
        if self.tell != tell:
            return
        self.tell = lambda told: None
        if self._captioning is not None:
            self._captioning.cancel()
            self._captions = self._captioning = None

    async def settle(self) -> None:
        """Wait until every frame that came is on the disk, or was refused by it."""
        if self._take is not None:
            await self._take.settle()

    # Plumbing.

    def _spawn(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def _is_over(self, take: Take) -> bool:
        """Clear away what a crash left of a sent answer, or what a round ended without."""
        if take.id in self.session.state.heard:
            await self._shelf.put_away(take)
            return True
        if self.session.state.ended:
            await self._shelf.discard(take)
        return bool(self.session.state.ended)

    async def _put_away(self, take: Take) -> None:
        try:
            await self._shelf.put_away(take)
        except StoreUnavailable as error:
            logger.warning("%s is not put away yet: %s", take.path, error)

    def _expect(self, take_id: str) -> Take:
        if self._take is None:
            raise TakeRefused("no spoken answer is open: begin one with a record frame")
        if self._take.id != take_id:
            raise TakeRefused(
                "another spoken answer of this round is not sent yet: send or discard it first"
            )
        return self._take

    def _adopt(self, take: Take) -> None:
        self._take = take
        self._forget_outcome()
        take.tell = self._stored

    def _close(self) -> None:
        self._take = None
        self.session.hold_clock(None)

    async def _go_on(self, take: Take, keep: bool) -> None:
        await self._stop_hearing()
        await take.settle()
        self._forget_outcome()
        if take.notes.done_at is not None or take.notes.keep != keep:
            await take.note(done_at=None, heard=None, keep=keep)
        self.session.hold_clock(None)

    def _forget_outcome(self) -> None:
        self._progress, self._problem, self._review = 0.0, "", None

    def _state(self, take: Take) -> TakeState:
        if self._review is not None:
            return "heard"
        if self._problem:
            return "failed"
        return "recording" if take.notes.done_at is None else "hearing"

    def _announce(self) -> None:
        if self.notice is not None:
            self.tell(self.notice)

    def _stored(self, fault: StoreUnavailable | None) -> None:
        if self._take is not None:
            self.tell(Stored(self._take.wanted if fault else self._take.stored, str(fault or "")))

    def _hear(self, take: Take) -> None:
        if self._review is None and self._hearing is None:
            self._forget_outcome()
            self._hearing = self._spawn(self._recognise(take))

    async def _recognise(self, take: Take) -> None:
        try:
            heard = take.notes.heard or await self._transcript(take)
            # In a thread: half an hour of words takes a while to look through.
            self._review = await asyncio.to_thread(review_of, heard, self.session.card)
        except (VoiceError, StoreUnavailable) as error:
            self._problem = str(error)
        finally:
            self._hearing = None
        self._announce()

    async def _transcript(self, take: Take) -> Heard:
        prompt = prompt_for(self.session.card)
        heard = await self._recogniser.transcribe(
            await take.sound(), prompt, tell=self._told_progress
        )
        await take.note(heard=heard)
        return heard

    def _told_progress(self, done: float) -> None:
        self._progress = done
        self._announce()

    async def _stop_hearing(self) -> None:
        # Forgotten here: a task that is cancelled before it began does nothing at its end.
        hearing, self._hearing = self._hearing, None
        if hearing is not None:
            hearing.cancel()
            await asyncio.wait([hearing])
