"""What a process that listens has in common: requests come in, answers go out, it ends with Viva.

Reads a JSON line and Int16 audio from standard input, answers in JSON lines.
"""

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import numpy as np

    Audio = np.ndarray[Any, np.dtype[np.int16]]

RATE = 16_000


class Unavailable(Exception):
    """The model cannot be loaded; the message says what to do."""


class Listener(Protocol):
    """What is done with the audio."""

    def answer(self, request: dict[str, Any], audio: "Audio") -> Iterator[dict[str, Any]]:
        """Progress (`done`, 0 to 1), then the answer."""
        ...


def as_floats(audio: "Audio") -> "np.ndarray[Any, np.dtype[np.float32]]":
    """Samples between -1 and 1."""
    import numpy as np

    return audio.astype(np.float32) / 32768.0


def peak_bytes() -> int:
    """The most memory that this process has held; 0 where the system does not tell (not Linux).

    Not getrusage: that counts what the parent held when it started this process.
    """
    try:
        status = Path("/proc/self/status").read_text(encoding="ascii")
    except OSError:
        return 0
    line = next((line for line in status.splitlines() if line.startswith("VmHWM")), "VmHWM: 0 kB")
    return int(line.split()[1]) * 1024


def serve(listener: Listener, source: IO[bytes], sink: IO[bytes]) -> None:
    """Answer until the input ends."""
    import numpy as np

    while line := source.readline():
        request = json.loads(line)
        audio = np.frombuffer(_read(source, request["bytes"]), dtype="<i2")
        try:
            for message in listener.answer(request, audio):
                _say(sink, message)
        except Unavailable as error:
            _say(sink, {"error": str(error), "kind": "unavailable"})


def _read(source: IO[bytes], count: int) -> bytearray:
    """So many bytes, held once; fewer only where the input ends."""
    held = bytearray(count)
    at = 0
    with memoryview(held) as view:
        while at < count and (read := source.readinto(view[at:])):  # type: ignore[attr-defined]
            at += read
    return held


def _say(sink: IO[bytes], message: dict[str, Any]) -> None:
    sink.write(json.dumps(message).encode() + b"\n")
    sink.flush()


def end_with(parent: int) -> None:
    """End when the server has: its pipe alone would be noticed only after the work at hand."""
    while os.getppid() == parent:
        time.sleep(1)
    os._exit(0)


def run(listener: Listener) -> None:
    """Serve on the standard streams; what libraries print goes to standard error."""
    sink = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    if hasattr(os, "nice"):
        os.nice(5)  # the round's own process goes first
    threading.Thread(target=end_with, args=(os.getppid(),), daemon=True).start()
    serve(listener, sys.stdin.buffer, sink)
