"""Makes a kept recording a tenth of its size: Opus in WebM, written by a process of its own."""

import sys
from importlib.util import find_spec
from pathlib import Path

from interviewer.child import DISCARD, start
from interviewer.takes.disk import on_disk

BITS_PER_S = 32_000


async def pack(path: Path) -> bool:
    """Write WebM beside a WAV file; False where it cannot be: no PyAV (extra `voice`), no room.

    Raises StoreUnavailable where the file was deleted meanwhile.
    """
    if find_spec("av") is None:
        return False
    half = path.with_suffix(".half")
    process = await start("-P", "-m", __name__, str(path), str(half), stderr=DISCARD)
    try:
        if await process.wait() != 0:
            return False
    finally:
        await process.end()
    await on_disk(half.replace, path.with_suffix(".webm"))
    return True


def encode(source: str, target: str) -> None:
    """Turn a WAV file into WebM, readable by its owner only."""
    import av

    Path(target).touch(mode=0o600)
    with av.open(source) as sound, av.open(target, "w", format="webm") as webm:
        stream = webm.add_stream("libopus", rate=48_000)
        stream.bit_rate = BITS_PER_S
        stream.layout = "mono"
        resampler = av.AudioResampler("flt", "mono", 48_000)
        for frame in sound.decode(audio=0):
            for piece in resampler.resample(frame):
                webm.mux(stream.encode(piece))
        webm.mux(stream.encode(None))


if __name__ == "__main__":
    encode(*sys.argv[1:3])
