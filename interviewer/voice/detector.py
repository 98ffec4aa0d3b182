"""The process that tells where speech is: `python -m interviewer.voice.detector`."""

import ctypes
from collections.abc import Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from interviewer.voice.pieces import LEAST_PAUSE_S
from interviewer.voice.worker import RATE, as_floats, peak_bytes, run

if TYPE_CHECKING:
    from interviewer.voice.worker import Audio


_M_MMAP_THRESHOLD = -3
"""See mallopt(3)."""


class Detector:
    """Voice activity detection (Silero)."""

    def answer(self, request: dict[str, Any], audio: "Audio") -> Iterator[dict[str, Any]]:
        """`speech`: start and end of each stretch, in seconds."""
        from faster_whisper.vad import VadOptions, get_speech_timestamps

        options = VadOptions(min_silence_duration_ms=round(LEAST_PAUSE_S * 1000), speech_pad_ms=0)
        found = get_speech_timestamps(as_floats(audio), options)
        speech = [(stretch["start"] / RATE, stretch["end"] / RATE) for stretch in found]
        yield {"speech": speech, "peak_bytes": peak_bytes()}


def give_memory_back() -> None:
    """Let glibc hand every large buffer back at once: 150 MB at most, not 200 and growing."""
    with suppress(AttributeError, OSError):  # another C library
        ctypes.CDLL(None).mallopt(_M_MMAP_THRESHOLD, 256 * 1024)


if __name__ == "__main__":
    give_memory_back()
    run(Detector())
