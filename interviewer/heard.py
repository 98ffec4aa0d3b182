"""What a recogniser heard, as plain values: text, words with their times, and where speech was."""

from pydantic import BaseModel, ConfigDict, Field

SAMPLE_RATE = 16_000
"""Hz of all audio inside Viva: mono, little-endian Int16."""
SAMPLE_BYTES = 2
DOUBTFUL = 0.5
"""A word of which the recogniser is less sure may be another."""


class Frozen(BaseModel):
    """A value: immutable. Unknown fields are ignored, so that an older Viva reads a newer log."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class Span(Frozen):
    """A stretch of time, in seconds from the start of the audio."""

    start: float = Field(ge=0)
    end: float = Field(ge=0)

    @property
    def seconds(self) -> float:
        """How long it is."""
        return max(0.0, self.end - self.start)


class HeardWord(Span):
    """One word as the recogniser wrote it, punctuation included.

    Its end may be stretched over the pause that follows: measure pauses from `Heard.speech`.
    """

    text: str
    confidence: float = Field(ge=0, le=1)
    """The recogniser's own. Fillers have 0.1 and less, so it is no reason to drop a word."""


class Heard(Frozen):
    """One piece of audio as it was heard. Nothing said gives no text, no words and no speech."""

    text: str = ""
    words: tuple[HeardWord, ...] = ()
    """In order, each to be found in `text` after the one before; empty where the recogniser gives
    no times.
    """
    speech: tuple[Span, ...] = ()
    """Where a voice activity detector (VAD) heard speech, in order; pauses are between them."""
    seconds: float = Field(default=0.0, ge=0)
    """Length of the audio."""
    recogniser: str = ""
    """Who heard it, with its model."""


def seconds_of(pcm: bytes) -> float:
    """Length of 16 kHz mono Int16 audio."""
    return len(pcm) / (SAMPLE_RATE * SAMPLE_BYTES)
