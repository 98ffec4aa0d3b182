"""Attempts at one card as its page shows them: all levels, two side by side, and the change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from interviewer.review.attempts import Pair, PartChange
from interviewer.review.rates import change
from interviewer.store import Graded
from questions.model import QuestionCard
from rubrics.scorecard import Score
from web.views.filters import Choice, choice
from web.views.parts import LABELS, LEVELS
from web.views.side_by_side import Cell
from web.views.text import day_words


@dataclass(frozen=True, slots=True)
class Try:
    """One attempt; `levels` are of the four parts in order, and of the whole."""

    id: str
    at: datetime
    number: int
    levels: tuple[int | None, ...]
    seq: int
    """Of the event that holds the scorecard."""


@dataclass(frozen=True, slots=True)
class PartLine:
    """One part in both attempts, with its change over all of them."""

    label: str
    before: Cell
    after: Cell
    pairs: tuple[Pair, ...]
    gained: tuple[str, ...]
    lost: tuple[str, ...]
    change: str


@dataclass(frozen=True, slots=True)
class Attempts:
    """The page. `lines` is empty where there are no two attempts to compare."""

    card: QuestionCard
    tries: tuple[Try, ...]
    scorer: str
    rubric: str
    by: Choice
    a: Choice
    b: Choice
    lines: tuple[PartLine, ...]
    labels: tuple[str, ...] = (*LABELS.values(), "Overall")


Identity = tuple[str, str, str]
"""Scorer, rubric, rubric hash."""


def identities(graded: Sequence[Graded]) -> list[Identity]:
    """Who scored these attempts with which rubric: most with a level first, then the newest."""
    last = {_identity(row): number for number, row in enumerate(graded)}
    rounds = {
        key: len({row.round_id for row in graded if row.level and _identity(row) == key})
        for key in last
    }
    return sorted(last, key=lambda key: (-rounds[key], -last[key]))


def key_of(identity: Identity) -> str:
    """An identity in a URL."""
    return f"{identity[0]} {identity[2]}"


def tries_of(graded: Sequence[Graded], identity: Identity) -> tuple[Try, ...]:
    """The attempts that one scorer read with one rubric, the oldest first."""
    mine = [row for row in graded if _identity(row) == identity]
    rounds = {row.round_id: row for row in mine}
    names = (*(part.value for part in LABELS), "overall")
    levels = {(row.round_id, row.part): row.level for row in mine}
    return tuple(
        Try(
            row.round_id,
            row.at,
            n,
            tuple(levels.get((row.round_id, name)) for name in names),
            row.seq,
        )
        for n, row in enumerate(rounds.values(), start=1)
    )


def attempts_of(
    card: QuestionCard,
    known: Sequence[Identity],
    identity: Identity,
    tries: tuple[Try, ...],
    chosen: tuple[str, str],
    changes: Sequence[PartChange],
) -> Attempts:
    """The page for two chosen attempts."""
    options = [(one.id, f"{one.number}: {day_words(one.at)}") for one in tries]
    return Attempts(
        card=card,
        tries=tries,
        scorer=identity[0],
        rubric=f"{identity[1]} {identity[2]}",
        by=choice(
            "by",
            "Scored by",
            [(key_of(one), f"{one[0]}, rubric {one[1]} {one[2]}") for one in known],
            key_of(identity),
        ),
        a=choice("a", "Earlier", options, chosen[0]),
        b=choice("b", "Later", options, chosen[1]),
        lines=tuple(_line(one, tries) for one in changes),
    )


def _identity(row: Graded) -> Identity:
    return row.scorer, row.rubric, row.rubric_hash


def _line(one: PartChange, tries: Sequence[Try]) -> PartLine:
    place = list(LABELS).index(one.part)
    levels = [level for level in (attempt.levels[place] for attempt in tries) if level is not None]
    return PartLine(
        LABELS[one.part],
        _cell(one.before),
        _cell(one.after),
        one.pairs,
        one.gained,
        one.lost,
        change(levels).words,
    )


def _cell(score: Score | None) -> Cell:
    if score is None:
        return Cell(None, "not on this scorecard", "", ())
    words = LEVELS[score.level] if score.level else score.state.replace("_", " ")
    return Cell(score.level, words, score.reason, ())
