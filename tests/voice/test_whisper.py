"""The real recogniser on speech, silence, noise and music, in its process."""

import asyncio
import time

import numpy as np
import pytest

from evals.voice.voices import Clip
from interviewer.errors import VoiceError
from interviewer.heard import Heard
from interviewer.quantities import find_quantities
from interviewer.voice.local import WINDOW_S, WhisperRecogniser
from interviewer.voice.prompt import prompt_for
from tests.watched import piece_of_work_s

RATE = 16_000


def pcm_of(samples: "np.ndarray[tuple[int], np.dtype[np.float64]]") -> bytes:
    return (np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes()


def noise(seconds: int) -> bytes:
    return pcm_of(np.random.default_rng(1).normal(0, 0.05, seconds * RATE))


def music(seconds: int) -> bytes:
    """Chords of a few partials, two a second."""
    time_s = np.arange(seconds * RATE) / RATE
    root = 220 * 2 ** (np.array([0, 3, 5, 7, 10])[(time_s * 2).astype(int) % 5] / 12)
    partials = sum(
        np.sin(2 * np.pi * root * ratio * time_s) / ratio for ratio in (1, 1.25, 1.5, 2, 3)
    )
    return pcm_of(0.2 * np.asarray(partials))


@pytest.fixture(scope="module")
async def heard(whisper: WhisperRecogniser, spoken: Clip) -> Heard:
    return await whisper.transcribe(spoken.pcm, prompt_for(None))


async def test_numbers_units_and_fillers_survive(heard: Heard) -> None:
    found = [(q.value, q.dimension) for q in find_quantities(heard.text)]
    assert found == [(70.0, "bytes"), (4.8, "bytes/time"), (14.6, "time")]
    assert heard.text.lower().startswith("um")


async def test_words_have_times_in_order_inside_the_audio(heard: Heard) -> None:
    starts = [word.start for word in heard.words]
    assert starts == sorted(starts)
    assert starts[0] >= 0
    assert heard.words[-1].end <= heard.seconds + 0.5
    assert "".join(word.text for word in heard.words) == heard.text.replace(" ", "")


async def test_a_pause_is_found_where_it_was_made(heard: Heard, spoken: Clip) -> None:
    (start, end) = spoken.pauses[0]
    gaps = [(a.end, b.start) for a, b in zip(heard.speech, heard.speech[1:], strict=False)]
    nearest = min(gaps, key=lambda gap: abs(gap[0] - start))
    assert nearest == pytest.approx((start, end), abs=0.15)


@pytest.mark.parametrize(
    "pcm",
    [b"\0" * 20 * RATE * 2, noise(20), music(20), b"", b"\1\0" * 8],
    ids=["silence", "noise", "music", "nothing", "a click"],
)
async def test_no_speech_gives_no_words(whisper: WhisperRecogniser, pcm: bytes) -> None:
    heard = await whisper.transcribe(pcm, prompt_for(None))
    assert (heard.text, heard.words) == ("", ())


async def test_long_silence_around_speech_adds_no_words(
    whisper: WhisperRecogniser, heard: Heard, spoken: Clip
) -> None:
    quiet = b"\0" * 15 * RATE * 2
    around = await whisper.transcribe(quiet + spoken.pcm + quiet, prompt_for(None))
    assert len(around.words) == pytest.approx(len(heard.words), abs=3)
    assert all(14.5 < word.start < 26 for word in around.words)


async def test_the_loop_stays_free_while_the_worker_works(
    whisper: WhisperRecogniser, spoken: Clip
) -> None:
    # Of CPU time, not of the clock: what another process takes is no fault of the loop.
    worked: list[float] = []

    async def watch() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            worked.append(time.thread_time() - before)

    watcher = asyncio.create_task(watch())
    await whisper.transcribe(b"\0" * 120 * RATE * 2 + spoken.pcm)
    watcher.cancel()
    assert max(worked) < 5 * piece_of_work_s()


async def test_speech_over_the_edge_of_a_window_is_one_stretch(
    whisper: WhisperRecogniser, spoken: Clip
) -> None:
    alone = await whisper.speech(spoken.pcm)
    length_s = len(spoken.pcm) / RATE / 2
    times = round(WINDOW_S // length_s) + 1
    begun = (times - 1) * length_s
    assert any(span.start < WINDOW_S - begun < span.end for span in alone)
    last = [s for s in await whisper.speech(spoken.pcm * times) if s.start >= begun]
    assert len(last) == len(alone)
    for found, known in zip(last, alone, strict=True):
        assert found.start - begun == pytest.approx(known.start, abs=0.1)
        assert found.end - begun == pytest.approx(known.end, abs=0.1)


async def test_the_memory_of_both_processes_stays_under_600_megabytes(
    whisper: WhisperRecogniser, spoken: Clip
) -> None:
    await whisper.transcribe(spoken.pcm * 12)
    assert 100e6 < whisper.peak_bytes < 600e6


async def test_the_progress_of_a_long_answer_only_grows(
    whisper: WhisperRecogniser, spoken: Clip
) -> None:
    told: list[float] = []
    await whisper.transcribe(spoken.pcm * 6, tell=told.append)
    assert told == sorted(told)
    assert told[-1] > 0.9


async def test_a_missing_model_says_what_to_do() -> None:
    recogniser = WhisperRecogniser("no-such-model")
    with pytest.raises(VoiceError, match="viva voice setup") as caught:
        await recogniser.transcribe(b"\1\0" * RATE)
    await recogniser.aclose()
    assert caught.value.kind == "unavailable"


async def test_half_a_sample_and_an_hour_are_refused(whisper: WhisperRecogniser) -> None:
    with pytest.raises(VoiceError, match="no whole Int16 samples"):
        await whisper.transcribe(b"\0" * 3)
    with pytest.raises(VoiceError, match="45 are accepted"):
        await whisper.speech(bytes(46 * 60 * RATE * 2))
