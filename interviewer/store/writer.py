"""The one thread that writes: takes what is queued, commits it as a group, then acknowledges. When
it has nothing to do, it writes what it put off: the turns, with the index of their words.
"""

import asyncio
import logging
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import PoolProxiedConnection

from interviewer.errors import StoreUnavailable
from interviewer.store.read_models import (
    INDEX_DUE,
    NEEDS_TURNS,
    PUT_OFF,
    Change,
    put_off,
    statements,
    words_are_due,
)

logger = logging.getLogger(__name__)

GROUP = 512
"""The most appends in one commit, so that the first of them does not wait for long."""
IDLE_S = 0.02
"""With nothing to write for so long, what was put off is written."""
MOST_DUE = 256
"""Turns after which they are written in any case: a pause of some 8 ms."""


@dataclass(frozen=True, slots=True)
class Append:
    """What a round's events change, all or none, the first event's row first; the future gets True,
    or False where that row's place is taken. Without changes it waits for all appends before it,
    what was put off included.
    """

    changes: Sequence[Change]
    done: "asyncio.Future[bool]"


class Writer:
    """Owns the writing connection. Nothing is acknowledged before its commit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._statements = statements(engine.dialect)
        self._sqlite = engine.dialect.name == "sqlite"
        self._begin = "BEGIN IMMEDIATE" if self._sqlite else "BEGIN"
        self._errors = (engine.dialect.loaded_dbapi.Error, SQLAlchemyError)
        self._connection: PoolProxiedConnection | None = None
        self._due: list[Change] = []
        # A crash may have left some that only the log knows.
        self._behind = self._sqlite
        self._closed = False
        self._queue: queue.SimpleQueue[Append | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="viva-writer", daemon=True)
        self._thread.start()

    def put(self, append: Append) -> None:
        """Queue changes; the future of `append` is set after the commit, in its own loop.

        Raises StoreUnavailable once the writer has ended: nobody would ever set it.
        """
        if self._closed or not self._thread.is_alive():
            raise StoreUnavailable("nothing was recorded: the database is closed")
        self._queue.put(append)

    def close(self) -> None:
        """Write what is queued, then stop."""
        self._closed = True
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (group := self._take()) is not None:
            try:
                outcomes: list[bool | StoreUnavailable] = list(self._commit(group))
            except self._errors as error:
                self._discard()
                outcomes = [StoreUnavailable(f"nothing was recorded: {error}")] * len(group)
            if len(self._due) >= MOST_DUE or not all(append.changes for append in group):
                self._catch_up()
            _acknowledge(group, outcomes)
        self._catch_up()
        self._discard()

    def _discard(self) -> None:
        """Drop the connection, which rolls back what is open; the next group makes a fresh one, and
        what was put off is found in the log.
        """
        self._due, self._behind = [], self._sqlite
        if self._connection is not None:
            self._connection.invalidate()
            self._connection = None

    def _take(self) -> list[Append] | None:
        group: list[Append] = []
        item = self._first()
        while item is not None:
            group.append(item)
            if len(group) == GROUP or self._queue.empty():
                return group
            item = self._queue.get()
        if group:
            self._queue.put(None)
            return group
        return None

    def _first(self) -> Append | None:
        try:
            return self._queue.get(timeout=IDLE_S)
        except queue.Empty:
            self._catch_up()
            return self._queue.get()

    def _commit(self, group: Sequence[Append]) -> list[bool]:
        """The driver's own cursor on one kept connection: the ORM's session costs more than the
        durable write.
        """
        cursor = self._cursor()
        cursor.execute(self._begin)
        outcomes = [self._apply(cursor, append.changes) for append in group]
        cursor.execute("COMMIT")
        cursor.close()
        return outcomes

    def _cursor(self) -> DBAPICursor:
        if self._connection is None:
            self._connection = self._engine.raw_connection()
        return self._connection.cursor()

    def _catch_up(self) -> None:
        """Write what was put off; where that fails, it stays so for the next time."""
        if not (self._due or self._behind):
            return
        try:
            cursor = self._cursor()
            if self._are_due(cursor):
                cursor.execute(self._begin)
                self._write_due(cursor)
                cursor.execute("COMMIT")
            cursor.close()
        except self._errors as error:
            logger.warning("the search misses the newest words: %s", error)
            self._discard()

    def _are_due(self, cursor: DBAPICursor) -> bool:
        if not self._behind:
            return bool(self._due)
        self._due, self._behind = put_off(cursor), False
        return bool(self._due) or words_are_due(cursor)

    def _write_due(self, cursor: DBAPICursor) -> None:
        for name, values in self._due:
            self._statements[name].run(cursor, values)
        for statement in INDEX_DUE:
            cursor.execute(statement)
        self._due = []

    def _apply(self, cursor: DBAPICursor, changes: Sequence[Change]) -> bool:
        """A log has no holes, so only the first row of an append can meet a taken place."""
        if not changes:
            return True
        (name, values), *rest = changes
        self._statements[name].run(cursor, values)
        if cursor.rowcount == 0:
            return False
        for name, values in rest:
            if name in PUT_OFF and self._sqlite:
                self._due.append((name, values))
                continue
            if name in NEEDS_TURNS and self._are_due(cursor):
                self._write_due(cursor)
            self._statements[name].run(cursor, values)
        return True


def _acknowledge(group: Sequence[Append], outcomes: Sequence[bool | StoreUnavailable]) -> None:
    """Wake each loop once for all of its appends, since waking is what costs."""
    by_loop: dict[
        asyncio.AbstractEventLoop, list[tuple[asyncio.Future[bool], bool | StoreUnavailable]]
    ] = {}
    for append, outcome in zip(group, outcomes, strict=True):
        by_loop.setdefault(append.done.get_loop(), []).append((append.done, outcome))
    for loop, settled in by_loop.items():
        if not loop.is_closed():
            loop.call_soon_threadsafe(_settle, settled)


def _settle(settled: Sequence[tuple["asyncio.Future[bool]", bool | StoreUnavailable]]) -> None:
    for future, outcome in settled:
        if future.done():
            continue
        if isinstance(outcome, StoreUnavailable):
            future.set_exception(outcome)
        else:
            future.set_result(outcome)
