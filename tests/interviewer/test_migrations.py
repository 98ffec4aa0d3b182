"""Migrations on a real SQLite file."""

from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import text
from sqlmodel import SQLModel

import interviewer.migrations
from interviewer.errors import ConfigError
from interviewer.migrations import HEAD, migrate
from tests.interviewer.opened import opened


def test_the_head_named_in_code_is_alembics_own() -> None:
    config = Config()
    config.set_main_option("script_location", str(Path(interviewer.migrations.__file__).parent))
    assert ScriptDirectory.from_config(config).get_current_head() == HEAD


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
    with pytest.raises(ConfigError, match=r"VIVA_DATABASE_URL: .* file is not a database"):
        migrate(f"sqlite:///{tmp_path}/viva.db")
