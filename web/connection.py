"""One socket of one round: a reader, a speaker, a bounded outbox, the clock."""

import asyncio
import logging
from collections.abc import Awaitable, Iterator, Sequence
from contextlib import suppress
from datetime import datetime
from itertools import chain

from starlette.types import Receive, Send

from interviewer.clock import Clock
from interviewer.dictation import Dictation
from interviewer.errors import InterviewerError
from interviewer.events import Recorded
from interviewer.notices import Delta, Notice, Status
from interviewer.session import RoundSession
from web import wire
from web.audio_desk import SoundDesk
from web.bucket import TokenBucket
from web.outbox import Outbox
from web.wire import CloseCode

logger = logging.getLogger(__name__)

FRAMES_PER_S = 20.0
FRAMES_AT_ONCE = 60.0
BEAT_S = 15.0
"""The clock is sent at least this often, and so tells a client that the server is alive."""


class Connection:
    """Lives as long as its socket, all of it on one event loop: nothing here needs a lock."""

    def __init__(
        self,
        session: RoundSession,
        receive: Receive,
        send: Send,
        outbox: Outbox | None = None,
        dictation: Dictation | None = None,
    ) -> None:
        self.session = session
        self._receive = receive
        self._send = send
        self._outbox = outbox or Outbox()
        self._loop = asyncio.get_running_loop()
        self._sound = SoundDesk(session, dictation, self._put, self._loop.time())
        self._bucket = TokenBucket(FRAMES_PER_S, FRAMES_AT_ONCE, self._loop.time())
        self._over = self._loop.create_future()
        self._beat: asyncio.TimerHandle | None = None
        self._closing: tuple[CloseCode, str] | None = None
        self._gone = False

    async def run(self, after: int, at: str) -> None:
        """Serve the socket, accepted already, until either side ends it."""
        # No await between the look at the log and the watch: every event is sent once.
        missed = self._greet(after, at)
        unwatch = self.session.watch(self._notice)
        work = self._read(), self._speak(missed)
        tasks = [self._loop.create_task(self._guard(side)) for side in work]
        try:
            await self._over
        finally:
            unwatch()
            self._sound.close()
            if self._beat is not None:
                self._beat.cancel()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
        await self._say_goodbye()

    @property
    def waiting(self) -> int:
        """Bytes that wait to be written, the pending write included."""
        return self._outbox.size

    def close(self, code: CloseCode, reason: str) -> None:
        """End the socket with this code; the first reason given stands."""
        if self._closing is None:
            self._closing = (code, reason)
            self._end()

    def _end(self) -> None:
        if not self._over.done():
            self._over.set_result(None)

    # What goes out.

    def _greet(self, after: int, at: str) -> Iterator[bytes]:
        log, session = self.session.log, self.session
        resync = not _is_ours(log, after, at)
        hello = wire.Hello(
            round=session.id,
            head=log[-1].seq if log else 0,
            resync=resync,
            status=session.status,
            clock=wire.Clock.of(session.clock()),
            interviewer=session.state.interviewer,
        )
        if session.speech:
            self._put(Delta(0, session.speech))
        self._sound.open(self._tick)
        self._arm(session.clock())
        missed = log[0 if resync else after :]
        return chain([wire.encode(hello)], map(wire.encode_event, missed))

    async def _speak(self, missed: Iterator[bytes]) -> None:
        """Send what the client missed, outside the budget, then what has come since."""
        for frame in missed:
            await self._write(frame)
        await self._outbox.drain(self._write)

    async def _write(self, frame: bytes) -> None:
        await self._send({"type": "websocket.send", "text": frame.decode()})

    def _notice(self, notice: Notice) -> None:
        if isinstance(notice, (Delta, Status)):
            self._put(notice)
        else:
            self._queue(wire.encode_event(notice))
            self._tick()

    def _put(self, frame: wire.ServerFrame) -> None:
        self._queue(wire.encode(frame))

    def _queue(self, frame: bytes) -> None:
        if not self._outbox.put(frame):
            self.close(CloseCode.TOO_SLOW, "reads too slowly; come back with ?after=")

    def _tick(self) -> None:
        clock = self.session.clock()
        self._put(wire.Clock.of(clock))
        self._arm(clock)

    def _arm(self, clock: Clock | None) -> None:
        if self._beat is not None:
            self._beat.cancel()
        self._beat = self._loop.call_later(next_beat(clock), self._tick)

    async def _say_goodbye(self) -> None:
        if self._closing is None or self._gone:
            return
        code, reason = self._closing
        with suppress(OSError):
            await self._send({"type": "websocket.close", "code": int(code), "reason": reason})

    # What comes in.

    async def _read(self) -> None:
        while True:
            message = await self._receive()
            if message["type"] == "websocket.disconnect":
                self._gone = True
                self._end()
                return
            text: str | None = message.get("text")
            if text is None and not self._sound.set_up:
                self.close(CloseCode.BINARY, "spoken answers are not set up here")
                return
            bucket = self._bucket if text is not None else self._sound.bucket
            if not bucket.take(self._loop.time()):
                self.close(CloseCode.TOO_MANY, f"more than {bucket.rate:g} frames a second")
                return
            await (self._take(text) if text is not None else self._hear(message["bytes"]))

    async def _take(self, text: str) -> None:
        try:
            frame = wire.decode(text)
        except wire.BadFrame as error:
            self._put(wire.Problem("bad_frame", str(error)))
            return
        try:
            await self._act(frame)
        except InterviewerError as error:
            self._refuse(error, getattr(frame, "id", None))

    async def _hear(self, sound: bytes) -> None:
        try:
            await self._sound.put(sound)
        except wire.BadFrame as error:
            self._put(wire.Problem("bad_frame", str(error)))
        except InterviewerError as error:
            self._refuse(error)

    def _refuse(self, error: InterviewerError, client_id: str | None = None) -> None:
        answer = wire.answer(error)
        self._put(wire.Problem(answer.code, str(error), client_id))
        if answer.close is not None:
            self.close(answer.close, answer.code)

    async def _act(self, frame: wire.ClientFrame) -> None:
        session = self.session
        match frame:
            case wire.Record() | wire.Done() | wire.Keep() | wire.Discard():
                await self._sound.act(frame)
                return
            case wire.Say(mode="spoken"):
                seq = await self._sound.send(frame.id, frame.text)
            case wire.Say():
                seq = await session.hear(frame.id, frame.text, frame.mode)
            case wire.Think():
                seq = await session.pause(frame.id)
            case wire.MoveOn():
                seq = await session.move_on(frame.id)
            case wire.Finish():
                seq = await session.finish(frame.id)
                await self._sound.abandon()
            case wire.Stop():
                await session.interrupt()
                return
            case wire.Ping():
                self._put(wire.Pong())
                return
        self._put(wire.Ack(frame.id, seq))

    async def _guard(self, work: Awaitable[None]) -> None:
        """The socket's edge: a peer that left is no fault; a fault of ours ends one socket."""
        try:
            await work
        except OSError:
            self._gone = True
            self._end()
        except Exception:
            logger.exception("round %s: its socket failed", self.session.id)
            self.close(CloseCode.BUG, "a fault of the server")


def _is_ours(log: Sequence[Recorded], after: int, at: str) -> bool:
    """Whether a client's cursor names an event of this very log."""
    if after == 0:
        return True
    if not 0 < after <= len(log):
        return False
    try:
        return not at or log[after - 1].at == datetime.fromisoformat(at)
    except ValueError:
        return False


def next_beat(clock: Clock | None) -> float:
    """Seconds to the next clock frame: a warning that falls due, or the heartbeat."""
    if clock is None:
        return BEAT_S
    due = (clock.left_s - mark for mark in (clock.limit_s / 2, 30, 0))
    return min([BEAT_S, *(wait + 0.02 for wait in due if wait > 0)])
