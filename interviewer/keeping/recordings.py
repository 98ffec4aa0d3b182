"""Kept sound in a ZIP file: each recording as it lies on the shelf, and a list with their digests.

What is read in is not trusted: a name, a length or a digest that does not fit refuses all of it.
"""

import io
import os
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from hashlib import file_digest, sha256
from pathlib import Path
from typing import IO
from zipfile import ZIP_STORED, ZipFile

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from sqlalchemy import Connection
from sqlmodel import col, select

from interviewer.errors import BackupFault
from interviewer.keeping.zipped import entry
from interviewer.store.tables import EventRow
from interviewer.takes.shelf import kept_files
from interviewer.takes.staging import staging
from interviewer.takes.take import LONGEST_FRAMES
from interviewer.takes.wav import FRAME_BYTES, HEAD_BYTES

FOLDER, LIST = "sound/", "sound.jsonl"
LARGEST = LONGEST_FRAMES * FRAME_BYTES + HEAD_BYTES
"""Bytes of the longest answer as WAV."""
_LONGEST_LINE = 1_000
_CHUNK = 2**20


class Recording(BaseModel):
    """One kept file, as the list holds it."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    round_id: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}$")
    file: str = Field(pattern=r"^[A-Za-z0-9_-]{1,64}\.(webm|wav)$")
    bytes: int = Field(ge=0, le=LARGEST)
    sha256: str = Field(pattern=r"^[0-9a-f]{64}$")
    kept_at: int = Field(ge=0)
    """Unix seconds: sound is deleted so many days after this."""

    @property
    def member(self) -> str:
        """Its name in the ZIP file."""
        return f"{FOLDER}{self.round_id}/{self.file}"


def beside(backup: Path) -> Path:
    """The file that holds the sound of a backup."""
    return backup.with_name(f"{backup.name}.sound.zip")


def write_sound(archive: ZipFile, connection: Connection, folder: Path) -> int:
    """Add the kept sound of all rounds of the database, and its list; the number of recordings."""
    files = (path for path in kept_files(folder) if is_round(connection, path.parent.name))
    written = list(_written(archive, files))
    if written:
        lines = (recording.model_dump_json() + "\n" for recording in written)
        archive.writestr(entry(LIST), "".join(lines))
    return len(written)


def read_sound(archive: ZipFile, connection: Connection, folder: Path) -> int:
    """Put the recordings that are not here yet in place, all or none; the number of those.

    Raises BackupFault for one that fits no round, differs from the one here, or is not as listed.
    """
    listed = list(_listed(archive))
    members = {name for name in archive.namelist() if name.startswith(FOLDER)}
    if stray := sorted(members ^ {recording.member for recording in listed}):
        raise BackupFault(f"{stray[0]}: it must be in the archive and in {LIST}")
    if not listed:
        return 0
    with staging(folder) as apart:
        new = [
            (recording, _staged(archive, recording, apart / str(number)))
            for number, recording in enumerate(listed)
            if not _is_here(recording, connection, folder)
        ]
        for recording, staged in new:
            _put(recording, staged, folder)
    return len(new)


def is_round(connection: Connection, round_id: str) -> bool:
    """Whether the database holds this round."""
    first = (col(EventRow.round_id) == round_id, col(EventRow.seq) == 1)
    return connection.execute(select(EventRow.seq).where(*first)).first() is not None


def _written(archive: ZipFile, files: Iterable[Path]) -> Iterator[Recording]:
    for path in files:
        with suppress(FileNotFoundError), path.open("rb") as file:  # Deleted since it was listed.
            kept_at = int(os.fstat(file.fileno()).st_mtime)
            name = f"{FOLDER}{path.parent.name}/{path.name}"
            with archive.open(entry(name, ZIP_STORED), "w") as member:
                size, digest = _copy(file, member)
            yield Recording(
                round_id=path.parent.name,
                file=path.name,
                bytes=size,
                sha256=digest,
                kept_at=kept_at,
            )


def _listed(archive: ZipFile) -> Iterator[Recording]:
    if LIST not in archive.namelist():
        return
    with archive.open(LIST) as member:
        buffered, number = io.BufferedReader(member), 0  # type: ignore[type-var]
        while line := buffered.readline(_LONGEST_LINE + 1):
            number += 1
            try:
                yield Recording.model_validate_json(line)
            except ValidationError as error:
                fault = error.errors()[0]
                place = ".".join(map(str, fault["loc"]))
                raise BackupFault(f"{LIST}:{number}: {place}: {fault['msg']}") from error


def _is_here(recording: Recording, connection: Connection, folder: Path) -> bool:
    if not is_round(connection, recording.round_id):
        raise BackupFault(f"{recording.member}: there is no round {recording.round_id}")
    place = folder / recording.round_id / recording.file
    if not place.is_file():
        return False
    with place.open("rb") as file:
        if file_digest(file, "sha256").hexdigest() != recording.sha256:
            raise BackupFault(f"{recording.member}: {place} is here already and differs")
    return True


def _staged(archive: ZipFile, recording: Recording, target: Path) -> Path:
    """The recording in a file that does not count yet, and is what the list says."""
    descriptor = os.open(target, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with archive.open(recording.member) as member, os.fdopen(descriptor, "wb") as file:
        found = _copy(member, file, recording.bytes)
        file.flush()
        os.fsync(file.fileno())
    if found != (recording.bytes, recording.sha256):
        raise BackupFault(f"{recording.member}: its length or its digest is not as in {LIST}")
    return target


def _put(recording: Recording, staged: Path, folder: Path) -> None:
    place = folder / recording.round_id / recording.file
    place.parent.mkdir(mode=0o700, exist_ok=True)
    kept_at = min(recording.kept_at, time.time())
    os.utime(staged, (kept_at, kept_at))
    staged.replace(place)


def _copy(source: IO[bytes], target: IO[bytes], most: int = LARGEST) -> tuple[int, str]:
    """Copy piece by piece, and stop soon after so many bytes; how many there were, their digest."""
    size, digest = 0, sha256()
    while size <= most and (piece := source.read(_CHUNK)):
        target.write(piece)
        digest.update(piece)
        size += len(piece)
    return size, digest.hexdigest()
