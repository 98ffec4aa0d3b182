"""Recognition on this machine: faster-whisper in a worker process, and a second, small one that
only tells where speech is, so that a live answer does not wait for another's transcript.

Both get an answer piece by piece: what they hold does not grow with its length.
"""

import importlib.util
from collections.abc import Sequence
from typing import Any

from interviewer.errors import VoiceError
from interviewer.heard import SAMPLE_BYTES, SAMPLE_RATE, Heard, HeardWord, Span, seconds_of
from interviewer.voice.pieces import LEAST_PAUSE_S, Piece, pieces
from interviewer.voice.process import PATIENCE_S, Worker
from interviewer.voice.recogniser import LONGEST_S, Tell

NEEDED = ("faster_whisper", "av")
WINDOW_S = 60
"""Of audio in which speech is looked for at a time."""
_WINDOW = WINDOW_S * SAMPLE_RATE * SAMPLE_BYTES


class Ears:
    """Tells where speech is (Silero VAD) in a process of its own."""

    def __init__(self, *, patience_s: float = PATIENCE_S) -> None:
        check_installed()
        self.peak_bytes = 0
        """The most memory that its process has held."""
        self._worker = Worker(("-P", "-m", "interviewer.voice.detector"), patience_s=patience_s)

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech."""
        check_audio(pcm)
        spans: list[Span] = []
        for first in range(0, len(pcm), _WINDOW):
            answer = await self._worker.ask({}, pcm[first : first + _WINDOW])
            self.peak_bytes = answer["peak_bytes"]
            at = first / (SAMPLE_RATE * SAMPLE_BYTES)
            for start, end in answer["speech"]:
                _join(spans, Span(start=at + start, end=at + end))
        return tuple(spans)

    async def aclose(self) -> None:
        """End the process."""
        await self._worker.aclose()


class WhisperRecogniser:
    """faster-whisper, int8 on the CPU. `model` is a folder or a name such as 'base'."""

    destination: str | None = None

    def __init__(self, model: str, *, threads: int = 2, patience_s: float = PATIENCE_S) -> None:
        check_installed()
        self.name = f"faster-whisper {model.rstrip('/').rpartition('/')[2]}"
        self._peak_bytes = 0
        self._ears = Ears(patience_s=patience_s)
        program = ("-P", "-m", "interviewer.voice.listener", model, str(threads))
        self._worker = Worker(program, patience_s=patience_s)

    @property
    def peak_bytes(self) -> int:
        """The most memory that its two processes have held, each at its own time."""
        return self._peak_bytes + self._ears.peak_bytes

    @property
    def pid(self) -> int | None:
        """Of the worker that runs now."""
        return self._worker.pid

    async def transcribe(
        self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
    ) -> Heard:
        """What was said; see Recogniser."""
        speech, seconds = await self.speech(pcm), seconds_of(pcm)
        texts: list[str] = []
        words: list[HeardWord] = []
        async with self._worker.turn(caption=caption) as ask:
            # without speech too the model is asked for, so that its absence is told
            for piece in pieces([(s.start, s.end) for s in speech], seconds) or [Piece(0, 0)]:
                request = {"prompt": prompt, "speech": _within(speech, piece)}
                answer = await ask(request, _cut(pcm, piece), tell=_told(tell, piece, seconds))
                self._peak_bytes = answer["peak_bytes"]
                texts += [segment["text"] for segment in answer["segments"]]
                words += [
                    _word(word, piece.start)
                    for segment in answer["segments"]
                    for word in segment["words"]
                ]
        return Heard(
            text=" ".join(texts),
            words=tuple(words),
            speech=speech,
            seconds=seconds,
            recogniser=self.name,
        )

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech."""
        return await self._ears.speech(pcm)

    async def aclose(self) -> None:
        """End both processes."""
        await self._worker.aclose()
        await self._ears.aclose()


def _join(spans: list[Span], span: Span) -> None:
    """Add a stretch of speech, or lengthen the last one: the edge of a window is no pause."""
    if spans and span.start - spans[-1].end < LEAST_PAUSE_S:
        span = Span(start=spans.pop().start, end=span.end)
    spans.append(span)


def _within(speech: Sequence[Span], piece: Piece) -> list[tuple[float, float]]:
    """The speech of a piece, in seconds from its start."""
    return [
        (max(0.0, span.start - piece.start), min(piece.end, span.end) - piece.start)
        for span in speech
        if span.start < piece.end and span.end > piece.start
    ]


def _cut(pcm: bytes, piece: Piece) -> bytes:
    first, last = (round(at * SAMPLE_RATE) * SAMPLE_BYTES for at in piece)
    return pcm[first:last]


def _told(tell: Tell | None, piece: Piece, seconds: float) -> Tell | None:
    """Told how much of a piece is done, tells how much of the whole is."""
    if tell is None:
        return None
    return lambda done: tell((piece.start + done * (piece.end - piece.start)) / seconds)


def _word(word: dict[str, Any], by: float) -> HeardWord:
    return HeardWord(
        text=word["text"],
        start=word["start"] + by,
        end=word["end"] + by,
        confidence=word["confidence"],
    )


def check_installed() -> None:
    """Raises VoiceError('unavailable') without the extra `voice`."""
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        raise VoiceError(
            "unavailable",
            f"{', '.join(missing)} not installed: add Viva's extra `voice` (uv sync --extra voice)",
        )


def check_audio(pcm: bytes) -> None:
    """Raises VoiceError('bad_audio') for half a sample, or more than is accepted."""
    if len(pcm) % SAMPLE_BYTES:
        raise VoiceError("bad_audio", f"{len(pcm)} bytes are no whole Int16 samples")
    if seconds_of(pcm) > LONGEST_S:
        minutes, most = seconds_of(pcm) / 60, LONGEST_S // 60
        raise VoiceError("bad_audio", f"{minutes:.0f} minutes of audio; {most} are accepted")
