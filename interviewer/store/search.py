"""Finds words in the turns and in the notes beside them: FTS5 in SQLite, PostgreSQL's own there.

A query is words, all of which must stand in one turn; words in quotation marks stand side by side.
"""

import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import ColumnElement, column, false, text
from sqlmodel import Session, col

from interviewer.store.tables import TURNS, RoundRow

MOST_HITS = 3
"""Turns that are shown of one round."""
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')

FIND = {
    "sqlite": "SELECT rowid / :per_round AS no FROM turn_words WHERE turn_words MATCH :query",
    "postgresql": """
        SELECT id / :per_round AS no FROM turn WHERE words @@ CAST(:query AS tsquery)""",
}
SHOW = {
    "sqlite": """
        SELECT rowid % :per_round AS number,
          snippet(turn_words, -1, :start, :stop, '…', 24) AS said
        FROM turn_words WHERE turn_words MATCH :query AND rowid BETWEEN :first AND :last
        ORDER BY rowid LIMIT :most""",
    "postgresql": """
        SELECT id % :per_round AS number, ts_headline('viva', text || ' ' || note,
          CAST(:query AS tsquery), :options) AS said
        FROM turn WHERE words @@ CAST(:query AS tsquery) AND id BETWEEN :first AND :last
        ORDER BY id LIMIT :most""",
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of a snippet; `found` where it is one of the words."""

    text: str
    found: bool


@dataclass(frozen=True, slots=True)
class Hit:
    """A turn that holds the words, shortened to where they stand."""

    turn: int
    pieces: tuple[Piece, ...]


def terms(words: str) -> list[str]:
    """The words and quoted phrases of a query that can be searched for."""
    found = (phrase or word for phrase, word in _TERM.findall(words.replace("\0", " ")))
    return [term for term in found if any(letter.isalnum() for letter in term)]


def rounds_with(session: Session, words: str) -> ColumnElement[bool]:
    """The condition that a round holds the words in one of its turns."""
    query = _query(session, words)
    if not query:
        return false()
    found = text(FIND[_dialect(session)]).bindparams(query=query, per_round=TURNS)
    return col(RoundRow.no).in_(found.columns(column("no")))


def hits(session: Session, words: str, round_no: int) -> tuple[Hit, ...]:
    """The first turns of a round that hold the words."""
    # Nobody can have said a mark that was drawn for this query alone.
    start, stop = secrets.token_hex(8), secrets.token_hex(8)
    values = {
        "query": _query(session, words),
        "first": round_no * TURNS,
        "last": (round_no + 1) * TURNS - 1,
        "per_round": TURNS,
        "most": MOST_HITS,
    }
    sqlite = _dialect(session) == "sqlite"
    marks = {"start": start, "stop": stop}
    options = f"StartSel={start},StopSel={stop},MinWords=12,MaxWords=24"
    values |= marks if sqlite else {"options": options}
    rows = session.connection().execute(text(SHOW[_dialect(session)]), values)
    return tuple(Hit(row.number, _pieces(row.said, start, stop)) for row in rows)


def _dialect(session: Session) -> str:
    return session.get_bind().dialect.name


def _query(session: Session, words: str) -> str:
    """The words in the database's own query language, every one of them quoted."""
    found = terms(words)
    if not found:
        return ""
    if _dialect(session) == "sqlite":
        return " AND ".join(f'"{term}"' for term in found)
    parts = " && ".join(f"phraseto_tsquery('viva', :t{n})" for n in range(len(found)))
    given: dict[str, Any] = {f"t{n}": term for n, term in enumerate(found)}
    return str(session.connection().execute(text(f"SELECT CAST({parts} AS text)"), given).scalar())


def _pieces(said: str, start: str, stop: str) -> tuple[Piece, ...]:
    cut: Sequence[str] = re.split(f"{start}|{stop}", said)
    return tuple(Piece(part, bool(n % 2)) for n, part in enumerate(cut) if part)
