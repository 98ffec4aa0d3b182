"""Captions while a person speaks: each stretch between pauses is recognised by itself.

They are for the eye only; what counts is one transcription of the whole answer at its end.
"""

import asyncio
from collections.abc import Callable

from interviewer.errors import VoiceError
from interviewer.heard import SAMPLE_BYTES, SAMPLE_RATE, Span, seconds_of
from interviewer.voice.recogniser import Recogniser

PAUSE_S = 0.6
"""Silence that ends a stretch."""
LONGEST_S = 20.0
"""A stretch without a pause is shown after so long."""
STEP_S = 0.5
"""New audio from which on it is worth looking again."""
_BYTES_S = SAMPLE_RATE * SAMPLE_BYTES
_MARGIN_S = 0.2
_EDGE = round(_MARGIN_S * SAMPLE_RATE) * SAMPLE_BYTES
_MOST = round(3 * LONGEST_S * SAMPLE_RATE) * SAMPLE_BYTES


class Captions:
    """Push audio as it comes and `run`; `tell` gets the text of each stretch."""

    def __init__(
        self, recogniser: Recogniser, prompt: str = "", tell: Callable[[str], None] = lambda _: None
    ) -> None:
        self.silent_s = 0.0
        """Since the last speech; 0 before anything was said."""
        self.problem = ""
        """Why there are no captions any more; '' while there are."""
        self._recogniser, self._prompt, self._tell = recogniser, prompt, tell
        self._held = bytearray()
        self._seen = 0
        self._dropped = 0
        self._last_end: float | None = None
        self._news = asyncio.Event()

    def push(self, pcm: bytes) -> None:
        """More audio; never waits. Without anybody to look at it, only the last minute is held."""
        self._held += pcm
        if len(self._held) > _MOST:
            self._drop(len(self._held) - _MOST)
        if len(self._held) - self._seen >= STEP_S * _BYTES_S:
            self._news.set()

    async def run(self) -> None:
        """Caption until cancelled, or until the recogniser fails."""
        while not self.problem:
            await self._news.wait()
            self._news.clear()
            try:
                await self.look()
            except VoiceError as error:
                if error.kind != "busy":  # else the next look takes more at once
                    self.problem = str(error)

    async def look(self) -> None:
        """Find where the stretch at hand ends; if it has, recognise and tell it."""
        held, first = bytes(self._held), self._dropped
        self._seen = len(held)
        speech = await self._recogniser.speech(held)
        seconds = seconds_of(held)
        self._mark_silence(speech, seconds, first / _BYTES_S)
        end = _stretch_end(speech, seconds)
        if end is None:
            if not speech:
                self._drop_until(first + len(held) - _EDGE)
            return
        cut = round(end * SAMPLE_RATE) * SAMPLE_BYTES
        heard = await self._recogniser.transcribe(held[:cut], self._prompt, caption=True)
        self._drop_until(first + cut)
        if heard.text:
            self._tell(heard.text)

    def _mark_silence(self, speech: tuple[Span, ...], seconds: float, from_s: float) -> None:
        if speech:
            self._last_end = from_s + speech[-1].end
        if self._last_end is not None:
            self.silent_s = max(0.0, from_s + seconds - self._last_end)

    def _drop_until(self, position: int) -> None:
        """Drop what stands before a byte of the whole; more may have come and gone meanwhile."""
        self._drop(max(0, position - self._dropped))

    def _drop(self, count: int) -> None:
        del self._held[:count]
        self._dropped += count
        self._seen = max(0, self._seen - count)


def _stretch_end(speech: tuple[Span, ...], seconds: float) -> float | None:
    """Where the last stretch that is over ends, with a margin; None while it goes on."""
    if not speech:
        return None
    if seconds - speech[-1].end >= PAUSE_S:
        return speech[-1].end + _MARGIN_S
    if seconds - speech[0].start < LONGEST_S:
        return None
    return speech[-1].start if len(speech) > 1 else seconds
