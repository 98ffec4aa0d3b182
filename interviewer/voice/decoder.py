"""The process that opens audio files, which are hostile: `python -m interviewer.voice.decoder`.

Any audio on standard input becomes 16 kHz mono Int16 on standard output; what a person should know
of the file, or why it cannot be used, is a JSON object on standard error.
"""

import io
import json
import sys
from collections.abc import Iterator
from typing import IO, TYPE_CHECKING

if TYPE_CHECKING:
    from av.container import InputContainer

RATE = 16_000
LONGEST_S = 45 * 60
LARGEST_FILE = 200 * 1024 * 1024
MEMORY = 3 * 1024**3
"""Bytes of address space, most of which libraries reserve and never touch."""
CPU_S = 300
FORMATS = "wav,w64,aiff,au,caf,flac,ogg,matroska,webm,mov,mp4,m4a,mp3,aac,amr"
"""No playlist, which could name other files or hosts."""


class Unreadable(Exception):
    """The file cannot be used; the message says why."""


def decode(source: IO[bytes], sink: IO[bytes]) -> str:
    """Write the samples of the first audio stream; what a person should know of the file."""
    import av

    raw = source.read(LARGEST_FILE + 1)
    if not raw:
        raise Unreadable("the file is empty")
    if len(raw) > LARGEST_FILE:
        raise Unreadable(f"the file has over {LARGEST_FILE // 1024**2} MB; that many are accepted")
    options = {"format_whitelist": FORMATS, "protocol_whitelist": "none"}
    try:
        container = av.open(io.BytesIO(raw), "r", container_options=options)
    except (av.FFmpegError, ValueError) as error:
        raise Unreadable(f"this is no audio file that can be read ({error})") from error
    with container:
        if not container.streams.audio:
            raise Unreadable("the file has no audio in it")
        return _copy(container, sink)


def _copy(container: "InputContainer", sink: IO[bytes]) -> str:
    import av

    written, note = 0, ""
    try:
        for samples in _samples(container):
            sink.write(samples)
            written += len(samples) // 2
            if written > LONGEST_S * RATE:
                raise Unreadable(f"longer than {LONGEST_S // 60} minutes; shorten it")
    except (av.FFmpegError, ValueError) as error:
        note = f"the file breaks off after {written / RATE:.1f} s ({error})"
    if not written:
        raise Unreadable(note or "the file has no sound in it")
    return note


def _samples(container: "InputContainer") -> Iterator[bytes]:
    import av

    resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
    for frame in container.decode(audio=0):
        frame.pts = None  # a gap or a jump in the times is no reason to fail
        for made in resampler.resample(frame):
            yield bytes(made.planes[0])[: made.samples * 2]
    for made in resampler.resample(None):
        yield bytes(made.planes[0])[: made.samples * 2]


def limit() -> None:
    """Bound memory and time: a small file may hold a large bomb."""
    try:
        import resource
    except ImportError:  # Windows; the parent still bounds the time
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU_S, CPU_S))


def main() -> int:
    """Decode; 1 where the input cannot be used."""
    import av.logging

    limit()
    av.logging.set_level(av.logging.PANIC)
    try:
        note = decode(sys.stdin.buffer, sys.stdout.buffer)
    except Unreadable as error:
        print(json.dumps({"error": str(error)}), file=sys.stderr)
        return 1
    except MemoryError:
        print(json.dumps({"error": "the file needs more memory than is accepted"}), file=sys.stderr)
        return 1
    print(json.dumps({"note": note}), file=sys.stderr)
    return 0


if __name__ == "__main__":
    sys.exit(main())
