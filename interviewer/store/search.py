"""Finds words in the turns and in the notes beside them: FTS5 in SQLite, PostgreSQL's own there.

A query is words, all of which must stand in one turn; words in quotation marks stand side by side.
"""

import re
import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sqlalchemy import text
from sqlmodel import Session

from interviewer.store.tables import TURNS

MOST_HITS = 3
"""Turns that are shown of one round."""
_TERM = re.compile(r'"([^"]*)"|([^\s"]+)')

AT_ONCE = 250
"""Rounds that are looked through together, the newest first."""
RARE = 0.1
"""Words that fewer of the rounds hold are left to the index."""

FIND = {
    "sqlite": "SELECT DISTINCT rowid / :per_round FROM turn_words WHERE turn_words MATCH :query",
    "postgresql": """
        SELECT DISTINCT id / :per_round FROM turn WHERE words @@ CAST(:query AS tsquery)""",
}
AMONG = """
    SELECT no FROM unnest(CAST(:numbers AS bigint[])) AS looked (no),
      LATERAL (SELECT 1 FROM turn WHERE words @@ CAST(:query AS tsquery)
        AND id BETWEEN no * :per_round AND (no + 1) * :per_round - 1 LIMIT 1) AS hit"""
"""PostgreSQL: those of some rounds that hold the words, each left at its first turn with them."""
SHOW = {
    "sqlite": """
        SELECT rowid / :per_round AS no, rowid % :per_round AS number,
          snippet(turn_words, -1, :start, :stop, '…', 24) AS said
        FROM turn_words WHERE turn_words MATCH :query
          AND rowid BETWEEN :no * :per_round AND (:no + 1) * :per_round - 1
        ORDER BY rowid LIMIT :most""",
    "postgresql": """
        SELECT no, number, ts_headline('viva', said, CAST(:query AS tsquery), :options) AS said
        FROM unnest(CAST(:numbers AS bigint[])) AS shown (no),
          LATERAL (SELECT id % :per_round AS number, text || ' ' || note AS said FROM turn
            WHERE words @@ CAST(:query AS tsquery)
              AND id BETWEEN no * :per_round AND (no + 1) * :per_round - 1
            ORDER BY id LIMIT :most) AS turns""",
}
"""The first turns with the words: of one round, of several."""


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


def query_of(session: Session, words: str) -> str:
    """The words in the database's own query language, each quoted; empty where there are none."""
    found = terms(words)
    if not found:
        return ""
    if _dialect(session) == "sqlite":
        return " AND ".join(f'"{term}"' for term in found)
    parts = " && ".join(f"phraseto_tsquery('viva', :t{n})" for n in range(len(found)))
    given: dict[str, Any] = {f"t{n}": term for n, term in enumerate(found)}
    return str(session.connection().execute(text(f"SELECT CAST({parts} AS text)"), given).scalar())


def rounds_with(
    session: Session, query: str, numbers: Sequence[int], enough: int, at_once: int = AT_ONCE
) -> tuple[list[int], bool]:
    """Those of the rounds that hold the words in one of their turns, in the order given.

    And whether there may be more of them: the search may stop when it has found enough.
    """
    if not query:
        return [], False
    if _dialect(session) == "sqlite":
        return _indexed(session, query, numbers), False
    # PostgreSQL's index answers in full only, and reads a page of the table for every turn found:
    # a word that all say is sooner met by looking through the newest rounds.
    found: list[int] = []
    for at in range(0, len(numbers), at_once):
        some, rest = numbers[at : at + at_once], numbers[at + at_once :]
        here = _among(session, query, some)
        found += here
        if len(found) >= enough and rest:
            return found, True
        if len(here) < RARE * len(some):
            return found + _indexed(session, query, rest), False
    return found, False


def _indexed(session: Session, query: str, numbers: Sequence[int]) -> list[int]:
    if not numbers:
        return []
    given = {"query": query, "per_round": TURNS}
    holding = set(session.connection().execute(text(FIND[_dialect(session)]), given).scalars())
    return [number for number in numbers if number in holding]


def _among(session: Session, query: str, numbers: Sequence[int]) -> list[int]:
    given = {"query": query, "per_round": TURNS, "numbers": list(numbers)}
    holding = set(session.connection().execute(text(AMONG), given).scalars())
    return [number for number in numbers if number in holding]


def hits(session: Session, query: str, numbers: Sequence[int]) -> Mapping[int, tuple[Hit, ...]]:
    """The first turns of each round that hold the words."""
    # Nobody can have said a mark that was drawn for this query alone.
    start, stop = secrets.token_hex(8), secrets.token_hex(8)
    given: dict[str, Any] = {"query": query, "per_round": TURNS, "most": MOST_HITS}
    show, connection = text(SHOW[_dialect(session)]), session.connection()
    if _dialect(session) == "sqlite":
        given |= {"start": start, "stop": stop}
        rows = [row for no in numbers for row in connection.execute(show, given | {"no": no})]
    else:
        options = f"StartSel={start},StopSel={stop},MinWords=12,MaxWords=24"
        given |= {"options": options, "numbers": list(numbers)}
        rows = list(connection.execute(show, given))
    found: dict[int, list[Hit]] = {}
    for row in rows:
        found.setdefault(row.no, []).append(Hit(row.number, _pieces(row.said, start, stop)))
    return {no: tuple(of_round) for no, of_round in found.items()}


def _dialect(session: Session) -> str:
    return session.get_bind().dialect.name


def _pieces(said: str, start: str, stop: str) -> tuple[Piece, ...]:
    cut: Sequence[str] = re.split(f"{start}|{stop}", said)
    return tuple(Piece(part, bool(n % 2)) for n, part in enumerate(cut) if part)
