"""Migrations of the database, by Alembic, run at every start; cheap when there is nothing to do."""

from pathlib import Path

from sqlalchemy import Engine, create_engine, inspect, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from interviewer.errors import ConfigError
from interviewer.store.backup import backup
from interviewer.store.engines import sqlite_path

HEAD = "0003"
"""The newest revision; a test holds it equal to Alembic's own head, so that an up-to-date start
need not import Alembic.
"""


def migrate(url: str) -> None:
    """Bring the database at `url` to the newest revision.

    Raises ConfigError where it cannot be reached or is newer.
    """
    engine = create_engine(make_url(url))
    try:
        found = _revision(engine)
        if found == HEAD:
            return
        if found is not None and found > HEAD:
            raise ConfigError(
                f"VIVA_DATABASE_URL: the database is at revision {found}, "
                f"this Viva knows {HEAD}; upgrade Viva"
            )
        if found is not None:
            _keep_copy(url, found)
        _upgrade(engine)
    except DBAPIError as error:
        raise ConfigError(
            f"VIVA_DATABASE_URL: the database cannot be opened: {error.orig}"
        ) from error
    finally:
        engine.dispose()


def _keep_copy(url: str, revision: str) -> None:
    """An SQLite file as it was before, such as `viva.db.revision-0001`."""
    if make_url(url).get_backend_name() == "sqlite":
        place = sqlite_path(make_url(url))
        kept = place.with_name(f"{place.name}.revision-{revision}")
        if not kept.exists():
            backup(url, kept)


def _revision(engine: Engine) -> str | None:
    with engine.connect() as connection:
        if not inspect(connection).has_table("alembic_version"):
            return None
        return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _upgrade(engine: Engine) -> None:
    """A migration may drop and make read models as it likes: they are filled from the log here."""
    from alembic import command
    from alembic.config import Config

    from interviewer.store.read_models import rebuild

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")
        rebuild(connection)
