"""Forgets old rounds, events, sound and all; one with a bookmark or a note is pinned and stays.

First it is written down whose sound has to go, then the rounds go, and their sound only after the
commit: a fault in between loses nothing, and the next purge deletes what is left.
"""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from sqlalchemy import Connection, delete, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import SQLAlchemyError
from sqlmodel import col, select

from interviewer.errors import BackupFault
from interviewer.keeping.recordings import is_round
from interviewer.store.engines import alone, snapshot, sqlite_path
from interviewer.store.read_models import rebuild, stamp
from interviewer.store.tables import EventRow, RoundRow
from interviewer.takes.disk import write_whole
from interviewer.takes.shelf import forget_sound

_BATCH = 500
TRIGGER = "event_no_DELETE"


def forget_old(url: str, sound: Path, before: datetime) -> Sequence[str]:
    """Delete the rounds of `old_rounds`, and their sound in the folder; which ones.

    Raises ConfigError where a server uses the database, BackupFault where the database or the disk
    refuses.
    """
    due = _due(url, sound)
    try:
        with alone(url) as connection:
            _delete_due(due, connection)
            rounds = old_rounds(connection, before)
            _note_due(due, rounds)
            _delete(connection, rounds)
    except (SQLAlchemyError, OSError) as error:
        raise BackupFault(f"nothing was deleted: {error}") from error
    with snapshot(url) as connection:
        _delete_due(due, connection)
    return rounds


def old_rounds(connection: Connection, before: datetime) -> Sequence[str]:
    """The rounds whose last event is older, without those that are pinned."""
    untouched = select(RoundRow.id).where(
        col(RoundRow.last_at) < stamp(before.astimezone(UTC)), col(RoundRow.marks) == 0
    )
    return connection.execute(untouched.order_by(col(RoundRow.at))).scalars().all()


def _delete(connection: Connection, rounds: Sequence[str]) -> None:
    with _deletable(connection):
        for at in range(0, len(rounds), _BATCH):
            some = rounds[at : at + _BATCH]
            connection.execute(delete(EventRow).where(col(EventRow.round_id).in_(some)))
    rebuild(connection)


def _due(url: str, sound: Path) -> Path:
    """Where it is written down whose sound has to go; databases may share a folder of sound."""
    parsed = make_url(url)
    sqlite = parsed.get_backend_name() == "sqlite"
    name = str(sqlite_path(parsed)) if sqlite else parsed.render_as_string(hide_password=True)
    return sound / f".purge-{sha256(name.encode()).hexdigest()[:16]}"


def _note_due(due: Path, rounds: Sequence[str]) -> None:
    if spoken := [round_id for round_id in rounds if (due.parent / round_id).exists()]:
        write_whole(due, json.dumps(spoken).encode())


def _delete_due(due: Path, connection: Connection) -> None:
    """Delete the sound that has to go, but for that of a round which is still here."""
    if not due.exists():
        return
    gone = [one for one in json.loads(due.read_bytes()) if not is_round(connection, one)]
    try:
        forget_sound(due.parent, gone)
        due.unlink()
    except OSError as error:
        raise BackupFault(
            f"the rounds are deleted, their sound is not ({error}); mend that, then run viva purge "
            "again: it goes on from there"
        ) from error


@contextmanager
def _deletable(connection: Connection) -> Iterator[None]:
    """Lift the log's own refusal for as long as this transaction needs."""
    if connection.dialect.name == "postgresql":
        connection.execute(text("ALTER TABLE event DISABLE TRIGGER USER"))
        yield
        connection.execute(text("ALTER TABLE event ENABLE TRIGGER USER"))
        return
    made = text("SELECT sql FROM sqlite_master WHERE type = 'trigger' AND name = :name")
    again = connection.execute(made, {"name": TRIGGER}).scalar_one()
    connection.exec_driver_sql(f"DROP TRIGGER {TRIGGER}")
    yield
    connection.exec_driver_sql(again)
