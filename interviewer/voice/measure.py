"""What a recogniser does with a known sentence on this machine: right, how fast, how large."""

import time
from importlib.resources import files
from typing import NamedTuple

from interviewer.quantities import find_quantities
from interviewer.voice.audio import decode
from interviewer.voice.local import WhisperRecogniser
from interviewer.voice.prompt import prompt_for
from interviewer.voice.recogniser import Recogniser

SAMPLE = "sample.webm"
"""Ten seconds of the synthetic voice en_US-joe-medium (CC0)."""
SAID = (70e9, 4.8e12, 0.0146)
"""The quantities in it: 70 GB, 4.8 TB/s, 14.6 ms."""
REPEATS = 3
"""Half a minute: a recogniser takes as long for less."""
SHARE = 0.35
"""Of an answer's length that its transcript may take."""


class Measured(NamedTuple):
    """What was found."""

    name: str
    destination: str | None
    first_s: float
    """The first call, with the model's loading."""
    share: float
    """Of the sample's length that the second call took."""
    peak_bytes: int
    """0 where the model is elsewhere."""
    text: str
    understood: bool
    timed: bool
    pauses: bool

    @property
    def suffices(self) -> bool:
        """True if spoken answers can be taken with it."""
        return self.understood and self.pauses and self.share <= SHARE


async def measure(recogniser: Recogniser) -> Measured:
    """Transcribe the sample twice. Raises VoiceError."""
    sample = (files("interviewer.voice") / SAMPLE).read_bytes()
    pcm = (await decode(sample)).pcm * REPEATS
    started = time.monotonic()
    await recogniser.transcribe(pcm, prompt_for(None))
    loaded = time.monotonic()
    heard = await recogniser.transcribe(pcm, prompt_for(None))
    took = time.monotonic() - loaded
    found = {said.base for said in find_quantities(heard.text)}
    return Measured(
        name=recogniser.name,
        destination=recogniser.destination,
        first_s=loaded - started,
        share=took / heard.seconds,
        peak_bytes=recogniser.peak_bytes if isinstance(recogniser, WhisperRecogniser) else 0,
        text=heard.text,
        understood=all(any(abs(base / meant - 1) < 1e-6 for base in found) for meant in SAID),
        timed=bool(heard.words),
        pauses=len(heard.speech) > 1,
    )


def as_text(found: Measured) -> str:
    """For people."""
    where = f"audio is sent to {found.destination}" if found.destination else "audio stays here"
    memory = f", {found.peak_bytes / 1e6:.0f} MB" if found.peak_bytes else ""
    words = "words with times" if found.timed else "words without times (no timeline)"
    slow = "" if found.share <= SHARE else f", over {SHARE}: take a smaller model or more threads"
    return "\n".join(
        [
            f"{found.name}: {where}",
            f"  heard: {found.text}",
            f"  numbers understood: {'yes' if found.understood else 'NO'}; {words}",
            f"  pauses found: {'yes' if found.pauses else 'NO'}",
            f"  {found.share:.2f} of an answer's length{slow}; first call {found.first_s:.1f} s"
            f"{memory}",
        ]
    )
