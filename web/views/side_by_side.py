"""Scorecards of one round side by side: what each says of each part, and where they clash."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interviewer.session import RoundSession
from rubrics.dispute import disputes
from rubrics.model import Rubric
from rubrics.scorecard import Level, Scorecard
from web.views.drills import drill_label
from web.views.filters import Choice, choice
from web.views.parts import LABELS, LEVELS

MODEL = "model"
"""The scorer that stands for 'another model', which the person names."""


@dataclass(frozen=True, slots=True)
class Cell:
    """What one scorecard says of one part."""

    level: Level | None
    words: str
    why: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """One part, or the whole, on both scorecards."""

    label: str
    cells: tuple[Cell, ...]
    disputed: str = ""
    """Who gives which level, and why they may differ; empty where they are near."""


@dataclass(frozen=True, slots=True)
class Column:
    """A scorecard's identity; `number` is its place among the round's, from 1."""

    number: int
    scorer: str
    rubric: str
    overall: str


@dataclass(frozen=True, slots=True)
class SideBySide:
    """The page."""

    id: str
    card: str
    question: str
    drill: str
    all: tuple[Column, ...]
    shown: tuple[Column, ...]
    lines: tuple[Line, ...]
    pending: tuple[str, ...]
    scorers: Choice
    rubrics: Choice
    any_model: bool
    """Whether another model can be named."""


def side_by_side(
    session: RoundSession,
    rubrics: Mapping[str, Rubric],
    scorers: Sequence[str],
    chosen: tuple[int, int],
    *,
    any_model: bool,
) -> SideBySide:
    """The page of two of a round's scorecards, by number; 0 takes the newest of each scorer.

    `any_model` offers another model, which needs a judge's address.
    """
    cards, started = session.state.scorecards, session.state.started
    columns = tuple(_column(number, card) for number, card in enumerate(cards, start=1))
    first, second = _chosen(cards, *chosen)
    shown = (columns[first - 1],) if first == second else (columns[first - 1], columns[second - 1])
    return SideBySide(
        id=session.id,
        card=session.card.id,
        question=started.question if started else session.card.question,
        drill=drill_label(started),
        all=columns,
        shown=shown,
        lines=_lines([cards[column.number - 1] for column in shown]),
        pending=tuple(session.scoring_again),
        scorers=choice("scorer", "Scorer", scorers, ""),
        rubrics=choice(
            "rubric", "Rubric", [(r.id, r.title) for r in rubrics.values()], session.cast.rubric.id
        ),
        any_model=any_model,
    )


def _chosen(cards: tuple[Scorecard, ...], a: int, b: int) -> tuple[int, int]:
    last = len(cards)
    others = [n for n, card in enumerate(cards, start=1) if card.scorer != cards[-1].scorer]
    before = others[-1] if others else max(1, last - 1)
    return (a if 1 <= a <= last else before), (b if 1 <= b <= last else last)


def _column(number: int, card: Scorecard) -> Column:
    overall = f"{card.overall}, {LEVELS[card.overall]}" if card.overall else "not assessed"
    return Column(number, card.scorer, f"{card.rubric} {card.rubric_hash}", overall)


def _lines(cards: list[Scorecard]) -> tuple[Line, ...]:
    clashes = {d.part: d.words for d in disputes(*cards)} if len(cards) > 1 else {}
    return tuple(
        Line(
            label,
            tuple(_cell(card, part.value) for card in cards),
            clashes.get(part, ""),
        )
        for part, label in LABELS.items()
    )


def _cell(card: Scorecard, part: str) -> Cell:
    score = next((score for score in card.scores if score.part.value == part), None)
    if score is None:
        return Cell(None, "not on this scorecard", "", ())
    words = LEVELS[score.level] if score.level else score.state.replace("_", " ")
    quotes = tuple(evidence.quote for evidence in score.evidence)
    return Cell(score.level, words, score.reason, quotes)
