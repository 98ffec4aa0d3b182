"""Migrations on a real SQLite file."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from pydantic import ValidationError
from sqlalchemy import inspect, make_url, text
from sqlmodel import SQLModel

from interviewer.errors import ConfigError
from interviewer.migrations import HEAD, REVISIONS, migrate
from interviewer.store.engines import claim
from tests.interviewer.opened import alembic, older, opened


def test_the_revisions_named_in_code_are_alembics_own() -> None:
    scripts = ScriptDirectory.from_config(alembic()).walk_revisions()
    assert tuple(script.revision for script in scripts) == REVISIONS[::-1]


def known_to_code(name: str | None, kind: str, parents: object) -> bool:
    """The index of words is a virtual table with others behind it: only the migration knows it."""
    return kind != "table" or not str(name).startswith("turn_words")


def test_a_migrated_database_equals_the_tables_in_code(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    with opened(url) as connection:
        context = MigrationContext.configure(connection, opts={"include_name": known_to_code})
        assert compare_metadata(context, SQLModel.metadata) == []


def test_migrating_twice_changes_nothing(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    before = (tmp_path / "viva.db").read_bytes()
    migrate(url)
    assert (tmp_path / "viva.db").read_bytes() == before


def test_a_database_from_the_future_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    with opened(url) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    with pytest.raises(ConfigError, match="upgrade Viva"):
        migrate(url)


def test_a_file_that_is_no_database_is_refused_by_name(tmp_path: Path) -> None:
    (tmp_path / "viva.db").write_bytes(b"a letter, not a database" * 100)
    with pytest.raises(ConfigError, match=r"VIVA_DATABASE_URL=.*viva.db: .*file is not a database"):
        migrate(f"sqlite:///{tmp_path}/viva.db")


def revision(url: str) -> object:
    with opened(url) as connection:
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def test_a_migration_that_is_cut_short_leaves_the_database_as_it_was(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/viva.db"
    with older(url) as connection:
        unread = "INSERT INTO event VALUES ('r', 1, '2026-11-29T12:00', 'RoundStarted', 1, '{}')"
        connection.execute(text(unread))
    with pytest.raises(ValidationError):  # the last step, to fill the new tables from the log
        migrate(url)
    assert revision(url) == "0001"
    with opened(url) as connection:
        assert set(inspect(connection).get_table_names()) == {"alembic_version", "event", "secret"}


def test_a_database_is_not_migrated_under_a_viva_that_uses_it(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path}/viva.db"
    with older(url):
        pass
    held = claim(make_url(url))
    assert held is not None
    with pytest.raises(ConfigError, match="another Viva uses this file; stop it"):
        migrate(url)
    assert revision(url) == "0001"
    held.release()
    migrate(url)
    assert revision(url) == HEAD


def test_a_file_is_claimed_under_all_its_names(tmp_path: Path) -> None:
    url, link = f"sqlite:///{tmp_path}/viva.db", tmp_path / "link.db"
    migrate(url)
    link.symlink_to(tmp_path / "viva.db")
    held = claim(make_url(url))
    assert held is not None
    with pytest.raises(ConfigError, match="another Viva uses this file"):
        claim(make_url(f"sqlite:///{link}"))
    held.release()


def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    place = tmp_path / "places.sqlite"
    with opened(f"sqlite:///{place}") as connection:
        connection.execute(text("CREATE TABLE event (a)"))
    before = place.read_bytes()
    with pytest.raises(ConfigError, match="it holds another program's tables; name one of"):
        migrate(f"sqlite:///{place}")
    assert place.read_bytes() == before


@pytest.mark.parametrize(
    ("file", "says"),
    [("none/viva.db", "Viva finds no folder .*; make it"), ("", "that is a folder; name a file")],
)
def test_a_place_that_can_hold_no_file_is_refused_with_what_to_do(
    file: str, says: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError, match=says):
        migrate(f"sqlite:///{tmp_path}/{file}")
