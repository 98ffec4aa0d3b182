"""The store on a real PostgreSQL: the same promises as on SQLite."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from sqlalchemy import text
from sqlalchemy.exc import ProgrammingError

from interviewer.errors import ConcurrentWriter, ConfigError, StoreUnavailable
from interviewer.migrations import migrate
from interviewer.store import EventReader, EventStore
from tests.interviewer.opened import opened
from tests.interviewer.test_store import STARTED, said
from tests.postgres import cluster


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with cluster() as url:
        migrate(url)
        yield url


@pytest.fixture
async def store(url: str) -> AsyncIterator[EventStore]:
    store = EventStore(url)
    yield store
    store.close()


async def test_events_come_back_in_order_and_equal(store: EventStore) -> None:
    await store.append("order", 1, STARTED)
    await store.append("order", 2, said("a"), said("b\x00\u202e"))
    assert [item.event for item in await store.read("order")] == [
        STARTED,
        said("a"),
        said("b\x00\u202e"),
    ]


async def test_a_taken_place_is_refused_and_the_neighbours_in_the_group_are_kept(
    store: EventStore,
) -> None:
    await store.append("taken", 1, STARTED)
    outcomes = await asyncio.gather(
        store.append("taken", 1, said("late")),
        *(store.append(f"beside-{k}", 1, STARTED) for k in range(20)),
        return_exceptions=True,
    )
    assert isinstance(outcomes[0], ConcurrentWriter)
    assert len(await store.read("beside-19")) == 1


async def test_fault_17_two_processes_on_one_round_cannot_skip_or_share_a_place(
    store: EventStore, url: str
) -> None:
    other = EventStore(url)
    await store.append("shared", 1, STARTED)
    outcomes = await asyncio.gather(
        store.append("shared", 2, said("a")),
        other.append("shared", 2, said("b")),
        return_exceptions=True,
    )
    assert sorted(type(outcome).__name__ for outcome in outcomes) == ["ConcurrentWriter", "list"]
    assert [item.seq for item in await store.read("shared")] == [1, 2]
    other.close()


async def test_a_lost_connection_refuses_once_and_then_recovers(
    store: EventStore, url: str
) -> None:
    await store.append("lost", 1, STARTED)
    with opened(url, isolation_level="AUTOCOMMIT") as admin:
        others = (
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
            "WHERE pid <> pg_backend_pid()"
        )
        admin.execute(text(f"{others} AND backend_type = 'client backend'"))
    with pytest.raises(StoreUnavailable):
        await store.append("lost", 2, said("a"))
    await store.append("lost", 2, said("a"))


def test_the_log_is_append_only(url: str) -> None:
    with opened(url) as admin, pytest.raises(ProgrammingError, match="append-only"):
        admin.execute(text("DELETE FROM event"))


async def test_readers_cannot_write(url: str) -> None:
    reader = EventReader(url)
    assert len(await reader.secret("session")) >= 32
    reader.close()


async def test_a_server_that_is_away_is_told_in_one_line() -> None:
    reader = EventReader("postgresql+psycopg://viva@127.0.0.1:9/none")
    with pytest.raises(StoreUnavailable) as caught:
        await reader.rounds(limit=1)
    reader.close()
    assert str(caught.value).startswith("the database cannot be read: connection failed")
    assert "\n" not in str(caught.value)


def test_a_server_that_is_away_is_a_config_error() -> None:
    with pytest.raises(ConfigError) as caught:
        migrate("postgresql+psycopg://viva:geheim@127.0.0.1:9/none")
    assert "VIVA_DATABASE_URL=postgresql+psycopg://viva:***@127.0.0.1:9/none" in str(caught.value)
    assert "it cannot be used (" in str(caught.value)
    assert "\n" not in str(caught.value)
