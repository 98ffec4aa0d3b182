"""The tables: the log with its secrets, and the read models that follow from the log.

Table classes do not validate: rows are made from `Event` values only.
"""

from typing import Any

from sqlalchemy import BigInteger, CheckConstraint, Index, Integer, Text
from sqlmodel import Field, SQLModel

BIG: Any = BigInteger().with_variant(Integer, "sqlite")
TURNS = 1 << 20
"""A turn's id is its round's number times this, plus its own: the index of words knows no more."""


COUNTED = ("scorer", "rubric_hash", "part", "newest", "card", "day", "drill", "level")
"""Everything that progress counts by, so that the index alone answers."""


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


class RoundRow(SQLModel, table=True):
    """Read model: a round as lists show it."""

    __tablename__ = "round"
    __table_args__ = (Index("round_at", "at"), Index("round_card", "card"))

    no: int = Field(primary_key=True)
    """Counts the rounds of this database; only tables that follow from the log refer to it."""
    id: str = Field(max_length=32, unique=True)
    at: str = Field(max_length=32)
    last_at: str = Field(max_length=32)
    events: int
    last_type: str = Field(max_length=32)
    card: str = Field(sa_type=Text)
    title: str = Field(sa_type=Text)
    question: str = Field(sa_type=Text)
    kind: str = Field(sa_type=Text)
    part: str = Field(max_length=16)
    """The drilled part, or the drill of all parts; empty for a whole round."""
    interviewer: str = Field(sa_type=Text)
    turns: int
    answers: int
    spoken: int
    """How many of the answers were spoken."""
    marks: int
    """Turns with a bookmark or a note."""
    ended: str = Field(max_length=16)
    """Why it ended; empty while it goes on."""
    scorecards: int
    overall: int | None
    """Of the newest scorecard."""


class TurnRow(SQLModel, table=True):
    """Read model: a turn's text, for the search alone, with the person's bookmark and note."""

    __tablename__ = "turn"

    id: int = Field(primary_key=True, sa_type=BIG)
    seq: int
    speaker: str = Field(max_length=16)
    text: str = Field(sa_type=Text)
    bookmarked: int
    note: str = Field(sa_type=Text)


class ScoreRow(SQLModel, table=True):
    """Read model: one level of one scorecard; part 'overall' stands for the whole."""

    __tablename__ = "score"
    __table_args__ = (Index("score_counts", *COUNTED),)

    round_no: int = Field(primary_key=True)
    seq: int = Field(primary_key=True)
    part: str = Field(primary_key=True, max_length=16)
    level: int | None
    scorer: str = Field(sa_type=Text)
    rubric: str = Field(sa_type=Text)
    rubric_hash: str = Field(sa_type=Text)
    card: str = Field(sa_type=Text)
    day: str = Field(max_length=10)
    """On which the round began."""
    drill: str = Field(max_length=16)
    """The round's `part`."""
    newest: int
    """1 unless this scorer has scored the round again with the same rubric."""


KEPT: tuple[type[SQLModel], ...] = (EventRow,)
"""The tables that follow from nothing else: what an archive holds, besides the secrets."""
