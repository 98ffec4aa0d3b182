"""Everything out into one file and in again, and old rounds forgotten, through the commands."""

import asyncio
import json
import sqlite3
from collections.abc import Iterator
from contextlib import chdir, closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from click.testing import CliRunner, Result
from sqlalchemy.exc import IntegrityError
from sqlmodel import select

from interviewer.migrations import migrate
from interviewer.store import EventStore
from interviewer.store.backup import check
from interviewer.store.engines import alone, snapshot
from interviewer.store.tables import EventRow
from tests.interviewer.logs import asked, ended, marked, said, scored, started
from tests.postgres import cluster
from viva import main

OLD = datetime(2026, 1, 5, 9, tzinfo=UTC)
ROUND = (started(), asked("Why?"), said("Because ünïcode \U0001f600 and\nnew lines."))


@pytest.fixture(scope="module")
def postgres() -> Iterator[str]:
    with cluster() as url:
        yield url


def run(url: str, *arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, env={"VIVA_DATABASE_URL": url})


def fill(url: str, at: datetime = OLD, name: str = "round") -> None:
    async def write() -> None:
        store = EventStore(url)
        for number in range(3):
            round_id = f"{name}-{number}"
            await store.append(round_id, 1, *ROUND, scored(), ended(), at=at)
            if number == 0:
                await store.append(round_id, 6, marked(2, note="keep"), at=at)
        store.close()

    migrate(url)
    asyncio.run(write())


def fresh(tmp_path: Path, name: str) -> str:
    return f"sqlite:///{tmp_path}/{name}.db"


def members(path: Path) -> dict[str, bytes]:
    """An archive's content without the moment of its making."""
    with ZipFile(path) as archive:
        found = {name: archive.read(name) for name in archive.namelist()}
    header = json.loads(found["viva.json"])
    del header["exported"]
    return found | {"viva.json": json.dumps(header).encode()}


def events(url: str) -> list[dict[str, object]]:
    table = EventRow.__table__  # type: ignore[attr-defined]
    order = select(table).order_by(table.c.round_id, table.c.seq)
    with snapshot(url) as connection:
        return [dict(row) for row in connection.execute(order).mappings()]


def test_out_and_in_and_out_again_gives_the_same_bytes_but_for_the_date(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    assert run(one, "export", "--all", str(tmp_path / "a.zip")).exit_code == 0
    done = run(two := fresh(tmp_path, "two"), "import", str(tmp_path / "a.zip"))
    assert done.output == "Added 16 rows of event, 0 recordings.\n"
    assert run(two, "export", "--all", str(tmp_path / "b.zip")).exit_code == 0
    assert members(tmp_path / "a.zip") == members(tmp_path / "b.zip")
    assert events(one) == events(two)


def test_the_lists_and_the_search_know_what_was_imported(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    run(two := fresh(tmp_path, "two"), "import", str(tmp_path / "a.zip"))
    store = EventStore(two)
    assert len(asyncio.run(store.rounds())) == 3
    store.close()


def test_from_sqlite_to_postgresql_and_back_nothing_changes(tmp_path: Path, postgres: str) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    assert run(postgres, "import", str(tmp_path / "a.zip")).exit_code == 0
    assert run(postgres, "export", "--all", str(tmp_path / "b.zip")).exit_code == 0
    assert members(tmp_path / "a.zip") == members(tmp_path / "b.zip")
    done = run(postgres, "purge", "--older-than", "1d", "--yes")
    assert done.output.startswith("Deleted 2 rounds")
    assert {row["round_id"] for row in events(postgres)} == {"round-0"}


def test_importing_again_adds_nothing(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    assert run(one, "import", str(tmp_path / "a.zip")).output.startswith("Added 0 rows of event,")


def test_no_secret_leaves_the_installation(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    assert set(members(tmp_path / "a.zip")) == {"viva.json", "event.jsonl"}


def changed(source: Path, target: Path, old: bytes, new: bytes, member: str = "event.jsonl") -> str:
    """A copy of an archive in which one member was meddled with."""
    with ZipFile(source) as archive, ZipFile(target, "w") as copy:
        for name in archive.namelist():
            data = archive.read(name)
            assert name != member or old in data
            copy.writestr(name, data.replace(old, new, 1) if name == member else data)
    return str(target)


@pytest.mark.parametrize(
    ("member", "old", "new", "says"),
    [
        ("event.jsonl", b'"seq":2', b'"seq":7', "event 2 is missing"),
        ("event.jsonl", b'"seq":2', b'"seq":"2"', "seq: Input should be a valid integer"),
        ("event.jsonl", b'"version":1', b'"version":9', "newer Viva"),
        ("event.jsonl", b"RoundStarted", b"RoundInvented", "round-0, event 1"),
        ("event.jsonl", b'"at":"2', b'"at":"x', "round-0, event 1"),
        ("event.jsonl", b'"round_id"', b'"round"', "event.jsonl:1: round_id: Field required"),
        ("event.jsonl", b"round-0", b"ro/nd-0", "event.jsonl:1: round_id: String should match"),
        ("event.jsonl", b"round-0", b"\\r\\nX:0", "event.jsonl:1: round_id: String should match"),
        (
            "event.jsonl",
            b'part\\":\\"nextstep',
            b'part\\":\\"claim',
            "give one for each of ['claim', ",
        ),
        ("event.jsonl", b'limit_s\\":180', b'limit_s\\":1' + b"0" * 400, "limit_s"),
        ("event.jsonl", b'limit_s\\":180', b'limit_s\\":-180', "limit_s"),
        ("event.jsonl", b"{", b"[{", "event.jsonl:1: : Invalid JSON"),
        ("viva.json", b"viva-archive/2", b"viva-archive/9", "this Viva reads viva-archive/1"),
    ],
)
def test_a_file_that_was_meddled_with_is_refused_whole(
    member: str, old: bytes, new: bytes, says: str, tmp_path: Path
) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    bad = changed(tmp_path / "a.zip", tmp_path / "bad.zip", old, new, member)
    done = run(two := fresh(tmp_path, "two"), "import", bad)
    assert done.exit_code == 1
    assert says in done.output
    assert events(two) == []


def test_a_round_that_differs_from_the_one_here_is_not_overwritten(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    other = changed(tmp_path / "a.zip", tmp_path / "b.zip", b"Because", b"Whereas")
    before = events(one)
    done = run(one, "import", other)
    assert "event round-0/3 is here already and differs" in done.output
    assert events(one) == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 not a zip", b"{}"])
def test_what_is_no_archive_is_said_to_be_none(content: bytes, tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(content)
    done = run(fresh(tmp_path, "one"), "import", str(tmp_path / "x.zip"))
    assert (done.exit_code, "no archive of Viva" in done.output) == (1, True)


def test_an_archive_never_replaces_a_file(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    (tmp_path / "a.zip").write_text("mine")
    assert "exists already" in run(one, "export", "--all", str(tmp_path / "a.zip")).output
    assert (tmp_path / "a.zip").read_text() == "mine"


def test_backup_and_restore_bring_rounds_back(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    assert "3 rounds, 16 events, checked" in run(one, "backup", str(tmp_path / "b.db")).output
    fill(one, name="later")
    done = run(one, "restore", str(tmp_path / "b.db"))
    assert "Restored 3 rounds, 16 events." in done.output
    (aside,) = tmp_path.glob("one.db.before-restore-*")
    assert check(aside).rounds == 6
    assert len(events(one)) == 16


def test_a_purge_says_what_would_go_and_deletes_only_when_told(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"), at=datetime.now(UTC) - timedelta(days=100))
    fill(one, at=datetime.now(UTC) - timedelta(days=10), name="young")
    said_so = run(one, "purge", "--older-than", "90d")
    assert said_so.output.startswith("Would delete 2 rounds")
    assert len(events(one)) == 32
    assert run(one, "purge", "--older-than", "3 months", "--yes").output.startswith("Deleted 2")
    # The first round has a note, which pins it.
    assert {str(row["round_id"]) for row in events(one)} == {
        "round-0", "young-0", "young-1", "young-2",
    }  # fmt: skip


def test_a_purge_deletes_the_sound_of_its_rounds_and_no_other(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    for name in ("round-0", "round-1"):
        (tmp_path / "viva-audio" / name).mkdir(parents=True)
        (tmp_path / "viva-audio" / name / "a1.webm").touch()
    run(one, "purge", "--older-than", "1d", "--yes")
    assert [path.name for path in (tmp_path / "viva-audio").iterdir()] == ["round-0"]


def spoken(tmp_path: Path) -> tuple[str, Path]:
    """Two rounds that a purge deletes, with sound, and the folder of that."""
    fill(url := fresh(tmp_path, "one"))
    for name in ("round-1", "round-2"):
        (tmp_path / "viva-audio" / name).mkdir(parents=True)
        (tmp_path / "viva-audio" / name / "a1.webm").touch()
    return url, tmp_path / "viva-audio"


def names(folder: Path) -> set[str]:
    return {path.name for path in folder.iterdir()}


REFUSED = """
CREATE TABLE nobody (id INTEGER PRIMARY KEY);
CREATE TABLE refusal (id INTEGER REFERENCES nobody (id) DEFERRABLE INITIALLY DEFERRED);
CREATE TRIGGER refuse AFTER DELETE ON event BEGIN INSERT INTO refusal VALUES (1); END;
"""
"""A database that lets events be deleted, and refuses the commit."""


def test_a_purge_whose_commit_fails_loses_neither_rounds_nor_sound(tmp_path: Path) -> None:
    one, folder = spoken(tmp_path)
    with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
        connection.executescript(REFUSED)
    done = run(one, "purge", "--older-than", "1d", "--yes")
    assert (done.exit_code, "nothing was deleted" in done.output) == (1, True), done.output
    assert len(events(one)) == 16
    assert {"round-1", "round-2"} <= names(folder)
    with closing(sqlite3.connect(tmp_path / "one.db")) as connection:
        connection.execute("DROP TRIGGER refuse")
    assert run(one, "purge", "--older-than", "1d", "--yes").output.startswith("Deleted 2")
    assert names(folder) == set()


def test_sound_that_a_purge_could_not_delete_is_said_and_goes_with_the_next(tmp_path: Path) -> None:
    one, folder = spoken(tmp_path)
    (folder / "round-1").rename(tmp_path / "elsewhere")
    (folder / "round-1").symlink_to(tmp_path / "elsewhere")
    done = run(one, "purge", "--older-than", "1d", "--yes")
    assert (done.exit_code, "run viva purge again" in done.output) == (1, True), done.output
    assert {row["round_id"] for row in events(one)} == {"round-0"}
    (folder / "round-1").unlink()
    (tmp_path / "elsewhere").rename(folder / "round-1")
    (folder / "no-such-round").mkdir()
    assert run(one, "purge", "--older-than", "1d", "--yes").output.startswith("Deleted 0")
    assert names(folder) == {"no-such-round"}


def test_a_purge_deletes_no_sound_for_another_database_of_its_folder(tmp_path: Path) -> None:
    one, folder = spoken(tmp_path)
    (folder / "round-1").rename(tmp_path / "elsewhere")
    (folder / "round-1").symlink_to(tmp_path / "elsewhere")
    run(one, "purge", "--older-than", "1d", "--yes")
    (folder / "round-1").unlink()
    (tmp_path / "elsewhere").rename(folder / "round-1")
    run(fresh(tmp_path, "two"), "purge", "--older-than", "1d", "--yes")
    assert "round-1" in names(folder)


@pytest.mark.parametrize("command", ["export --all NEW.zip", "purge --older-than 9d", "backup NEW"])
def test_a_file_that_is_no_database_is_told_in_one_line(command: str, tmp_path: Path) -> None:
    (tmp_path / "viva.db").write_bytes(b"a letter, not a database" * 100)
    with chdir(tmp_path):
        told = run("sqlite:///viva.db", *command.split())
    assert told.output.startswith("Error: ")
    assert "file is not a database" in told.output
    assert (told.exit_code > 0, told.output.count("\n")) == (True, 1)
    assert not list(tmp_path.glob("NEW*"))


def test_the_log_is_append_only_again_after_a_purge(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "purge", "--older-than", "1d", "--yes")
    with pytest.raises(IntegrityError, match="append-only"), alone(one) as connection:
        connection.exec_driver_sql("DELETE FROM event")


@pytest.mark.parametrize("span", ["soon", "-3d", "1 fortnight", "99999 years", "99999 months"])
def test_a_span_is_a_number_with_a_unit(span: str, tmp_path: Path) -> None:
    done = run(fresh(tmp_path, "one"), "purge", "--older-than", span)
    assert (done.exit_code, "--older-than" in done.output) == (2, True)


def test_a_span_without_a_unit_is_of_days(tmp_path: Path) -> None:
    done = run(fresh(tmp_path, "one"), "purge", "--older-than", "90")
    assert done.output.startswith("Would delete 0 rounds")


def test_a_running_server_keeps_import_and_purge_away(tmp_path: Path) -> None:
    fill(one := fresh(tmp_path, "one"))
    run(one, "export", "--all", str(tmp_path / "a.zip"))
    store = EventStore(one)
    for command in (("import", str(tmp_path / "a.zip")), ("purge", "--older-than", "1d", "--yes")):
        done = run(one, *command)
        assert (done.exit_code, "another Viva uses this file" in done.output) == (2, True)
    store.close()


def test_notes_for_anki_have_an_id_of_their_own_and_each_number_its_derivation() -> None:
    done = CliRunner().invoke(main, ["export", "--anki"])
    head, notes = done.output.split("#tags column:4\n")
    assert "#columns:Id\tQuestion\tAnswer\tTags" in head
    rows = [line.split("\t") for line in notes.splitlines()]
    assert {len(row) for row in rows} == {4}
    by_id = {row[0]: row for row in rows}
    assert len(by_id) == len(rows)
    assert "INF-003" in by_id
    assert {"BEH-SLIP", "FDE-WHY/monthly"} <= set(by_id)
    assert not any(note.startswith("BEH-SLIP/") for note in by_id)  # a story's own numbers
    _, asked, answer, tags = by_id["INF-003/crossover"]
    assert "3.35 TB/s" in asked
    assert answer.startswith("<b>295")
    assert "×2: one FLOP per byte" in answer
    assert "viva::number" in tags
