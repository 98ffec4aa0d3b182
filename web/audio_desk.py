"""A connection's side of spoken answers: frames of sound come in, where the answer stands goes out.

A frame of sound is its number (4 bytes, big-endian) and 100 ms of 16 kHz mono Int16.
"""

from collections.abc import Callable

from interviewer.dictation import Caption, Dictation, Stored, TakeNotice, Told
from interviewer.errors import TakeRefused
from interviewer.session import RoundSession
from interviewer.takes.wav import FRAME_BYTES
from web import wire
from web.bucket import TokenBucket

FRAMES_PER_S = 400.0
FRAMES_AT_ONCE = 800.0
"""Ten a second are spoken; more come after a break, when the page hands over what it kept."""
NUMBER_BYTES = 4
NOT_SET_UP = "spoken answers are not set up here; type, or see docs/voice.md"


def decode_sound(data: bytes) -> tuple[int, bytes]:
    """The number and the sound of a binary frame; BadFrame for any other length."""
    if len(data) != NUMBER_BYTES + FRAME_BYTES:
        raise wire.BadFrame(
            f"a frame of sound has {NUMBER_BYTES + FRAME_BYTES} bytes, not {len(data)}: "
            "its number and 100 ms of 16 kHz mono Int16"
        )
    return int.from_bytes(data[:NUMBER_BYTES], "big"), data[NUMBER_BYTES:]


class SoundDesk:
    """Serves one socket; without a dictation it refuses all sound."""

    def __init__(
        self,
        session: RoundSession,
        dictation: Dictation | None,
        put: Callable[[wire.ServerFrame], None],
        now: float,
    ) -> None:
        self._session = session
        self._dictation = dictation
        self._put = put
        self._tick: Callable[[], None] = lambda: None
        self._state = ""
        self.bucket = TokenBucket(FRAMES_PER_S, FRAMES_AT_ONCE, now)

    @property
    def set_up(self) -> bool:
        """Whether sound is taken at all."""
        return self._dictation is not None

    def open(self, tick: Callable[[], None]) -> None:
        """Say where an open answer stands, and go on saying so; `tick` sends the clock."""
        self._tick = tick
        if self._dictation is not None:
            self._dictation.watch(self._told)
            self._told(self._dictation.notice or TakeNotice("", "gone"))

    def close(self) -> None:
        """Fall silent, unless a newer connection has taken over already."""
        if self._dictation is not None:
            self._dictation.unwatch(self._told)

    async def act(self, frame: wire.Record | wire.Done | wire.Keep | wire.Discard) -> None:
        """Begin, end or delete an answer. Raises TakeRefused and what a dictation raises."""
        if self._dictation is None:
            raise TakeRefused(NOT_SET_UP)
        match frame:
            case wire.Record():
                await self._dictation.begin(frame.id, keep=frame.keep)
            case wire.Done():
                await self._dictation.done(frame.id, frame.frames)
            case wire.Keep():
                await self._dictation.keep(frame.id, keep=frame.keep)
            case wire.Discard():
                await self._dictation.discard(frame.id)

    async def put(self, data: bytes) -> None:
        """One binary frame. Raises BadFrame and TakeRefused."""
        if self._dictation is None:
            raise TakeRefused(NOT_SET_UP)
        await self._dictation.put(*decode_sound(data))

    async def send(self, client_id: str, text: str) -> int:
        """A spoken answer, corrected; without a dictation it is text like any other."""
        if self._dictation is None:
            return await self._session.hear(client_id, text, "spoken")
        return await self._dictation.send(client_id, text)

    async def abandon(self) -> None:
        """The person ended the round: what was recorded and not sent goes."""
        if self._dictation is not None:
            await self._dictation.abandon()

    def _told(self, told: Told) -> None:
        if isinstance(told, Stored):
            self._put(wire.Kept(told.wanted, told.problem))
            return
        if isinstance(told, Caption):
            self._put(wire.Caption(told.text))
            return
        self._put(self._frame(told))
        if told.state != self._state:
            self._state = told.state
            self._tick()

    def _frame(self, notice: TakeNotice) -> wire.Take:
        return wire.Take(
            id=notice.id,
            state=notice.state,
            next=notice.wanted,
            progress=round(notice.progress, 3),
            problem=notice.problem,
            review=notice.review,
        )
