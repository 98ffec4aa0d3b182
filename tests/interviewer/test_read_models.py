"""What follows from the log equals what a replay makes, whatever happened in whatever order."""

import asyncio
from collections.abc import AsyncIterator
from datetime import timedelta
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import Connection, text
from sqlalchemy.engine import make_url

from interviewer.errors import ConcurrentWriter, StoreUnavailable
from interviewer.events import Event, RoundEnded, SpeechInterrupted, ToolCalled
from interviewer.migrations import migrate
from interviewer.store import EventStore, writer
from interviewer.store.history import Wanted
from interviewer.store.read_models import rebuild
from interviewer.store.writer import MOST_DUE
from tests.interviewer.logs import AT, asked, ended, marked, said, scored, started, whole
from tests.interviewer.opened import older, opened
from tests.interviewer.test_store import largest_file

TABLES = ("round", "turn", "score")


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A database as it is made."""
    path = tmp_path_factory.mktemp("models") / "viva.db"
    migrate(f"sqlite:///{path}")
    return path.read_bytes()


@pytest.fixture
def url(empty: bytes, tmp_path: Path) -> str:
    (tmp_path / "viva.db").write_bytes(empty)
    return f"sqlite:///{tmp_path}/viva.db"


@pytest.fixture
async def store(url: str) -> AsyncIterator[EventStore]:
    store = EventStore(url)
    yield store
    store.close()


def content(connection: Connection) -> dict[str, list[tuple[Any, ...]]]:
    """Every row of the read models."""
    return {
        table: sorted(
            (tuple(row) for row in connection.execute(text(f'SELECT * FROM "{table}"'))), key=repr
        )
        for table in TABLES
    }


def found_words(connection: Connection, word: str) -> list[int]:
    query = text("SELECT rowid FROM turn_words WHERE turn_words MATCH :word ORDER BY rowid")
    return list(connection.execute(query, {"word": word}).scalars())


def check_words(connection: Connection) -> None:
    """Raises where the index holds anything else than the turns' words."""
    check = "INSERT INTO turn_words (turn_words, rank) VALUES ('integrity-check', 1)"
    connection.exec_driver_sql(check)


async def found_rounds(store: EventStore, words: str) -> list[str]:
    found = await store.find(Wanted(words=words), limit=10)
    return [match.round.id for match in found.matches]


EVENTS = st.lists(
    st.sampled_from(
        [
            asked("Why?"),
            said("Because of the cache."),
            said("Aloud.", spoken=True),
            SpeechInterrupted(text="But", speaker="card"),
            ToolCalled(call="1", tool="kv_cache", arguments="{}"),
            ended(),
            RoundEnded(reason="left"),
            scored(3, 2, 1),
            scored(1, scorer="judge/m", overall=None),
            scored(4, 4, rubric_hash="r2", overall=4),
            marked(1, "see here"),
            marked(2, bookmarked=False),
            marked(900),
            started("FDE-01"),
        ]
    ),
    max_size=12,
)


@given(logs=st.lists(EVENTS, min_size=1, max_size=3))
@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_rows_kept_with_the_events_equal_a_replay_of_the_log(
    url: str, logs: list[list[Event]]
) -> None:
    asyncio.run(_append_all(url, logs))
    with opened(url) as connection:
        kept = content(connection)
        words = found_words(connection, "cache OR see")
        check_words(connection)
        rebuild(connection)
        assert content(connection) == kept
        assert found_words(connection, "cache OR see") == words


async def _append_all(url: str, logs: list[list[Event]]) -> None:
    store = EventStore(url)
    base = AT + timedelta(minutes=len(await store.rounds(limit=10_000)))
    for number, events in enumerate(logs):
        at, round_id = base + timedelta(seconds=number), uuid4().hex
        await store.append(round_id, 1, started(), at=at)
        for seq, event in enumerate(events, start=2):
            await store.append(round_id, seq, event, at=at)
    store.close()


async def test_a_refused_append_changes_no_read_model(store: EventStore, url: str) -> None:
    await store.append("taken", 1, *whole("pademelon"))
    assert await found_rounds(store, "pademelon") == ["taken"]
    with opened(url) as connection:
        before = content(connection)
    with pytest.raises(ConcurrentWriter):
        await store.append("taken", 5, said("late"), scored(4))
    with opened(url) as connection:
        assert content(connection) == before


async def test_what_was_acknowledged_is_found_at_once(store: EventStore) -> None:
    await store.append("found", 1, started())
    for seq, word in enumerate(("quokka", "numbat", "bilby"), start=2):
        await store.append("found", seq, said(word))
        assert await found_rounds(store, word) == ["found"]


async def test_a_note_to_a_turn_that_is_not_indexed_yet_is_found_with_it(
    store: EventStore, url: str
) -> None:
    log = (started(), said("wombat"), marked(1, "echidna"), marked(1, "potoroo"))
    await store.append("due", 1, *log)
    found = [await found_rounds(store, word) for word in ("wombat", "echidna", "potoroo")]
    assert found == [["due"], [], ["due"]]
    with opened(url) as connection:
        check_words(connection)


async def test_a_search_with_nothing_due_writes_nothing(store: EventStore, url: str) -> None:
    await store.append("still", 1, started(), said("quoll"))
    await found_rounds(store, "quoll")
    log = Path(f"{make_url(url).database}-wal")
    before = log.stat().st_mtime_ns
    assert await found_rounds(store, "quoll") == ["still"]
    assert log.stat().st_mtime_ns == before


async def test_words_are_indexed_after_so_many_appends_without_a_pause(
    store: EventStore, url: str
) -> None:
    await store.append("busy", 1, started())
    answers = (store.append("busy", seq, said(f"dingo{seq}")) for seq in range(2, MOST_DUE + 2))
    await asyncio.gather(*answers)
    with opened(url) as connection:
        assert len(found_words(connection, "dingo2")) == 1


CRASHES = {
    "before the turn": ("DELETE FROM turn WHERE seq = 3",),
    # An older Viva wrote a turn with its event, and the index of its words later.
    "before its words": (
        "CREATE TEMPORARY TABLE newest AS SELECT * FROM turn WHERE seq = 3",
        "DELETE FROM turn WHERE seq = 3",
        "INSERT INTO turn SELECT * FROM newest",
    ),
}


@pytest.fixture(params=CRASHES.values(), ids=list(CRASHES))
async def cut(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[EventStore]:
    """A store as it starts after a crash, which kept the newest turn from the search."""
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    store = EventStore(url)
    await store.append("cut", 1, started(), asked("Why?"), said("kowari"))
    store.close()
    with opened(url) as connection:
        for statement in request.param:
            connection.exec_driver_sql(statement)
        assert found_words(connection, "kowari") == []
    monkeypatch.setattr(writer, "IDLE_S", 3600)
    store = EventStore(url)
    yield store
    store.close()


async def test_a_turn_that_a_crash_kept_from_the_search_is_found_after_the_next_start(
    cut: EventStore,
) -> None:
    assert await found_rounds(cut, "kowari") == ["cut"]
    await cut.append("cut", 4, asked("Why so?"), said("mulgara"))
    assert await found_rounds(cut, "mulgara") == ["cut"]
    with opened(cut.url) as connection:
        assert [row[1] for row in content(connection)["turn"]] == [2, 3, 4, 5]


async def test_a_turn_that_a_crash_kept_from_the_search_can_be_marked(cut: EventStore) -> None:
    await cut.append("cut", 4, marked(2, "ningaui"))
    assert await found_rounds(cut, "kowari ningaui") == ["cut"]
    assert (await cut.rounds())[0].marks == 1


async def test_a_refused_write_takes_no_turn_from_the_search(
    cut: EventStore, tmp_path: Path
) -> None:
    assert await found_rounds(cut, "kowari") == ["cut"]
    await cut.append("cut", 4, said("dunnart"))
    full = (tmp_path / "viva.db-wal").stat().st_size + 4096
    with largest_file(full), pytest.raises(StoreUnavailable):
        await cut.append("cut", 5, said("x" * 200_000))
    assert await found_rounds(cut, "dunnart") == ["cut"]


async def test_a_round_is_listed_as_it_stands(store: EventStore) -> None:
    await store.append("listed", 1, *whole("an answer"), marked(2, "good"))
    (line,) = await store.rounds(limit=2)
    assert (line.id, line.ended, line.scored, line.overall, line.marks) == (
        "listed",
        True,
        True,
        2,
        1,
    )


async def test_a_scorecard_of_the_text_as_it_was_heard_is_in_no_count(store: EventStore) -> None:
    heard = scored(4, overall=4).model_copy(update={"text": "heard"})
    await store.append("heard", 1, started(), asked(), heard)
    (line,) = await store.rounds(limit=2)
    assert (line.id, line.scored, line.overall) == ("heard", False, None)


async def test_taking_a_mark_away_leaves_none(store: EventStore) -> None:
    log = (started(), asked(), marked(1, "x"), marked(1, bookmarked=False))
    await store.append("unmarked", 1, *log)
    (line,) = await store.rounds(limit=2)
    assert line.marks == 0


def test_an_older_database_gets_its_read_models_from_its_log(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/old.db"
    log = [(f"r{n}", seq, event) for n in range(3) for seq, event in enumerate(whole(f"w{n}"), 1)]
    with older(url) as connection:
        insert = text("INSERT INTO event VALUES (:r, :s, '2026-11-29T12:00', :t, 1, :b)")
        for round_id, seq, event in log:
            row = {"r": round_id, "s": seq, "t": event.type, "b": event.model_dump_json()}
            connection.execute(insert, row)
    migrate(url)
    with opened(url) as connection:
        assert {name: len(rows) for name, rows in content(connection).items()} == {
            "round": 3,
            "turn": 6,
            "score": 15,
        }
        assert len(found_words(connection, "w1")) == 1
