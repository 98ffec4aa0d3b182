"""The event store on a real SQLite file."""

import asyncio
import json
import resource
import sqlite3
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from interviewer.errors import ConcurrentWriter, ConfigError, StoreUnavailable, UnknownRound
from interviewer.events import CandidateSpoke, RoundStarted
from interviewer.migrations import migrate
from interviewer.store import EventStore, Wanted
from interviewer.store.engines import alone
from tests.interviewer.logs import scored
from tests.patience import PATIENCE_S

STARTED = RoundStarted(
    card="INF-001",
    card_hash="h",
    title="t",
    question="q",
    kind="technical",
    rubric="technical",
    limit_s=180,
    interviewer="card",
)


def said(text: str) -> CandidateSpoke:
    return CandidateSpoke(client_id=text[:20], text=text)


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    return url


@pytest.fixture
async def store(url: str) -> AsyncIterator[EventStore]:
    store = EventStore(url)
    yield store
    store.close()


async def test_events_come_back_in_order_and_equal(store: EventStore) -> None:
    await store.append("r", 1, STARTED)
    await store.append("r", 2, said("a"), said("b"))
    log = await store.read("r")
    assert [item.seq for item in log] == [1, 2, 3]
    assert [item.event for item in log] == [STARTED, said("a"), said("b")]


async def test_reading_after_a_cursor_gives_only_what_is_missed(store: EventStore) -> None:
    await store.append("r", 1, STARTED, said("a"), said("b"))
    assert [item.seq for item in await store.read("r", after=2)] == [3]
    assert await store.read("r", after=9) == []


async def test_an_unknown_round_is_an_error(store: EventStore) -> None:
    with pytest.raises(UnknownRound):
        await store.read("nowhere")


async def test_fault_06_a_taken_place_is_refused_whole(store: EventStore) -> None:
    await store.append("r", 1, STARTED)
    with pytest.raises(ConcurrentWriter):
        await store.append("r", 1, said("a"), said("b"))
    assert len(await store.read("r")) == 1


async def test_fault_14_fifty_writers_never_see_a_locked_database(store: EventStore) -> None:
    async def write(k: int) -> None:
        for seq in range(1, 101):
            await store.append(f"r{k}", seq, said(f"{k}/{seq}"))
            await store.read(f"r{k}", after=seq - 1)

    await asyncio.gather(*(write(k) for k in range(50)))
    assert [len(await store.read(f"r{k}")) for k in range(50)] == [100] * 50


async def test_fault_15_a_second_viva_on_the_same_file_is_refused(
    store: EventStore, url: str
) -> None:
    code = f"from interviewer.store import EventStore; EventStore({url!r})"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "another Viva uses this file" in out.stderr
    assert store.describe()["mode"].startswith("single writer")


@pytest.mark.parametrize("text", ["\x00", "﷽" * 3000, "NaN", "\u202eabc", "'; DROP TABLE event"])
async def test_fault_18_odd_text_is_stored_as_json_that_browsers_parse(
    store: EventStore, tmp_path: Path, text: str
) -> None:
    await store.append("r", 1, said(text))
    assert (await store.read("r"))[0].event == said(text)
    with closing(sqlite3.connect(tmp_path / "viva.db")) as raw:
        body = raw.execute("SELECT body FROM event").fetchone()[0]
    assert json.loads(body, parse_constant=pytest.fail)["text"] == text


async def test_fault_19_a_refused_write_is_not_acknowledged_and_recovers(
    store: EventStore, tmp_path: Path
) -> None:
    await store.append("r", 1, STARTED)
    full = (tmp_path / "viva.db-wal").stat().st_size + 4096
    with largest_file(full), pytest.raises(StoreUnavailable, match="nothing was recorded"):
        await store.append("r", 2, said("x" * 200_000))
    await store.append("r", 2, said("again"))
    assert [item.event for item in await store.read("r")] == [STARTED, said("again")]


@contextmanager
def largest_file(size: int) -> Iterator[None]:
    """A full disk, as far as this process can write: files end at `size` bytes."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


async def test_fault_20_a_cancelled_append_leaves_no_transaction_open(store: EventStore) -> None:
    for seq in range(1, 200):
        task = asyncio.create_task(store.append("r", seq, said(str(seq))))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
    await store.append("other", 1, STARTED)
    assert [item.seq for item in await store.read("r")] == list(range(1, 200))


async def test_fault_23_the_database_refuses_a_row_that_no_event_makes(
    store: EventStore, tmp_path: Path
) -> None:
    raw = sqlite3.connect(tmp_path / "viva.db", isolation_level=None)
    with closing(raw), pytest.raises(sqlite3.IntegrityError):
        raw.execute("INSERT INTO event VALUES ('r', 0, 'now', 'CandidateSpoke', 1, '{}')")


@pytest.mark.parametrize("statement", ["UPDATE event SET body = '{}'", "DELETE FROM event"])
async def test_the_log_is_append_only(store: EventStore, tmp_path: Path, statement: str) -> None:
    await store.append("r", 1, STARTED)
    raw = sqlite3.connect(tmp_path / "viva.db", isolation_level=None)
    with closing(raw), pytest.raises(sqlite3.IntegrityError, match="append-only"):
        raw.execute(statement)


async def test_the_list_shows_the_newest_round_first_with_its_last_event(store: EventStore) -> None:
    await store.append("first", 1, STARTED)
    await store.append("second", 1, STARTED, said("a"))
    newest, oldest = await store.rounds()
    assert (newest.id, newest.events, newest.last_type) == ("second", 2, "CandidateSpoke")
    assert oldest.id == "first"


async def test_the_list_shows_the_overall_level_of_a_scored_round(store: EventStore) -> None:
    await store.append("r", 1, STARTED, scored(3, overall=2))
    assert [line.overall for line in await store.rounds()] == [2]


async def test_secrets_are_random_and_kept(store: EventStore, url: str) -> None:
    salt = await store.secret("cache_salt")
    assert len(salt) >= 32
    assert salt != await store.secret("session")
    assert salt == await store.secret("cache_salt")


@pytest.mark.parametrize(
    "bad", ["sqlite://", "sqlite:///:memory:", "sqlite:////nowhere/else/x.db", "mongo://x", "what"]
)
def test_an_unusable_database_url_says_what_to_set(bad: str) -> None:
    with pytest.raises(ConfigError, match="VIVA_DATABASE_URL"):
        EventStore(bad)


async def test_durability_settings_are_in_force(store: EventStore, tmp_path: Path) -> None:
    await store.append("r", 1, STARTED)
    with closing(sqlite3.connect(tmp_path / "viva.db")) as raw:
        assert raw.execute("PRAGMA journal_mode").fetchone() == ("wal",)


async def test_an_append_to_a_closed_store_is_refused_at_once(url: str) -> None:
    store = EventStore(url)
    store.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        async with asyncio.timeout(PATIENCE_S):
            await store.append("r", 1, STARTED)


async def test_an_event_that_cannot_be_read_holds_up_no_other_round(url: str) -> None:
    store = EventStore(url)
    await store.append("broken", 1, STARTED, said("x"))
    store.close()
    with alone(url) as connection:
        connection.exec_driver_sql("DROP TRIGGER event_no_UPDATE")
        connection.exec_driver_sql("UPDATE event SET body = '{}' WHERE type = 'CandidateSpoke'")
        connection.exec_driver_sql("DELETE FROM turn")
    store = EventStore(url)
    try:
        async with asyncio.timeout(PATIENCE_S):
            await store.append("r", 1, STARTED, said("words to find"))
            found = await store.find(Wanted(words="words to find"), 10)
        assert [match.round.id for match in found.matches] == ["r"]
    finally:
        store.close()
