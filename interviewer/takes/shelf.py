"""The folder of spoken answers: one not yet sent a round, and the sound that a person keeps."""

import errno
import os
import re
import shutil
from asyncio import Lock
from collections.abc import Iterable, Iterator
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from threading import Lock as ThreadLock
from typing import BinaryIO
from weakref import WeakValueDictionary

from pydantic import ValidationError
from sqlalchemy.engine import make_url

from interviewer.errors import StoreUnavailable, TakeRefused
from interviewer.takes import packing, wav
from interviewer.takes.disk import on_disk
from interviewer.takes.staging import sweep_staging
from interviewer.takes.take import Notes, Take, write_notes

LEAST_FREE = 200 * 1024 * 1024
"""Bytes that must be free before an answer is begun: three of the longest fit."""
FILE_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")
KEPT = (".webm", ".wav")
_ENDINGS = (*KEPT, ".half", ".tmp", ".json")
_ROUND = re.compile(r"[0-9a-f]{16}")
"""A round's id as it is drawn: the folder may hold others, which are not Viva's to delete from."""


class Shelf:
    """Finds, begins, keeps and deletes the takes of all rounds."""

    def __init__(self, folder: Path, keep_days: int) -> None:
        self.folder = folder
        self.keep_days = keep_days
        """Days after which sound is deleted."""
        # While a round's sound is packed nobody is handed a file that is about to go, and what is
        # deleted does not come back packed. Weak: a lock lives while somebody holds or awaits it.
        self._packing: WeakValueDictionary[str, Lock] = WeakValueDictionary()
        # A folder that has become empty is not removed while an answer is begun in it.
        self._folders = ThreadLock()

    async def unsent(self, round_id: str) -> Take | None:
        """The answer of a round that was begun and not sent."""
        return await on_disk(self._unsent, round_id)

    async def begin(self, round_id: str, take_id: str, *, keep: bool) -> Take:
        """An empty take. Raises TakeRefused for a bad id, StoreUnavailable for a full disk."""
        return await on_disk(self._begin, round_id, take_id, keep)

    async def discard(self, take: Take) -> None:
        """Delete a take, sound and all."""
        await take.settle()
        await on_disk(self._delete, take.path.parent, take.id)

    async def put_away(self, take: Take) -> None:
        """The answer was sent: keep its sound, compressed, where the person said so."""
        if not take.notes.keep:
            await self.discard(take)
            return
        async with self._lock(take.path.parent.name):
            if await packing.pack(take.path):
                await on_disk(take.path.unlink, missing_ok=True)
            await on_disk(take.path.with_suffix(".json").unlink, missing_ok=True)

    async def sound_file(self, round_id: str, take_id: str) -> BinaryIO | None:
        """The file to play, while the answer is checked or where it is kept; it is open already, so
        that whoever deletes it cuts off nobody who listens.
        """
        async with self._lock(round_id):
            return await on_disk(self._open, round_id, take_id)

    async def kept(self, round_id: str) -> tuple[str, ...]:
        """The ids of the answers whose sound is here."""
        return await on_disk(self._kept, round_id)

    async def forget(self, round_id: str) -> None:
        """Delete all sound of a round."""
        async with self._lock(round_id):
            await on_disk(self._forget, round_id)

    async def sweep(self, now: datetime) -> int:
        """Delete sound older than `keep_days`, and what a killed import left; how many files of the
        former.
        """
        return await on_disk(self._sweep, now)

    def _lock(self, round_id: str) -> Lock:
        return self._packing.setdefault(round_id, Lock())

    def _of(self, round_id: str) -> Path:
        if not FILE_NAME.fullmatch(round_id):
            raise TakeRefused(f"round {round_id!r}: not an id of a round")
        return self.folder / round_id

    def _unsent(self, round_id: str) -> Take | None:
        for path in sorted(self._of(round_id).glob("*.json")):
            sound = path.with_suffix(".wav")
            with suppress(ValidationError, FileNotFoundError):
                notes = Notes.model_validate_json(path.read_bytes())
                if sound.is_file() and notes.id == path.stem:
                    return Take(sound, notes, wav.frames_in(sound))
        return None

    def _begin(self, round_id: str, take_id: str, keep: bool) -> Take:
        if not FILE_NAME.fullmatch(take_id):
            raise TakeRefused("id of a spoken answer: 1 to 64 letters, digits, '-' or '_'")
        with self._folders:
            return self._create(self._of(round_id), Notes(id=take_id, keep=keep))

    def _create(self, folder: Path, notes: Notes) -> Take:
        path = folder / f"{notes.id}.wav"
        if any(path.with_suffix(ending).exists() for ending in KEPT):
            raise TakeRefused("this id was used for another spoken answer; take a new one")
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if (free := shutil.disk_usage(folder).free) < LEAST_FREE:
            raise StoreUnavailable(
                f"only {free // 2**20} MB are free in {folder}; free some, then start again"
            )
        # Notes without sound are no answer; sound without notes would be one that is kept.
        write_notes(path, notes)
        wav.create(path)
        return Take(path, notes, 0)

    def _open(self, round_id: str, take_id: str) -> BinaryIO | None:
        if FILE_NAME.fullmatch(take_id):
            for ending in KEPT:
                with suppress(FileNotFoundError):
                    return (self._of(round_id) / f"{take_id}{ending}").open("rb")
        return None

    def _delete(self, folder: Path, take_id: str) -> None:
        with self._folders:
            for ending in _ENDINGS:
                (folder / f"{take_id}{ending}").unlink(missing_ok=True)
            _remove_if_empty(folder)

    def _forget(self, round_id: str) -> None:
        with self._folders:
            forget_sound(self.folder, [round_id])

    def _kept(self, round_id: str) -> tuple[str, ...]:
        folder = self._of(round_id)
        files = folder.iterdir() if folder.is_dir() else ()
        return tuple({file.stem for file in files if file.suffix in KEPT})

    def _sweep(self, now: datetime) -> int:
        sweep_staging(self.folder)
        oldest = (now - timedelta(days=self.keep_days)).timestamp()
        swept = 0
        folders = [folder for folder in self.folder.glob("*/") if _ROUND.fullmatch(folder.name)]
        for path in (path for folder in folders for path in folder.glob("*")):
            with suppress(FileNotFoundError):  # Sent, packed or deleted since it was listed.
                if path.suffix in _ENDINGS and path.is_file() and path.stat().st_mtime < oldest:
                    path.unlink()
                    swept += 1
        with self._folders:
            for folder in folders:
                _remove_if_empty(folder)
        return swept


def sound_folder(database_url: str, chosen: Path | None = None) -> Path:
    """Where sound is kept: as chosen, or beside the database file."""
    if chosen is not None:
        return chosen
    url = make_url(database_url)
    beside = Path(url.database or "").parent if url.drivername.startswith("sqlite") else Path()
    return beside / "viva-audio"


def can_keep(folder: Path) -> bool:
    """Whether sound can be kept there, in a folder that may yet have to be made; blocks."""
    place = folder.absolute()
    there = next(path for path in (place, *place.parents) if os.path.lexists(path))
    return os.path.isdir(there) and os.access(there, os.R_OK | os.W_OK | os.X_OK)


def kept_files(folder: Path) -> Iterator[Path]:
    """The files of sound that is kept, in the order of their names, without answers not yet sent;
    blocks.
    """
    for path in sorted(folder.glob("*/*")):
        named = FILE_NAME.fullmatch(path.parent.name) and FILE_NAME.fullmatch(path.stem)
        if named and path.is_file() and _is_kept(path):
            yield path


def _is_kept(path: Path) -> bool:
    """WAV with notes is not sent yet; beside its WebM it is about to be deleted."""
    beside = [path.with_suffix(ending) for ending in (".json", ".webm")]
    return path.suffix == ".webm" or (
        path.suffix == ".wav" and not any(other.exists() for other in beside)
    )


def forget_sound(folder: Path, rounds: Iterable[str]) -> None:
    """Delete all sound of these rounds; blocks. Raises OSError where some of it stays."""
    for place in (folder / round_id for round_id in rounds if FILE_NAME.fullmatch(round_id)):
        shutil.rmtree(place, ignore_errors=True)  # Another may delete some of it meanwhile.
        if os.path.lexists(place):
            raise OSError(errno.EPERM, "it cannot be deleted", str(place))


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):  # Other sound is kept there.
        folder.rmdir()
