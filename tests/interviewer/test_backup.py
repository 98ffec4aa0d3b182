"""Copies of a real SQLite file, taken while it is written, and put back."""

import asyncio
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from sqlalchemy import inspect

from interviewer.errors import BackupFault, ConfigError
from interviewer.events import CandidateSpoke
from interviewer.migrations import migrate
from interviewer.store import EventStore
from interviewer.store.backup import backup, check, restore
from tests.interviewer.opened import older, opened
from tests.patience import until

COPIES = 20


def said(number: int) -> CandidateSpoke:
    return CandidateSpoke(client_id=f"say-{number}", text=f"answer {number}")


@pytest.fixture
def url(tmp_path: Path) -> str:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    return url


async def write(store: EventStore, round_id: str, count: int) -> None:
    for seq in range(1, count + 1):
        await store.append(round_id, seq, said(seq))


def test_twenty_copies_under_writes_are_sound_and_whole_when_put_back(
    url: str, tmp_path: Path
) -> None:
    acknowledged = 0

    async def writes(store: EventStore, copied: asyncio.Event) -> None:
        nonlocal acknowledged
        while not copied.is_set():
            await store.append("busy", acknowledged + 1, said(acknowledged + 1))
            acknowledged += 1

    async def copies() -> list[tuple[int, int, Path]]:
        store, copied, taken = EventStore(url), asyncio.Event(), []
        writing = asyncio.create_task(writes(store, copied))
        for number in range(COPIES):
            # So that there is something new to copy, however slow the disk is.
            await until(lambda: acknowledged > number)  # noqa: B023 (awaited at once)
            before, target = acknowledged, tmp_path / f"copy-{number}.db"
            await asyncio.to_thread(backup, url, target)
            taken.append((before, acknowledged, target))
        copied.set()
        await writing
        store.close()
        return taken

    for before, after, copy in asyncio.run(copies()):
        fresh = tmp_path / f"{copy.name}.restored"
        back = restore(f"sqlite:///{fresh}", copy, tmp_path / "unused")
        # One append may be committed and not yet acknowledged.
        assert before <= back.events <= after + 1
        assert check(fresh).events == back.events
    assert acknowledged >= COPIES


def test_what_was_there_before_is_kept_aside(url: str, tmp_path: Path) -> None:
    store = EventStore(url)
    asyncio.run(write(store, "early", 2))
    backup(url, tmp_path / "early.db")
    asyncio.run(write(store, "late", 3))
    store.close()
    back = restore(url, tmp_path / "early.db", tmp_path / "aside.db")
    assert (back.rounds, back.events) == (1, 2)
    assert check(tmp_path / "aside.db").events == 5
    assert check(tmp_path / "viva.db").events == 2


def test_a_restored_database_is_written_again(url: str, tmp_path: Path) -> None:
    backup(url, tmp_path / "empty.db")
    restore(url, tmp_path / "empty.db", tmp_path / "aside.db")
    migrate(url)
    store = EventStore(url)
    asyncio.run(write(store, "after", 4))
    store.close()
    assert check(tmp_path / "viva.db").events == 4


def test_nothing_is_restored_while_a_server_uses_the_file(url: str, tmp_path: Path) -> None:
    backup(url, tmp_path / "copy.db")
    store = EventStore(url)
    with pytest.raises(ConfigError, match="another Viva uses this file"):
        restore(url, tmp_path / "copy.db", tmp_path / "aside.db")
    store.close()


def test_an_existing_file_is_never_overwritten(url: str, tmp_path: Path) -> None:
    (tmp_path / "mine.db").write_text("keep me")
    with pytest.raises(BackupFault, match="exists already"):
        backup(url, tmp_path / "mine.db")
    assert (tmp_path / "mine.db").read_text() == "keep me"


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (lambda path: path.write_bytes(b"no database" * 999), "no database of Viva"),
        (lambda path: path.write_bytes(path.read_bytes()[:9000]), "damaged|malformed|no database"),
        (lambda path: path.unlink(), "no file"),
    ],
)
def test_a_copy_that_is_not_sound_is_refused_and_changes_nothing(
    url: str, tmp_path: Path, damage: object, says: str
) -> None:
    store = EventStore(url)
    asyncio.run(write(store, "kept", 40))
    store.close()
    backup(url, tmp_path / "copy.db")
    damage(tmp_path / "copy.db")  # type: ignore[operator]
    with pytest.raises(BackupFault, match=says):
        restore(url, tmp_path / "copy.db", tmp_path / "aside.db")
    assert check(tmp_path / "viva.db").events == 40


def test_a_log_with_a_hole_is_refused(url: str, tmp_path: Path) -> None:
    store = EventStore(url)
    asyncio.run(write(store, "r", 3))
    store.close()
    backup(url, tmp_path / "copy.db")
    with closing(sqlite3.connect(tmp_path / "copy.db")) as connection:
        connection.execute("DROP TRIGGER event_no_DELETE")
        connection.execute("DELETE FROM event WHERE seq = 2")
        connection.commit()
    with pytest.raises(BackupFault, match="round r lacks events"):
        check(tmp_path / "copy.db")


def test_postgresql_is_left_to_its_own_tools(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="pg_dump"):
        backup("postgresql+psycopg://x/y", tmp_path / "copy.db")


def test_a_migration_keeps_a_copy_of_the_file_as_it_was(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/old.db"
    with older(url):
        pass
    migrate(url)
    kept = tmp_path / "old.db.revision-0001"
    assert check(kept).events == 0
    with opened(f"sqlite:///{kept}") as connection:
        assert not inspect(connection).has_table("round")
