"""Sixty seconds in which nobody speaks: silence, noise, music. No word may come of it."""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from interviewer.heard import SAMPLE_RATE

if TYPE_CHECKING:
    import numpy as np

    Sound = np.ndarray[Any, np.dtype[np.float64]]

SECONDS = 60
SPEECH_RMS = 0.1
"""Of full scale: the level of the synthetic voices."""
NOISE_RMS = SPEECH_RMS / 10 ** (15 / 20)
"""Fifteen decibels below speech."""
SEED = 20_261_129


def quiet(name: str, seconds: int = SECONDS) -> bytes:
    """The audio of this name, 16 kHz mono Int16."""
    import numpy as np

    sound = QUIET[name](seconds * SAMPLE_RATE)
    return (np.clip(sound, -1, 1) * 32767).astype("<i2").tobytes()


def _silence(count: int) -> "Sound":
    import numpy as np

    return np.zeros(count)


def _white(count: int) -> "Sound":
    import numpy as np

    return np.random.default_rng(SEED).normal(0, NOISE_RMS, count)


def _pink(count: int) -> "Sound":
    """Noise whose power falls by three decibels an octave, like a room's."""
    import numpy as np

    spectrum = np.fft.rfft(np.random.default_rng(SEED).normal(0, 1, count))
    spectrum /= np.sqrt(np.maximum(1, np.arange(len(spectrum))))
    sound: Sound = np.fft.irfft(spectrum, count)
    level: Sound = sound * NOISE_RMS / np.sqrt(np.mean(sound**2))
    return level


def _hum(count: int) -> "Sound":
    """A mains hum with its harmonics, and a click each second."""
    import numpy as np

    time_s = np.arange(count) / SAMPLE_RATE
    sound = sum(np.sin(2 * np.pi * 50 * n * time_s) / n for n in (1, 2, 3, 5))
    clicks = (np.arange(count) % SAMPLE_RATE) < 20
    return NOISE_RMS * np.asarray(sound) + 0.5 * clicks


def _chords(count: int) -> "Sound":
    """Chords of four notes, each with three partials, one a second."""
    import numpy as np

    time_s = np.arange(count) / SAMPLE_RATE
    root = 220 * 2 ** (np.array([0, 5, 7, 3])[time_s.astype(int) % 4] / 12)
    notes = (
        np.sin(2 * np.pi * root * ratio * partial * time_s) / partial
        for ratio in (1, 1.26, 1.5, 2)
        for partial in (1, 2, 3)
    )
    return 0.06 * np.asarray(sum(notes))


def _melody(count: int) -> "Sound":
    """A plucked tune, three notes a second, over a beat of noise."""
    import numpy as np

    time_s = np.arange(count) / SAMPLE_RATE
    steps = np.array([0, 2, 4, 7, 9, 7, 4, 2, 12, 9, 7, 4])
    pitch = 261.6 * 2 ** (steps[(time_s * 3).astype(int) % len(steps)] / 12)
    decay = np.exp(-4 * (time_s * 3 % 1))
    tune = decay * sum(np.sin(2 * np.pi * pitch * n * time_s) / n**2 for n in (1, 2, 3, 4))
    beat = np.random.default_rng(SEED).normal(0, 1, count) * np.exp(-30 * (time_s * 2 % 1))
    return 0.2 * np.asarray(tune) + 0.05 * beat


QUIET: "dict[str, Callable[[int], Sound]]" = {
    "silence": _silence,
    "white noise": _white,
    "pink noise": _pink,
    "hum and clicks": _hum,
    "chords": _chords,
    "melody and beat": _melody,
}
