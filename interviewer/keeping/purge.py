"""Forgets old rounds, events and all; a round with a bookmark or a note is pinned and stays."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime

from sqlalchemy import Connection, delete, text
from sqlmodel import col, select

from interviewer.store.read_models import rebuild, stamp
from interviewer.store.tables import EventRow, RoundRow

_BATCH = 500
TRIGGER = "event_no_DELETE"


def old_rounds(connection: Connection, before: datetime) -> Sequence[str]:
    """The rounds whose last event is older, without those that are pinned."""
    untouched = select(RoundRow.id).where(
        col(RoundRow.last_at) < stamp(before.astimezone(UTC)), col(RoundRow.marks) == 0
    )
    return connection.execute(untouched.order_by(col(RoundRow.at))).scalars().all()


def forget(connection: Connection, rounds: Sequence[str]) -> None:
    """Delete these rounds from the log; the caller commits."""
    with _deletable(connection):
        for at in range(0, len(rounds), _BATCH):
            some = rounds[at : at + _BATCH]
            connection.execute(delete(EventRow).where(col(EventRow.round_id).in_(some)))
    rebuild(connection)


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
