"""A folder for sound that is read in: nothing there counts yet, and what a kill left is swept."""

import re
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory

from filelock import FileLock, Timeout

from interviewer.errors import BackupFault

PREFIX = ".import-"
_OURS = re.compile(re.escape(PREFIX) + "[a-z0-9_]{8}")
"""As they are made; a folder by any other name is not Viva's to delete."""


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """A folder inside that one, for files named by numbers; it is gone after the block.

    Raises BackupFault while another process has one there.
    """
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _claimed(folder) as alone:
        if not alone:
            raise BackupFault(f"another import or restore puts sound into {folder}; let it end")
        _sweep(folder)
        with TemporaryDirectory(prefix=PREFIX, dir=folder) as made:
            yield Path(made)


def sweep_staging(folder: Path) -> None:
    """Delete what a killed import left, and nothing of one that goes on; blocks."""
    if any(_left(folder)):
        with _claimed(folder) as alone:
            if alone:
                _sweep(folder)


@contextmanager
def _claimed(folder: Path) -> Iterator[bool]:
    """Whether nobody else stages sound there; the system lets go of a killed process's lock."""
    lock = FileLock(folder / f"{PREFIX}lock")
    with suppress(Timeout):
        lock.acquire(timeout=0)
    try:
        yield lock.is_locked
    finally:
        lock.release()


def _left(folder: Path) -> Iterator[Path]:
    for path in folder.glob(f"{PREFIX}*"):
        if _OURS.fullmatch(path.name) and path.is_dir() and not path.is_symlink():
            yield path


def _sweep(folder: Path) -> None:
    for left in list(_left(folder)):
        for path in left.iterdir():
            if path.name.isdecimal() and path.is_file():
                path.unlink()
        with suppress(OSError):  # Somebody put something else there.
            left.rmdir()
