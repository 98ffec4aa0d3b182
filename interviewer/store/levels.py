"""Counts levels: by whom, with which rubric, on which card and day. Never over two of either."""

from dataclasses import dataclass
from datetime import date, datetime

from sqlalchemy import text
from sqlmodel import Session

from rubrics.scorecard import SOLID

LAST = """
    SELECT card, part, level, scorer FROM (
      SELECT round.card AS card, score.part AS part, level, scorer, row_number() OVER (
        PARTITION BY round.card, score.part
        ORDER BY round.at DESC, round.no DESC, score.seq DESC) AS place
      FROM score JOIN round ON round.no = score.round_no
      WHERE level IS NOT NULL AND score.part <> 'overall') AS ranked
    WHERE place = 1 ORDER BY card, part"""
IDENTITIES = """
    SELECT * FROM (
      SELECT scorer, max(rubric) AS rubric, rubric_hash, count(*) AS rounds, max(day) AS last_day
      FROM score WHERE part = 'overall' AND newest = 1 GROUP BY scorer, rubric_hash) AS known
    WHERE EXISTS (SELECT 1 FROM score WHERE score.scorer = known.scorer
      AND score.rubric_hash = known.rubric_hash AND part <> 'overall' AND newest = 1
      AND level IS NOT NULL)
    ORDER BY last_day DESC, scorer, rubric_hash"""
TALLY = """
    SELECT part, {key}, count(*) AS assessed,
      sum(CASE WHEN level >= :solid THEN 1 ELSE 0 END) AS solid
    FROM score
    WHERE scorer = :scorer AND rubric_hash = :rubric_hash AND newest = 1
      AND level IS NOT NULL AND part <> 'overall' AND (:drills = 1 OR drill = '')
    GROUP BY part, {key} ORDER BY {key}, part"""
BY_CARD, BY_DAY = TALLY.format(key="card"), TALLY.format(key="day")
ATTEMPTS = """
    SELECT round.id AS round_id, round.at AS at, seq, score.part AS part, level, scorer, rubric,
      rubric_hash
    FROM score JOIN round ON round.no = score.round_no
    WHERE round.card = :card AND round.part = '' AND newest = 1
    ORDER BY round.at, round.no, seq"""


@dataclass(frozen=True, slots=True)
class LastLevel:
    """What a part of a card got when it was last assessed."""

    card: str
    part: str
    level: int
    scorer: str


@dataclass(frozen=True, slots=True)
class Identity:
    """A scorer with a rubric, whose levels may be counted together, and how many rounds it read."""

    scorer: str
    rubric: str
    rubric_hash: str
    rounds: int
    last_day: date
    """On which the newest of them began."""


@dataclass(frozen=True, slots=True)
class Graded:
    """The level of one part, or of the whole, of an attempt at a card; None: not assessed."""

    round_id: str
    at: datetime
    seq: int
    """Of the event that holds the scorecard."""
    part: str
    level: int | None
    scorer: str
    rubric: str
    rubric_hash: str


@dataclass(frozen=True, slots=True)
class Tally:
    """How often a part was assessed on a card or a day, and how often it was solid or better."""

    part: str
    key: str
    assessed: int
    solid: int


def last_levels(session: Session) -> list[LastLevel]:
    """The newest level of each part of each card, by whoever gave it."""
    return [LastLevel(*row) for row in session.connection().execute(text(LAST))]


def identities(session: Session) -> list[Identity]:
    """Every scorer that gave a level, with each of its rubrics, the one used last first."""
    rows = session.connection().execute(text(IDENTITIES))
    return [
        Identity(
            row.scorer, row.rubric, row.rubric_hash, row.rounds, date.fromisoformat(row.last_day)
        )
        for row in rows
    ]


def attempts(session: Session, card: str) -> list[Graded]:
    """All levels of the whole rounds on a card, the oldest first."""
    rows = session.connection().execute(text(ATTEMPTS), {"card": card}).mappings()
    return [Graded(**{**row, "at": datetime.fromisoformat(row["at"])}) for row in rows]


def tallies(
    session: Session, scorer: str, rubric_hash: str, *, drills: bool
) -> tuple[list[Tally], list[Tally]]:
    """By card and by day, of one scorer with one rubric; each round once, with its newest card."""
    given = {
        "scorer": scorer,
        "rubric_hash": rubric_hash,
        "drills": int(drills),
        "solid": SOLID,
    }
    by_card, by_day = (
        [Tally(*row) for row in session.connection().execute(text(sql), given)]
        for sql in (BY_CARD, BY_DAY)
    )
    return by_card, by_day
