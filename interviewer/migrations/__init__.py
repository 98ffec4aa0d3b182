"""Migrations of the database, by Alembic, run at every start; cheap when there is nothing to do."""

from pathlib import Path

from sqlalchemy import URL, Connection, create_engine, inspect, text
from sqlalchemy.engine import make_url

from interviewer.store.backup import backup
from interviewer.store.engines import alone, check_folder, faulty, refusals, sqlite_path

REVISIONS = ("0001", "0002", "0003")
"""A test holds them equal to Alembic's own, so that an up-to-date start need not import Alembic."""
HEAD = REVISIONS[-1]


def migrate(url: str) -> None:
    """Bring the database at `url` to the newest revision, all or nothing, while no server uses it.

    Raises ConfigError where it cannot be reached, is newer, is in use, or is another program's.
    """
    parsed = make_url(url)
    check_folder(parsed)
    with refusals(parsed):
        found = _revision(parsed)
        if found == HEAD:
            return
        with alone(url) as connection:
            if found is not None:
                _keep_copy(url, found)
            _upgrade(connection)


def _revision(url: URL) -> str | None:
    """The database's revision; None where it is empty. Raises ConfigError where it is not ours."""
    engine = create_engine(url)
    try:
        with engine.connect() as connection:
            tables = set(inspect(connection).get_table_names())
            found = _named(connection) if "alembic_version" in tables else None
    finally:
        engine.dispose()
    if found is None and tables - {"alembic_version"}:
        raise faulty(url, "it holds another program's tables; name one of Viva's own")
    if found is not None and found not in REVISIONS:
        known = f"it is at revision {found}, this Viva knows {', '.join(REVISIONS)}"
        raise faulty(url, f"{known}; upgrade Viva, or name another")
    return found


def _named(connection: Connection) -> str | None:
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _keep_copy(url: str, revision: str) -> None:
    """An SQLite file as it was before, such as `viva.db.revision-0001`."""
    if make_url(url).get_backend_name() == "sqlite":
        place = sqlite_path(make_url(url))
        kept = place.with_name(f"{place.name}.revision-{revision}")
        if not kept.exists():
            backup(url, kept)


def _upgrade(connection: Connection) -> None:
    """A migration may drop and make read models as it likes: they are filled from the log here."""
    from alembic import command
    from alembic.config import Config

    from interviewer.store.read_models import rebuild

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.attributes["connection"] = connection
    command.upgrade(config, "head")
    rebuild(connection)
