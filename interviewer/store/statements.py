"""SQL made once for a dialect and run on the driver's own cursor, which costs a tenth of a session.

Knows no table.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

from sqlalchemy import Dialect, Table, bindparam
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlalchemy.sql.expression import Executable
from sqlmodel import SQLModel


@dataclass(frozen=True, slots=True)
class Statement:
    """Compiled SQL with the order of its positional parameters; empty where they go by name."""

    sql: str
    names: tuple[str, ...]

    def run(self, cursor: DBAPICursor, values: Mapping[str, Any]) -> None:
        """Execute with these values; more of them than it takes do no harm."""
        given = tuple(values[name] for name in self.names) if self.names else values
        cursor.execute(self.sql, given)


def compiled(statement: Executable, dialect: Dialect) -> Statement:
    """The statement for a driver's cursor."""
    made: Any = statement.compile(dialect=dialect)  # type: ignore[attr-defined]
    return Statement(str(made), tuple(made.positiontup or ()))


def insert_unless_there(table: type[SQLModel], names: list[str], dialect: Dialect) -> Statement:
    """An insert that does nothing where its place is taken."""
    # The other dialect's module costs tens of milliseconds at every start, so it stays unimported.
    dialects = import_module(f"sqlalchemy.dialects.{dialect.name}")
    made: Table = table.__table__  # type: ignore[attr-defined]
    insert = dialects.insert(made).values({name: bindparam(name) for name in names})
    return compiled(insert.on_conflict_do_nothing(), dialect)
