"""What Viva asks of a recogniser: two calls on 16 kHz mono Int16 audio."""

from collections.abc import Callable
from typing import Protocol

from interviewer.heard import Heard, Span

LONGEST_S = 45 * 60
"""Seconds of audio in one call, at most; more raises VoiceError('bad_audio')."""

Tell = Callable[[float], None]
"""Is told how much of the audio is done, 0 to 1; called in the event loop."""


class Recogniser(Protocol):
    """Turns speech into text. Every failure is a `VoiceError`; the event loop is never held up.

    Cancelling a call frees the recogniser for the next one.
    """

    name: str
    """With its model: 'faster-whisper base'."""
    destination: str | None
    """Where the audio is sent, for the page to say; None where it stays on this machine."""

    async def transcribe(
        self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
    ) -> Heard:
        """What was said. Without speech the result has no text. `prompt` primes the spelling.

        A `caption` gives way: it waits behind whole answers, and fails with 'busy' at once where
        the queue is full.
        """
        ...

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech; takes a hundredth of a transcription's time."""
        ...

    async def aclose(self) -> None:
        """End its process or connection."""
        ...
