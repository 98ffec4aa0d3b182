"""A connection to a database beside the store's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import URL, Connection, NullPool, create_engine

import interviewer.migrations


@contextmanager
def opened(url: str | URL, **options: Any) -> Iterator[Connection]:
    """In a transaction, and closed for good afterwards: no pool keeps it."""
    with create_engine(url, poolclass=NullPool, **options).begin() as connection:
        yield connection


def alembic() -> Config:
    """Alembic's settings for Viva's migrations."""
    config = Config()
    config.set_main_option("script_location", str(Path(interviewer.migrations.__file__).parent))
    return config


@contextmanager
def older(url: str, revision: str = "0001") -> Iterator[Connection]:
    """A new database as an older Viva made it."""
    with opened(url) as connection:
        config = alembic()
        config.attributes["connection"] = connection
        command.upgrade(config, revision)
        yield connection
