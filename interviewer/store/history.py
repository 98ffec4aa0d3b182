"""Reads the rounds as lists show them: by filter and by words, the newest first."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Literal, Self

from sqlalchemy import ColumnElement, exists, func
from sqlmodel import Session, col, select

from interviewer.store.read_models import OVERALL
from interviewer.store.search import Hit, hits, query_of, rounds_with
from interviewer.store.tables import RoundRow, ScoreRow

Mode = Literal["typed", "spoken", "drill"]
COUNTED = 100
"""Rounds with the words up to which they are counted wherever the search stops."""
NEWEST_FIRST = (col(RoundRow.at).desc(), col(RoundRow.no).desc())


@dataclass(frozen=True, slots=True)
class RoundSummary:
    """A line of the list of rounds; `at` is its start, `last_type` the type of its newest event."""

    id: str
    card: str
    title: str
    question: str
    part: str
    """The drilled part; empty for a whole round."""
    at: datetime
    last_at: datetime
    events: int
    last_type: str
    ended: bool
    scored: bool
    overall: int | None
    """Of the newest scorecard; None where there is none, or nothing was assessed."""
    marks: int = 0
    """Turns with a bookmark or a note."""

    @classmethod
    def of(cls, row: RoundRow) -> Self:
        """The line of a row."""
        return cls(
            id=row.id,
            card=row.card,
            title=row.title,
            question=row.question,
            part=row.part,
            at=datetime.fromisoformat(row.at),
            last_at=datetime.fromisoformat(row.last_at),
            events=row.events,
            last_type=row.last_type,
            ended=row.ended != "",
            scored=row.scorecards > 0,
            overall=row.overall,
            marks=row.marks,
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """What rounds to find; an empty field asks for any."""

    words: str = ""
    cards: frozenset[str] | None = None
    """Ids; None for any card, and an empty set for none."""
    part: str = ""
    """With a level: of this part, otherwise of the whole. Alone: rounds that assess this part."""
    level: int | None = None
    scorer: str = ""
    since: str = ""
    until: str = ""
    """First and last day, as 2026-11-29."""
    mode: Mode | Literal[""] = ""
    marked: bool = False
    """Only rounds with a bookmark or a note."""


@dataclass(frozen=True, slots=True)
class Match:
    """A found round, with some of the turns that hold the words."""

    round: RoundSummary
    hits: tuple[Hit, ...] = ()


@dataclass(frozen=True, slots=True)
class Found:
    """A page of the rounds found, and how many there are on all pages."""

    total: int
    matches: tuple[Match, ...]
    more: bool = False
    """Whether the search stopped at `total`, and there may be more."""


def newest(session: Session, limit: int, offset: int) -> list[RoundSummary]:
    """Rounds, the newest first."""
    query = select(RoundRow).order_by(*NEWEST_FIRST).limit(limit).offset(offset)
    return [RoundSummary.of(row) for row in session.exec(query)]


def find(session: Session, wanted: Wanted, limit: int, offset: int) -> Found:
    """The rounds that pass, the newest first."""
    in_order = select(RoundRow.no).where(*_conditions(wanted)).order_by(*NEWEST_FIRST)
    numbers, more = list(session.exec(in_order)), False
    query = query_of(session, wanted.words) if wanted.words else ""
    if wanted.words:
        enough = max(offset + limit, COUNTED) + 1
        numbers, more = rounds_with(session, query, numbers, enough)
    page = numbers[offset : offset + limit]
    on_page = select(RoundRow).where(col(RoundRow.no).in_(page))
    shown = hits(session, query, page) if query else {}
    matches = tuple(
        Match(RoundSummary.of(row), shown.get(row.no, ()))
        for row in session.exec(on_page.order_by(*NEWEST_FIRST))
    )
    return Found(len(numbers), matches, more)


def tries(session: Session) -> dict[str, int]:
    """How many rounds there are on each card."""
    query = select(RoundRow.card, func.count()).group_by(RoundRow.card)
    return {card: count for card, count in session.exec(query)}


def scorers(session: Session) -> list[str]:
    """Every scorer with a scorecard, sorted."""
    return sorted(session.exec(select(ScoreRow.scorer).distinct()))


def _conditions(wanted: Wanted) -> list[ColumnElement[bool]]:
    modes = {
        "typed": [col(RoundRow.part) == "", col(RoundRow.spoken) == 0],
        "spoken": [col(RoundRow.spoken) > 0],
        "drill": [col(RoundRow.part) != ""],
    }
    made: list[Any] = [*modes.get(wanted.mode, [])]
    if wanted.cards is not None:
        made.append(col(RoundRow.card).in_(sorted(wanted.cards)))
    if wanted.since:
        made.append(col(RoundRow.at) >= wanted.since)
    if wanted.until:
        # A letter sorts after every hour of that day.
        made.append(col(RoundRow.at) < f"{wanted.until}Z")
    if wanted.marked:
        made.append(col(RoundRow.marks) > 0)
    if wanted.part or wanted.level or wanted.scorer:
        made.append(_scored(wanted))
    return made


def _scored(wanted: Wanted) -> ColumnElement[bool]:
    """Whether the round has a scorecard that fits; each condition holds on the same one."""
    of_round: Sequence[Any] = [
        col(ScoreRow.round_no) == col(RoundRow.no),
        col(ScoreRow.part) == (wanted.part or OVERALL),
    ]
    level = [col(ScoreRow.level) == wanted.level] if wanted.level else []
    assessed = [col(ScoreRow.level).is_not(None)] if wanted.part else []
    scorer = [col(ScoreRow.scorer) == wanted.scorer] if wanted.scorer else []
    return exists().where(*of_round, *level, *assessed, *scorer)
