"""Audio files of any kind, and what is no audio, or too much of it."""

import io
import subprocess
import sys
import wave
from pathlib import Path
from typing import Any

import av
import numpy as np
import pytest

from interviewer.errors import VoiceError
from interviewer.voice.audio import decode, read_file

RATE = 16_000


def tone(seconds: float, rate: int = RATE, channels: int = 1) -> bytes:
    """A tone of 440 Hz as a WAV file."""
    samples = np.sin(2 * np.pi * 440 * np.arange(round(seconds * rate)) / rate)
    frames = np.repeat((samples * 16_000).astype("<i2"), channels)
    sink = io.BytesIO()
    with wave.open(sink, "wb") as file:
        file.setnchannels(channels)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes(frames.tobytes())
    return sink.getvalue()


def pitch_hz(pcm: bytes) -> float:
    samples = np.frombuffer(pcm, "<i2").astype(float)
    spectrum = np.abs(np.fft.rfft(samples))
    return float(np.argmax(spectrum)) * RATE / len(samples)


def packed(pcm: bytes, form: str, codec: str, repeats: int = 1) -> bytes:
    """The samples, so many times, in another format."""
    sink = io.BytesIO()
    with av.open(sink, "w", format=form) as container:
        stream: Any = container.add_stream(codec, rate=RATE, layout="mono")
        block = np.frombuffer(pcm, "<i2").reshape(1, -1)
        for _ in range(repeats):
            frame = av.AudioFrame.from_ndarray(block, format="s16", layout="mono")
            frame.sample_rate = RATE
            container.mux(stream.encode(frame))
        container.mux(stream.encode(None))
    return sink.getvalue()


@pytest.mark.parametrize(("rate", "channels"), [(8_000, 1), (16_000, 1), (44_100, 2), (192_000, 6)])
async def test_any_rate_and_number_of_channels_becomes_16_khz_mono(
    rate: int, channels: int
) -> None:
    decoded = await decode(tone(2, rate, channels))
    assert len(decoded.pcm) / 2 / RATE == pytest.approx(2, abs=0.01)
    assert pitch_hz(decoded.pcm) == pytest.approx(440, abs=2)
    assert decoded.note == ""


@pytest.mark.parametrize(
    ("form", "codec"),
    [("webm", "libopus"), ("ogg", "libopus"), ("flac", "flac"), ("mp3", "mp3"), ("mp4", "aac")],
)
async def test_what_browsers_and_phones_record_can_be_read(form: str, codec: str) -> None:
    decoded = await decode(packed((await decode(tone(3))).pcm, form, codec))
    assert len(decoded.pcm) / 2 / RATE == pytest.approx(3, abs=0.2)
    assert pitch_hz(decoded.pcm) == pytest.approx(440, abs=2)


@pytest.mark.parametrize(
    ("raw", "says"),
    [
        (b"", "empty"),
        (b"not audio at all" * 100, "no audio file"),
        (b"RIFF\xff\xff\xff\xffWAVEfmt ", "no"),
        (b"#EXTM3U\n#EXTINF:1,\nfile:///etc/passwd\n", "no audio file"),
        (b"ffconcat version 1.0\nfile /etc/passwd\n", "no audio file"),
        (tone(0), "no sound"),
    ],
    ids=["nothing", "text", "half a header", "a playlist", "a list of files", "no samples"],
)
async def test_what_is_no_audio_is_refused_with_a_reason(raw: bytes, says: str) -> None:
    with pytest.raises(VoiceError, match=says) as caught:
        await decode(raw)
    assert caught.value.kind == "bad_audio"


async def test_a_bomb_is_cut_off() -> None:
    bomb = packed(bytes(60 * RATE * 2), "flac", "flac", repeats=50)
    assert len(bomb) < 1_000_000
    with pytest.raises(VoiceError, match="longer than 45 minutes"):
        await decode(bomb)


async def test_a_truncated_file_keeps_what_was_said() -> None:
    whole = packed((await decode(tone(20))).pcm, "webm", "libopus")
    decoded = await decode(whole[: len(whole) // 2])
    assert 5 < len(decoded.pcm) / 2 / RATE < 15
    assert pitch_hz(decoded.pcm) == pytest.approx(440, abs=2)


async def test_a_picture_has_no_audio(tmp_path: Path) -> None:
    sink = io.BytesIO()
    with av.open(sink, "w", format="matroska") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width = stream.height = 32
        picture = av.VideoFrame.from_ndarray(np.zeros((32, 32, 3), np.uint8), format="rgb24")
        container.mux(stream.encode(picture))
        container.mux(stream.encode(None))
    with pytest.raises(VoiceError, match="no audio in it"):
        await decode(sink.getvalue())


async def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(VoiceError, match=r"none\.wav"):
        await read_file(tmp_path / "none.wav")


def test_importing_the_seam_needs_no_extra() -> None:
    code = (
        "import sys\nimport interviewer.voice.build\n"
        "print(sorted({'av', 'numpy', 'faster_whisper'} & set(sys.modules)))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.stdout.strip() == "[]", ran.stderr
