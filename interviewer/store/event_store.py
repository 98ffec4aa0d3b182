"""Appending and reading events; reads go through the ORM, appends through the writer's thread."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, func
from sqlalchemy.exc import DBAPIError
from sqlmodel import Session, col, select

from interviewer.errors import ConcurrentWriter, StoreUnavailable, UnknownRound
from interviewer.events import EVENT, VERSION, Beside, Event, Recorded
from interviewer.store.engines import (
    claim,
    describe,
    in_a_line,
    parsed,
    reading_engine,
    writing_engine,
)
from interviewer.store.history import Found, RoundSummary, Wanted, find, newest, scorers, tries
from interviewer.store.levels import (
    Graded,
    Identity,
    LastLevel,
    Tally,
    attempts,
    identities,
    last_levels,
    tallies,
)
from interviewer.store.read_models import Change, changes, stamp
from interviewer.store.tables import EventRow, SecretRow
from interviewer.store.writer import Append, Writer

T = TypeVar("T")
E = TypeVar("E", bound=Beside)


class EventReader:
    """Reads the log through connections that cannot write, also while another process serves it."""

    def __init__(self, url: str) -> None:
        """Name a migrated database. Raises ConfigError where the URL cannot be used."""
        self.url = parsed(url)
        self._reading = reading_engine(self.url)

    async def read(self, round_id: str, after: int = 0) -> list[Recorded]:
        """The events of a round after `after`, in order.

        Raises UnknownRound where the round has none at all.
        """
        rows = await self._read(lambda session: _rows_after(session, round_id, after))
        if not rows and after == 0:
            raise UnknownRound(f"there is no round {round_id!r}")
        return [_recorded(row) for row in rows]

    async def of_type(self, kind: type[E]) -> list[tuple[str, int, E]]:
        """All events of a type in order, each with its log's name and its place there."""
        return await self._read(lambda session: _of_type(session, kind))

    async def logs_with(self, kind: str, since: datetime | None = None) -> list[str]:
        """The logs with such an event, in the order in which they first had one."""
        return await self._read(lambda session: _logs_with(session, kind, since))

    async def rounds(self, limit: int = 50, offset: int = 0) -> list[RoundSummary]:
        """Rounds, the newest first."""
        return await self._read(lambda session: newest(session, limit, offset))

    async def find(self, wanted: Wanted, limit: int, offset: int = 0) -> Found:
        """The rounds that pass a filter, the newest first, with what matches its words."""
        return await self._read(lambda session: find(session, wanted, limit, offset))

    async def tries(self) -> dict[str, int]:
        """How many rounds there are on each card."""
        return await self._read(tries)

    async def last_levels(self) -> list[LastLevel]:
        """The newest level of each part of each card."""
        return await self._read(last_levels)

    async def attempts(self, card: str) -> list[Graded]:
        """All levels of the whole rounds on a card, the oldest first."""
        return await self._read(lambda session: attempts(session, card))

    async def identities(self) -> list[Identity]:
        """Every scorer with each of its rubrics, the one used last first."""
        return await self._read(identities)

    async def tallies(
        self, scorer: str, rubric_hash: str, *, drills: bool
    ) -> tuple[list[Tally], list[Tally]]:
        """How often each part was solid, by card and by day, to one scorer with one rubric."""
        return await self._read(
            lambda session: tallies(session, scorer, rubric_hash, drills=drills)
        )

    async def scorers(self) -> list[str]:
        """Every scorer with a scorecard here, sorted."""
        return await self._read(scorers)

    async def secret(self, name: str) -> str:
        """A random secret of this installation, made by the migration that introduced it."""
        return await self._read(lambda session: session.get_one(SecretRow, name).value)

    def describe(self) -> dict[str, Any]:
        """What the database is, for people; no password."""
        return describe(self.url)

    def close(self) -> None:
        """Give the connections back."""
        self._reading.dispose()

    async def _read(self, query: Callable[[Session], T]) -> T:
        def run() -> T:
            with Session(self._reading) as session:
                return query(session)

        try:
            return await asyncio.to_thread(run)
        except DBAPIError as error:
            raise StoreUnavailable(f"the database cannot be read: {in_a_line(error)}") from error


class EventStore(EventReader):
    """The log of this process: appends through one writing connection with group commit."""

    def __init__(self, url: str) -> None:
        """Claim and open a migrated database. Raises ConfigError where that cannot be."""
        super().__init__(url)
        self._claim = claim(self.url)
        self._writing = writing_engine(self.url)
        self._writer = Writer(self._writing)

    async def append(
        self, round_id: str, seq: int, *events: Event, at: datetime | None = None
    ) -> list[Recorded]:
        """Write events as `seq`, `seq + 1`, ... of a round, all or none, and wait for the commit.

        Raises ConcurrentWriter where `seq` is taken, StoreUnavailable where the database refuses.
        """
        at = at or datetime.now(UTC)
        recorded = [Recorded(seq=seq + i, at=at, event=event) for i, event in enumerate(events)]
        if not await self._written(_changes(round_id, recorded)):
            raise ConcurrentWriter(
                f"round {round_id} already has event {seq}: another writer was first"
            )
        return recorded

    async def find(self, wanted: Wanted, limit: int, offset: int = 0) -> Found:
        """As a reader does, and in all that this store has acknowledged."""
        if wanted.words:
            # A database that refuses to write can still be searched.
            with suppress(StoreUnavailable):
                await self._written([])
        return await super().find(wanted, limit, offset)

    async def _written(self, changes: Sequence[Change]) -> bool:
        future: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._writer.put(Append(changes, future))
        return await future

    def close(self) -> None:
        """Write what is queued and give the database back."""
        self._writer.close()
        super().close()
        self._writing.dispose()
        if self._claim is not None:
            self._claim.release()


def _changes(round_id: str, recorded: Sequence[Recorded]) -> list[Change]:
    """The event's row before what follows from it, for each event."""
    made: list[Change] = []
    for item in recorded:
        made += [("event", event_row(round_id, item)), *changes(round_id, item)]
    return made


def event_row(round_id: str, item: Recorded) -> dict[str, Any]:
    """An event as its table holds it."""
    return {
        "round_id": round_id,
        "seq": item.seq,
        "at": stamp(item.at),
        "type": item.event.type,
        "version": VERSION,
        "body": item.event.model_dump_json(),
    }


def _recorded(row: EventRow) -> Recorded:
    event = EVENT.validate_json(row.body)
    return Recorded(seq=row.seq, at=datetime.fromisoformat(row.at), event=event)


def _of_type(session: Session, kind: type[E]) -> list[tuple[str, int, E]]:
    """Read as columns, in the reading thread: there may be tens of thousands."""
    columns = select(EventRow.round_id, EventRow.seq, EventRow.body)
    query = columns.where(*_of(kind.model_fields["type"].default, None))
    rows = session.exec(query.order_by(col(EventRow.at), EventRow.round_id, col(EventRow.seq)))
    return [(log, seq, kind.model_validate_json(body)) for log, seq, body in rows]


def _logs_with(session: Session, kind: str, since: datetime | None) -> list[str]:
    query = select(EventRow.round_id).where(*_of(kind, since)).group_by(EventRow.round_id)
    return list(session.exec(query.order_by(func.min(EventRow.at))))


def _of(kind: str, since: datetime | None) -> list[ColumnElement[bool]]:
    wanted = [col(EventRow.type) == kind]
    return [*wanted, col(EventRow.at) >= stamp(since)] if since else wanted


def _rows_after(session: Session, round_id: str, after: int) -> list[EventRow]:
    query = select(EventRow).where(EventRow.round_id == round_id, EventRow.seq > after)
    return list(session.exec(query.order_by(col(EventRow.seq))))
