"""Recognition on this machine: faster-whisper in a worker process, and a second one that only
tells where speech is, so that a live answer does not wait for another's transcript.
"""

import importlib.util

from interviewer.errors import VoiceError
from interviewer.heard import SAMPLE_BYTES, Heard, Span, seconds_of
from interviewer.voice.process import PATIENCE_S, Worker
from interviewer.voice.recogniser import LONGEST_S, Tell

NEEDED = ("faster_whisper", "av")
_PROGRAM = ("-P", "-m", "interviewer.voice.worker")


class Ears:
    """Tells where speech is (Silero VAD) in a process of its own."""

    def __init__(self, *, patience_s: float = PATIENCE_S) -> None:
        check_installed()
        self._worker = Worker((*_PROGRAM, "", "1"), patience_s=patience_s)

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech."""
        check_audio(pcm)
        answer = await self._worker.ask({"op": "speech"}, pcm)
        return tuple(Span(start=start, end=end) for start, end in answer["speech"])

    async def aclose(self) -> None:
        """End the process."""
        await self._worker.aclose()


class WhisperRecogniser:
    """faster-whisper, int8 on the CPU. `model` is a folder or a name such as 'base'."""

    destination: str | None = None

    def __init__(self, model: str, *, threads: int = 2, patience_s: float = PATIENCE_S) -> None:
        check_installed()
        self.name = f"faster-whisper {model.rstrip('/').rpartition('/')[2]}"
        self.peak_bytes = 0
        """The most memory that the worker has held."""
        self._ears = Ears(patience_s=patience_s)
        self._worker = Worker((*_PROGRAM, model, str(threads)), patience_s=patience_s)

    @property
    def pid(self) -> int | None:
        """Of the worker that runs now."""
        return self._worker.pid

    async def transcribe(
        self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
    ) -> Heard:
        """What was said; see Recogniser."""
        check_audio(pcm)
        request = {"op": "transcribe", "prompt": prompt}
        answer = await self._worker.ask(request, pcm, tell=tell, caption=caption)
        self.peak_bytes = answer["peak_bytes"]
        return Heard.model_validate(answer["heard"] | {"recogniser": self.name})

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Where there is speech."""
        return await self._ears.speech(pcm)

    async def aclose(self) -> None:
        """End both processes."""
        await self._worker.aclose()
        await self._ears.aclose()


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
