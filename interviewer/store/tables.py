"""The two tables. Table classes do not validate: rows are made from `Event` values only."""

from sqlalchemy import CheckConstraint, Index, Text
from sqlmodel import Field, SQLModel


class EventRow(SQLModel, table=True):
    """One event of a round; `(round_id, seq)` is unique, and the log is append-only."""

    __tablename__ = "event"
    __table_args__ = (
        CheckConstraint("seq >= 1", name="event_seq_from_1"),
        CheckConstraint("length(body) >= 2", name="event_body_is_json"),
        Index("event_type_at", "type", "at"),
    )

    round_id: str = Field(primary_key=True, max_length=32)
    seq: int = Field(primary_key=True)
    at: str = Field(max_length=32)
    """UTC, ISO 8601 with microseconds, so that it sorts as text in every database."""
    type: str = Field(max_length=32)
    version: int
    body: str = Field(sa_type=Text)
    """The event as JSON."""


class SecretRow(SQLModel, table=True):
    """A random secret of this installation, such as the salt of the prefix cache."""

    __tablename__ = "secret"

    name: str = Field(primary_key=True, max_length=32)
    value: str = Field(max_length=128)
