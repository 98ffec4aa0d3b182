"""A migrated database, and a rig on it."""

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from interviewer.migrations import migrate
from interviewer.store import EventStore
from tests.web.rig import Rig, rig


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("empty") / "viva.db"
    migrate(f"sqlite:///{path}")
    return path


@pytest.fixture
def database(tmp_path: Path, empty_database: Path) -> str:
    path = tmp_path / "viva.db"
    path.write_bytes(empty_database.read_bytes())
    return f"sqlite:///{path}"


@pytest.fixture
def store(database: str) -> Iterator[EventStore]:
    store = EventStore(database)
    yield store
    store.close()


@pytest.fixture
async def running(store: EventStore) -> AsyncIterator[Rig]:
    async with rig(store) as made:
        yield made
