"""Engines for the two databases: one connection that writes, others that cannot, and the claim on
an SQLite file.
"""

import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout
from sqlalchemy import Connection, Engine, create_engine
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.pool import QueuePool

from interviewer.errors import ConfigError

DRIVERS = ("pysqlite", "psycopg")
SAFE_SQLITE = (3, 51, 3)
"""From here on two connections may checkpoint at once; before, the WAL-reset fault can lose
commits.
"""


def parsed(url: str) -> URL:
    """The address of a database that can be used here. Raises ConfigError for any other."""
    try:
        found = make_url(url)
        if found.get_driver_name() not in DRIVERS:
            raise ConfigError(_unusable(f"{found.drivername} is not supported"))
        found.get_dialect().import_dbapi()
    except (ArgumentError, NoSuchModuleError, ImportError, ValueError) as error:
        raise ConfigError(_unusable(str(error))) from error
    return found


def _unusable(why: str) -> str:
    return (
        f"VIVA_DATABASE_URL: {why}; use sqlite:///viva.db or postgresql+psycopg://... "
        "(extra `postgres`)"
    )


def sqlite_path(url: URL) -> Path:
    """The file of an SQLite URL, links followed: two names of it must not be two claims. In-memory
    databases are refused, since a round must survive a crash.
    """
    if not url.database or url.database == ":memory:":
        raise faulty(url, "name a file, for example sqlite:///viva.db")
    if url.query:
        raise faulty(url, "an SQLite file takes no options; leave out the ? and what follows")
    return Path(os.path.realpath(url.database))


def faulty(url: URL, why: str) -> ConfigError:
    """What is wrong with the database that is set, and what to do."""
    return ConfigError(f"VIVA_DATABASE_URL={url.render_as_string(hide_password=True)}: {why}")


def check_folder(url: URL) -> None:
    """ConfigError where an SQLite file has no folder to lie in, or is none itself."""
    if url.get_backend_name() != "sqlite":
        return
    path = sqlite_path(url)
    if not os.path.isdir(path.parent):
        raise faulty(url, f"Viva finds no folder {path.parent}; make it, and let Viva in")
    if os.path.isdir(path):
        raise faulty(url, "that is a folder; name a file in it, such as viva.db")


def claim(url: URL) -> FileLock | None:
    """Hold an SQLite file for this process alone: one connection writes and checkpoints, whatever
    the library's version.
    """
    if url.get_backend_name() != "sqlite":
        return None
    check_folder(url)
    place = f"{sqlite_path(url)}.lock"
    lock = FileLock(place)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise faulty(url, "another Viva uses this file; stop it, or name another file") from None
    except OSError as error:
        why = f"{place} cannot be made ({error.strerror}); make it writable, or name another file"
        raise faulty(url, why) from error
    return lock


def writing_engine(url: URL) -> Engine:
    """One connection in autocommit, durable at commit; the writer begins.

    SQLite: WAL and synchronous=FULL.
    """
    if url.get_backend_name() != "sqlite":
        return create_engine(url, pool_size=1, max_overflow=0, isolation_level="AUTOCOMMIT")
    path = sqlite_path(url)
    return _sqlite_engine(lambda: _connect(path), pool_size=1, max_overflow=0)


def reading_engine(url: URL) -> Engine:
    """Connections that cannot write, nor checkpoint."""
    if url.get_backend_name() != "sqlite":
        options = "-c default_transaction_read_only=on"
        return create_engine(url, pool_size=4, max_overflow=4, connect_args={"options": options})
    path = sqlite_path(url)
    return _sqlite_engine(lambda: _connect_read_only(path), pool_size=4, max_overflow=4)


@contextmanager
def refusals(url: URL) -> Iterator[None]:
    """What the database refuses as a ConfigError; what breaks its own rules is a fault of ours."""
    try:
        yield
    except IntegrityError:
        raise
    except DBAPIError as error:
        why = f"it cannot be used ({in_a_line(error)}); mend that, or name another"
        raise faulty(url, why) from error


def in_a_line(error: DBAPIError) -> str:
    """What the driver says, which PostgreSQL's spreads over several lines."""
    return " ".join(str(error.orig).split())


@contextmanager
def snapshot(url: str) -> Iterator[Connection]:
    """Reads the database as it is at one moment, while another process may write. Raises
    ConfigError where it cannot be read.
    """
    parsed = make_url(url)
    engine = reading_engine(parsed)
    try:
        with refusals(parsed), engine.connect() as connection:
            if engine.dialect.name == "sqlite":
                connection.exec_driver_sql("BEGIN")
            else:
                connection = connection.execution_options(isolation_level="REPEATABLE READ")
            yield connection
            connection.rollback()
    finally:
        engine.dispose()


@contextmanager
def alone(url: str) -> Iterator[Connection]:
    """One transaction over the whole database, committed on leaving; no server may use the file.

    Raises ConfigError where one does, or where the database refuses.
    """
    parsed = make_url(url)
    lock = claim(parsed)
    sqlite = parsed.get_backend_name() == "sqlite"
    engine = writing_engine(parsed) if sqlite else create_engine(parsed)
    try:
        with refusals(parsed), engine.connect() as connection:
            if sqlite:
                connection.exec_driver_sql("PRAGMA cache_size=-2000")
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            yield connection
            connection.commit()
    finally:
        engine.dispose()
        if lock is not None:
            lock.release()


def _sqlite_engine(
    connect: Callable[[], sqlite3.Connection], *, pool_size: int, max_overflow: int
) -> Engine:
    return create_engine(
        "sqlite://",
        creator=connect,
        poolclass=QueuePool,
        pool_size=pool_size,
        max_overflow=max_overflow,
    )


def _connect(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False, timeout=5)
    _pragmas(
        connection, "journal_mode=WAL", "synchronous=FULL", "foreign_keys=ON", "busy_timeout=5000"
    )
    # Of 2,000 KB, which it would fill, an append is no faster.
    _pragmas(connection, "cache_size=-300")
    return connection


def _connect_read_only(path: Path) -> sqlite3.Connection:
    uri = f"{path.as_uri()}?mode=ro"
    connection = sqlite3.connect(
        uri, uri=True, isolation_level=None, check_same_thread=False, timeout=5
    )
    _pragmas(connection, "query_only=ON", "busy_timeout=5000")
    return connection


def _pragmas(connection: sqlite3.Connection, *pragmas: str) -> None:
    for pragma in pragmas:
        connection.execute(f"PRAGMA {pragma}").close()


def describe(url: URL) -> dict[str, Any]:
    """What the database is, for `viva doctor` and the health page; no password."""
    if url.get_backend_name() != "sqlite":
        return {"engine": url.get_backend_name(), "url": url.render_as_string(hide_password=True)}
    version = sqlite3.sqlite_version_info
    mode = "single writer" if version < SAFE_SQLITE else "single writer (several would be safe)"
    return {"engine": f"sqlite {sqlite3.sqlite_version}", "url": str(url), "mode": mode}
