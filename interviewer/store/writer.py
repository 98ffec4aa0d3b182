"""The one thread that writes: takes what is queued, commits it as a group, then acknowledges."""

import asyncio
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Engine
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.pool import PoolProxiedConnection

from interviewer.errors import StoreUnavailable
from interviewer.store.read_models import Change, statements

GROUP = 512
"""The most appends in one commit, so that the first of them does not wait for long."""


@dataclass(frozen=True, slots=True)
class Append:
    """What a round's events change, all or none, the first event's row first; the future gets True,
    or False where that row's place is taken.
    """

    changes: Sequence[Change]
    done: "asyncio.Future[bool]"


class Writer:
    """Owns the writing connection. Nothing is acknowledged before its commit."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._statements = statements(engine.dialect)
        self._begin = "BEGIN IMMEDIATE" if engine.dialect.name == "sqlite" else "BEGIN"
        self._connection: PoolProxiedConnection | None = None
        self._queue: queue.SimpleQueue[Append | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="viva-writer", daemon=True)
        self._thread.start()

    def put(self, append: Append) -> None:
        """Queue changes; the future of `append` is set after the commit, in its own loop."""
        self._queue.put(append)

    def close(self) -> None:
        """Write what is queued, then stop."""
        self._queue.put(None)
        self._thread.join()

    def _work(self) -> None:
        driver_error: type[Exception] = self._engine.dialect.loaded_dbapi.Error
        while (group := self._take()) is not None:
            try:
                outcomes: list[bool | StoreUnavailable] = list(self._commit(group))
            except (driver_error, SQLAlchemyError) as error:
                self._discard()
                outcomes = [StoreUnavailable(f"nothing was recorded: {error}")] * len(group)
            _acknowledge(group, outcomes)
        self._discard()

    def _discard(self) -> None:
        """Drop the connection, which rolls back what is open; the next group makes a fresh one."""
        if self._connection is not None:
            self._connection.invalidate()
            self._connection = None

    def _take(self) -> list[Append] | None:
        group: list[Append] = []
        item = self._queue.get()
        while item is not None:
            group.append(item)
            if len(group) == GROUP or self._queue.empty():
                return group
            item = self._queue.get()
        if group:
            self._queue.put(None)
            return group
        return None

    def _commit(self, group: Sequence[Append]) -> list[bool]:
        """The driver's own cursor on one kept connection: the ORM's session costs more than the
        durable write.
        """
        if self._connection is None:
            self._connection = self._engine.raw_connection()
        cursor = self._connection.cursor()
        cursor.execute(self._begin)
        outcomes = [self._apply(cursor, append.changes) for append in group]
        cursor.execute("COMMIT")
        cursor.close()
        return outcomes

    def _apply(self, cursor: DBAPICursor, changes: Sequence[Change]) -> bool:
        """A log has no holes, so only the first row of an append can meet a taken place."""
        (name, values), *rest = changes
        self._statements[name].run(cursor, values)
        if cursor.rowcount == 0:
            return False
        for name, values in rest:
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
