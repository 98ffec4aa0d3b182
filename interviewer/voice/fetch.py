"""Gets a Whisper model from its hub: `python -m interviewer.voice.fetch NAME FOLDER`."""

import sys
from hashlib import sha1, sha256
from pathlib import Path

NOTES = Path(".cache") / "huggingface" / "download"
"""Where the hub's client notes what it fetched, below the folder: commit, ETag, time."""


def main(name: str, folder: str) -> None:
    """Download and check it; what goes wrong ends the process, its reason on standard error."""
    from faster_whisper import download_model
    from huggingface_hub.errors import HfHubHTTPError

    try:
        download_model(name, output_dir=folder)
    except (OSError, ValueError, RuntimeError, HfHubHTTPError) as error:
        sys.exit(_reason(error))
    for file in damaged(Path(folder)):
        file.unlink()
        sys.exit(f"{file.name} is not the file that the hub describes; run it again")


def damaged(folder: Path) -> list[Path]:
    """The files that differ from the hash by which the hub knows them.

    Its client looks at the length alone.
    """
    found = []
    for note in sorted((folder / NOTES).glob("*.metadata")):
        etag = note.read_text(encoding="utf-8").splitlines()[1].strip()
        file = folder / note.stem
        if file.is_file() and etag not in _names(file):
            found.append(file)
    return found


def _names(file: Path) -> tuple[str, str]:
    """A file's hash as a large one (SHA-256), and as a small one (git's)."""
    large = sha256()
    small = sha1(f"blob {file.stat().st_size}\0".encode(), usedforsecurity=False)
    with file.open("rb") as content:
        while piece := content.read(2**20):
            large.update(piece)
            small.update(piece)
    return large.hexdigest(), small.hexdigest()


def _reason(error: BaseException) -> str:
    """The first cause: the client's own words name a bad connection whatever went wrong."""
    while (cause := error.__cause__ or error.__context__) is not None:
        error = cause
    return " ".join(str(error).split()) or type(error).__name__


if __name__ == "__main__":
    main(*sys.argv[1:3])
