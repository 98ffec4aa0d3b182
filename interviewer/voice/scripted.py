"""A recogniser that follows a script: for tests and demonstrations. Listens to nothing."""

from collections.abc import Callable
from dataclasses import dataclass

from interviewer.errors import VoiceError
from interviewer.heard import Heard, HeardWord, Span, seconds_of
from interviewer.voice.recogniser import Tell

Line = str | Heard | VoiceError
Script = Line | Callable[[bytes, str], Line]


@dataclass(frozen=True, slots=True)
class Asked:
    """One call: its audio, its prompt, and whether it was for a caption."""

    pcm: bytes
    prompt: str
    caption: bool


class ScriptedRecogniser:
    """Hears line by line; the last line stays. A callable line sees audio and prompt.

    A text becomes words of equal length over the whole audio, all of which is speech. `caption`,
    where it is given, is all that captions say: when they are asked for is a matter of time, and
    without it each takes a line of the script.
    """

    def __init__(
        self, *script: Script, destination: str | None = None, caption: str | None = None
    ) -> None:
        self.name = "scripted"
        self.destination = destination
        self._caption = caption
        self.asked: list[Asked] = []
        self.closed = False
        self._script = list(script or ("",))

    @property
    def answer(self) -> bytes:
        """The sound of the answer that was heard last; a caption may have been asked for later."""
        return next(asked.pcm for asked in reversed(self.asked) if not asked.caption)

    async def transcribe(
        self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
    ) -> Heard:
        """The next line of the script, told half-way and at the end."""
        self.asked.append(Asked(pcm, prompt, caption))
        if caption and self._caption is not None:
            return heard_as(self._caption, seconds_of(pcm))
        line = self._script.pop(0) if len(self._script) > 1 else self._script[0]
        if not isinstance(line, str | Heard | VoiceError):
            line = line(pcm, prompt)
        if isinstance(line, VoiceError):
            raise line
        for done in (0.5, 1.0):
            if tell is not None:
                tell(done)
        return heard_as(line, seconds_of(pcm)) if isinstance(line, str) else line

    async def speech(self, pcm: bytes) -> tuple[Span, ...]:
        """Speech wherever a sample is not zero: the whole stretch from the first to the last."""
        head = len(pcm) - len(pcm.lstrip(b"\0"))
        if head == len(pcm):
            return ()
        tail = len(pcm.rstrip(b"\0"))
        return (Span(start=seconds_of(pcm[:head]), end=seconds_of(pcm[:tail])),)

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True


def heard_as(text: str, seconds: float, confidence: float = 0.9) -> Heard:
    """A text as if it had been spoken evenly over so many seconds."""
    words = text.split()
    step = seconds / len(words) if words else 0.0
    return Heard(
        text=" ".join(words),
        words=tuple(
            HeardWord(text=word, start=at * step, end=(at + 1) * step, confidence=confidence)
            for at, word in enumerate(words)
        ),
        speech=(Span(start=0, end=seconds),) if words else (),
        seconds=seconds,
        recogniser="scripted",
    )
