"""A WAV file that grows by whole frames of sound: 16 kHz mono Int16, playable at any moment."""

import os
import struct
from pathlib import Path
from typing import BinaryIO

from interviewer.heard import SAMPLE_BYTES, SAMPLE_RATE

FRAME_S = 0.1
FRAME_BYTES = int(SAMPLE_RATE * FRAME_S) * SAMPLE_BYTES
HEAD_BYTES = 44
_UNKNOWN = 0xFFFFFFFF
"""What a WAV header says of a length that is not known yet."""


def header(sound_bytes: int | None) -> bytes:
    """The head of a WAV file with so many bytes of sound; None while it grows."""
    size = _UNKNOWN if sound_bytes is None else sound_bytes
    whole = _UNKNOWN if sound_bytes is None else sound_bytes + HEAD_BYTES - 8
    per_s = SAMPLE_RATE * SAMPLE_BYTES
    kind = struct.pack("<IHHIIHH", 16, 1, 1, SAMPLE_RATE, per_s, SAMPLE_BYTES, 8 * SAMPLE_BYTES)
    return b"RIFF%bWAVEfmt %bdata%b" % (struct.pack("<I", whole), kind, struct.pack("<I", size))


def create(path: Path) -> None:
    """Begin a file, readable by its owner only."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        _sync(file, header(None))


def frames_in(path: Path) -> int:
    """Whole frames in the file; what a crash left of another one does not count."""
    return max(0, path.stat().st_size - HEAD_BYTES) // FRAME_BYTES


def write(path: Path, at: int, sound: bytes) -> None:
    """Put frames from frame `at` on; they are on the disk when this returns."""
    with path.open("r+b") as file:
        file.seek(HEAD_BYTES + at * FRAME_BYTES)
        _sync(file, sound)


def finish(path: Path, frames: int) -> None:
    """Write the length into the head, and cut what a crash left behind the last frame."""
    with path.open("r+b") as file:
        file.truncate(HEAD_BYTES + frames * FRAME_BYTES)
        _sync(file, header(frames * FRAME_BYTES))


def sound_of(path: Path) -> bytes:
    """All whole frames, without the head."""
    sound = path.read_bytes()[HEAD_BYTES:]
    return sound[: len(sound) // FRAME_BYTES * FRAME_BYTES]


def _sync(file: BinaryIO, data: bytes) -> None:
    file.write(data)
    file.flush()
    os.fsync(file.fileno())
