"""What follows from the log, in tables to look things up in: rounds, turns and scores.

Each event says what it changes; the writer runs that in the event's own transaction (SQLite's turns
a moment later, before any search), and `rebuild` runs it over the whole log.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from hashlib import blake2b
from typing import Any

from sqlalchemy import Connection, Dialect, delete, text
from sqlalchemy.engine.interfaces import DBAPICursor
from sqlmodel import col, select

from interviewer.events import (
    EVENT,
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    Recorded,
    RoundEnded,
    RoundScored,
    RoundStarted,
    SpeechInterrupted,
    TurnMarked,
)
from interviewer.store.statements import Statement, compiled, insert_unless_there
from interviewer.store.tables import TURNS, EventRow, RoundRow, ScoreRow, TurnRow
from rubrics.scorecard import Scorecard

Change = tuple[str, Mapping[str, Any]]
"""The name of a statement and its values."""
OVERALL = "overall"
LONGEST_NAME = 180
"""Characters of a scorer, a rubric or a card."""


def stamp(at: datetime) -> str:
    """A moment as the tables hold it."""
    return at.astimezone(UTC).isoformat(timespec="microseconds")


def changes(round_id: str, item: Recorded) -> list[Change]:
    """What an event changes, in order."""
    event, at = item.event, stamp(item.at)
    key = {"in_round": round_id, "at_seq": item.seq, "per_round": TURNS}
    made = _own_changes(event, key, at)
    spoken = isinstance(event, CandidateSpoke) and event.mode == "spoken"
    touched = {
        "last_at": at,
        "last_type": event.type,
        "more_turns": int(isinstance(event, InterviewerSpoke | CandidateSpoke | SpeechInterrupted)),
        "more_answers": int(isinstance(event, CandidateSpoke)),
        "more_spoken": int(spoken),
        "why_ended": event.reason if isinstance(event, RoundEnded) else "",
    }
    return [*made, ("touch", key | touched)]


def _own_changes(event: Event, key: dict[str, Any], at: str) -> list[Change]:
    match event:
        case RoundStarted():
            return [("start", _started(event, key, at))]
        case InterviewerSpoke() | SpeechInterrupted():
            return [("turn", key | {"said": _storable(event.text), "who": "interviewer"})]
        case CandidateSpoke():
            return [("turn", key | {"said": _storable(event.text), "who": "candidate"})]
        case RoundScored(text="sent"):
            return _scored(event.scorecard, key)
        case TurnMarked():
            marked = {
                "number": event.turn,
                "is_marked": int(event.bookmarked),
                "noted": _storable(event.note),
            }
            return [("mark", key | marked), ("marks", key)]
    return []


def _started(event: RoundStarted, key: dict[str, Any], at: str) -> dict[str, Any]:
    return {
        "id": key["in_round"],
        "at": at,
        "last_at": at,
        "events": key["at_seq"],
        "last_type": event.type,
        "card": _name(event.card),
        "title": _storable(event.title),
        "question": _storable(event.question),
        "kind": _storable(event.kind),
        "part": event.part or event.drill or "",
        "interviewer": _storable(event.interviewer),
        **dict.fromkeys(("turns", "answers", "spoken", "marks", "scorecards"), 0),
        "ended": "",
        "overall": None,
    }


def _scored(scorecard: Scorecard, key: dict[str, Any]) -> list[Change]:
    identity = key | {
        "by": _name(scorecard.scorer),
        "sheet": _name(scorecard.rubric),
        "sheet_hash": _name(scorecard.rubric_hash),
    }
    levels = {score.part.value: score.level for score in scorecard.scores}
    levels[OVERALL] = scorecard.overall
    rows = [("score", identity | {"of": part, "found": found}) for part, found in levels.items()]
    return [("supersede", identity), *rows, ("scored", identity | {"found": scorecard.overall})]


def _name(text: str) -> str:
    """A name that an index can hold: PostgreSQL refuses a row of more than 2,704 bytes.

    A longer one ends in its digest, so that no two become the same.
    """
    text = _storable(text)
    if len(text) <= LONGEST_NAME:
        return text
    digest = blake2b(text.encode(), digest_size=8).hexdigest()
    return f"{text[: LONGEST_NAME - len(digest) - 1]}…{digest}"


def _storable(text: str) -> str:
    """PostgreSQL takes no NUL in a text, and a read model need not hold one."""
    return text.replace("\0", "\ufffd")


SQL = {
    "turn": """
        INSERT INTO turn (id, seq, speaker, text, bookmarked, note)
        SELECT 1 + coalesce(
            (SELECT max(turn.id) FROM turn WHERE turn.id > CAST(round.no AS BIGINT) * :per_round
               AND turn.id < (CAST(round.no AS BIGINT) + 1) * :per_round),
            CAST(round.no AS BIGINT) * :per_round),
          :at_seq, :who, :said, 0, ''
        FROM round WHERE id = :in_round""",
    "touch": """
        UPDATE round SET last_at = :last_at, events = :at_seq, last_type = :last_type,
          turns = turns + :more_turns, answers = answers + :more_answers,
          spoken = spoken + :more_spoken,
          ended = CASE WHEN ended = '' THEN :why_ended ELSE ended END
        WHERE id = :in_round""",
    "supersede": """
        UPDATE score SET newest = 0 WHERE scorer = :by AND rubric_hash = :sheet_hash
          AND round_no = (SELECT no FROM round WHERE id = :in_round)""",
    "score": """
        INSERT INTO score
          (round_no, seq, part, level, scorer, rubric, rubric_hash, card, day, drill, newest)
        SELECT no, :at_seq, :of, CAST(:found AS INTEGER), :by, :sheet, :sheet_hash,
          card, substr(at, 1, 10), part, 1
        FROM round WHERE id = :in_round""",
    "scored": """
        UPDATE round SET scorecards = scorecards + 1, overall = CAST(:found AS INTEGER)
        WHERE id = :in_round""",
    "mark": """
        UPDATE turn SET bookmarked = :is_marked, note = :noted
        WHERE id = (SELECT CAST(no AS BIGINT) * :per_round + :number FROM round
                    WHERE id = :in_round)""",
    "marks": """
        UPDATE round SET marks = (SELECT count(*) FROM turn
          WHERE turn.id > CAST(round.no AS BIGINT) * :per_round
            AND turn.id < (CAST(round.no AS BIGINT) + 1) * :per_round
            AND (bookmarked = 1 OR note <> ''))
        WHERE id = :in_round""",
}
"""One statement each, in the words that SQLite and PostgreSQL share."""


INDEX_DUE = (
    """INSERT INTO turn_words (rowid, text, note)
         SELECT id, text, note FROM turn WHERE id IN (SELECT id FROM turn_words_due)""",
    "DELETE FROM turn_words_due",
)
"""SQLite: what brings the index of words up to the turns, in the transaction that writes them."""
PUT_OFF = frozenset({"turn"})
"""SQLite: what the writer runs when it has nothing else to do. Turns serve the search alone; with
them and their words the commit that a person waits for writes 12 pages, without them 4.
"""
NEEDS_TURNS = frozenset({"mark"})
"""What changes the turns before it, so that none may still be put off."""

BEHIND = """
    SELECT id, (SELECT coalesce(max(seq), 0) FROM turn
      WHERE turn.id > no * :per_round AND turn.id < (no + 1) * :per_round)
    FROM round WHERE turns > 0
      AND NOT EXISTS (SELECT 1 FROM turn WHERE turn.id = no * :per_round + turns)"""
SPOKEN = """
    SELECT seq, at, body FROM event WHERE round_id = :id AND seq > :after
      AND type IN ('InterviewerSpoke', 'CandidateSpoke', 'SpeechInterrupted') ORDER BY seq"""
"""SQLite: rounds without their newest turn, with the place in the log of the last that they have;
what was said in one of them since.
"""

PACK = (
    "CREATE TEMPORARY TABLE packed ON COMMIT DROP AS SELECT * FROM round ORDER BY no",
    "TRUNCATE round",
    "INSERT INTO round SELECT * FROM packed",
    "DROP TABLE packed",
    "ANALYZE round, turn, score",
)
"""PostgreSQL keeps each version of a row until a vacuum: a replay leaves forty of each round, and
statistics that its planner can know nothing by.
"""


def statements(dialect: Dialect) -> dict[str, Statement]:
    """Every statement that an event may need, by name."""
    made = {name: compiled(text(sql), dialect) for name, sql in SQL.items()}
    made["event"] = insert_unless_there(EventRow, list(EventRow.model_fields), dialect)
    columns = [name for name in RoundRow.model_fields if name != "no"]
    made["start"] = insert_unless_there(RoundRow, columns, dialect)
    return made


def rebuild(connection: Connection) -> None:
    """Make the read models anew from the log, round by round in the order of their start."""
    connection.execute(delete(ScoreRow))
    with _words_at_once(connection):
        connection.execute(delete(TurnRow))
        connection.execute(delete(RoundRow))
        _replay_all(connection)
    if connection.dialect.name == "postgresql":
        for statement in PACK:
            connection.exec_driver_sql(statement)


@contextmanager
def _words_at_once(connection: Connection) -> Iterator[None]:
    """SQLite indexes all words at the end in a tenth of the time that turn by turn takes."""
    if connection.dialect.name != "sqlite":
        yield
        return
    found = "SELECT name, sql FROM sqlite_master WHERE type = 'trigger' AND tbl_name = 'turn'"
    triggers = connection.execute(text(found)).all()
    for name, _ in triggers:
        connection.exec_driver_sql(f"DROP TRIGGER {name}")
    yield
    for _, sql in triggers:
        connection.exec_driver_sql(sql)
    connection.exec_driver_sql("INSERT INTO turn_words(turn_words) VALUES ('rebuild')")
    connection.exec_driver_sql("DELETE FROM turn_words_due")


def _replay_all(connection: Connection) -> None:
    run = statements(connection.dialect)
    cursor = connection.connection.cursor()
    begins = (col(EventRow.seq) == 1, col(EventRow.type) == "RoundStarted")
    starts = select(EventRow.round_id).where(*begins).order_by(col(EventRow.at))
    for round_id in connection.execute(starts).scalars().all():
        for change, values in _replayed(connection, round_id):
            run[change].run(cursor, values)
    cursor.close()


def _replayed(connection: Connection, round_id: str) -> Iterator[Change]:
    log = select(EventRow.seq, EventRow.at, EventRow.body).where(EventRow.round_id == round_id)
    for row in connection.execute(log.order_by(col(EventRow.seq))).all():
        yield from _again(round_id, *row)


def put_off(cursor: DBAPICursor) -> list[Change]:
    """SQLite: what the log says of turns that are not there yet, as a crash leaves it."""
    found: list[Change] = []
    for round_id, after in cursor.execute(BEHIND, {"per_round": TURNS}).fetchall():
        for row in cursor.execute(SPOKEN, {"id": round_id, "after": after}).fetchall():
            # An event that cannot be read has no words; it must not keep other rounds from theirs.
            with suppress(ValueError):
                found += [change for change in _again(round_id, *row) if change[0] in PUT_OFF]
    return found


def words_are_due(cursor: DBAPICursor) -> bool:
    """SQLite: whether there are turns without their words in the index, as a crash of an older Viva
    leaves them, which wrote the turns first.
    """
    return bool(cursor.execute("SELECT EXISTS (SELECT 1 FROM turn_words_due)").fetchone()[0])


def _again(round_id: str, seq: int, at: str, body: str) -> list[Change]:
    moment, event = datetime.fromisoformat(at), EVENT.validate_json(body)
    return changes(round_id, Recorded(seq=seq, at=moment, event=event))
