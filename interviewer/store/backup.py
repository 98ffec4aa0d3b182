"""Whole copies of an SQLite database: taken while a server writes, checked, and put back."""

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy.engine import URL, make_url

from interviewer.errors import BackupFault, ConfigError
from interviewer.store.engines import claim, sqlite_path

HOLES = "SELECT round_id FROM event GROUP BY round_id HAVING count(*) <> max(seq) LIMIT 1"


@dataclass(frozen=True, slots=True)
class Backup:
    """A copy that passed its checks."""

    path: Path
    rounds: int
    events: int


def backup(url: str, target: Path) -> Backup:
    """Copy the database as it is at one moment; a server may go on writing.

    Raises ConfigError for a database that is not SQLite's, BackupFault where the copy cannot be
    made or fails its checks; then there is no file.
    """
    source = _file(url)
    if target.exists():
        raise BackupFault(f"{target} exists already; name a file that does not")
    if not source.is_file():
        raise BackupFault(f"there is no database at {source} yet")
    with _made(target) as part:
        _copy(source, part)
        found = check(part)
    return Backup(target, found.rounds, found.events)


def restore(url: str, source: Path, aside: Path) -> Backup:
    """Put a checked copy in the database's place; what was there is kept as `aside`.

    Raises ConfigError where a server uses the database, BackupFault where the copy is not sound.
    """
    place = _file(url)
    lock = claim(make_url(url))
    try:
        found = check(source)
        if place.exists():
            backup(url, aside)
            _fold_log(place)
        with _made(place) as part:
            _copy(source, part)
    finally:
        if lock is not None:
            lock.release()
    return Backup(place, found.rounds, found.events)


def check(path: Path) -> Backup:
    """The counts of a copy. Raises BackupFault where SQLite or the log finds a fault in it."""
    if not path.is_file():
        raise BackupFault(f"there is no file {path}")
    try:
        with closing(_reading(path)) as connection:
            (verdict,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
            if verdict != "ok":
                raise BackupFault(f"{path} is damaged: {verdict}")
            if hole := connection.execute(HOLES).fetchone():
                raise BackupFault(f"{path}: round {hole[0]} lacks events in the middle")
            counted = "SELECT count(DISTINCT round_id), count(*) FROM event"
            rounds, events = connection.execute(counted).fetchone()
    except sqlite3.Error as error:
        raise BackupFault(f"{path} is no database of Viva: {error}") from error
    return Backup(path, rounds, events)


def _file(url: str) -> Path:
    parsed: URL = make_url(url)
    if parsed.get_backend_name() != "sqlite":
        raise ConfigError(
            "VIVA_DATABASE_URL: only an SQLite file is copied here; "
            "for PostgreSQL take pg_dump and pg_restore"
        )
    return sqlite_path(parsed)


def _copy(source: Path, target: Path) -> None:
    """One step of SQLite's own backup: a single moment, and writers do not wait."""
    try:
        with closing(_reading(source)) as reading, closing(sqlite3.connect(target)) as writing:
            reading.backup(writing)
            writing.execute("PRAGMA journal_mode=DELETE").close()
    except sqlite3.Error as error:
        raise BackupFault(f"{source} cannot be copied to {target}: {error}") from error


def _fold_log(path: Path) -> None:
    """Write the log back into the file: it must not meet another database in its place."""
    with closing(sqlite3.connect(path)) as connection:
        (mode,) = connection.execute("PRAGMA journal_mode=DELETE").fetchone()
    if mode != "delete":
        raise BackupFault(f"{path} is in use by another program; stop it first")


@contextmanager
def _made(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name when it is whole and on the disk."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())
        part.replace(target)
    except OSError as error:
        raise BackupFault(f"{target} cannot be written: {error.strerror}") from error
    finally:
        part.unlink(missing_ok=True)


def _reading(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=5)
