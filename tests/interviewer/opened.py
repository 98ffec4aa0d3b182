"""A connection to a database beside the store's own."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sqlalchemy import URL, Connection, NullPool, create_engine


@contextmanager
def opened(url: str | URL, **options: Any) -> Iterator[Connection]:
    """In a transaction, and closed for good afterwards: no pool keeps it."""
    with create_engine(url, poolclass=NullPool, **options).begin() as connection:
        yield connection
