"""Makes a kept recording smaller: FLAC, which every browser plays and nothing is lost in."""

from importlib.util import find_spec
from pathlib import Path


def pack(path: Path) -> Path:
    """Replace a WAV file by FLAC beside it; without PyAV (extra `voice`) it stays as it is."""
    if find_spec("av") is None:
        return path
    target, half = path.with_suffix(".flac"), path.with_suffix(".half")
    _encode(path, half)
    half.chmod(0o600)
    half.replace(target)
    path.unlink()
    return target


def _encode(source: Path, target: Path) -> None:
    import av

    with av.open(str(source)) as sound, av.open(str(target), "w", format="flac") as flac:
        stream = flac.add_stream("flac", rate=16_000)
        for frame in sound.decode(audio=0):
            flac.mux(stream.encode(frame))
        flac.mux(stream.encode(None))
