"""Rounds as lists show them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from interviewer.store import RoundSummary
from web.views.parts import part_label


@dataclass(frozen=True, slots=True)
class RoundItem:
    """A line of a list of rounds; `part` is the drilled part's name, or empty."""

    id: str
    card: str
    title: str
    at: datetime
    part: str
    scored: bool
    state: str
    marks: int = 0
    """Turns with a bookmark or a note."""


def listed(summaries: Iterable[RoundSummary]) -> tuple[RoundItem, ...]:
    """The rounds in the order given."""
    return tuple(item_of(summary) for summary in summaries)


def item_of(summary: RoundSummary) -> RoundItem:
    """One round."""
    return RoundItem(
        id=summary.id,
        card=summary.card,
        title=summary.question,
        at=summary.at,
        part=part_label(summary.part),
        scored=summary.scored,
        state=_state(summary),
        marks=summary.marks,
    )


def _state(summary: RoundSummary) -> str:
    if summary.scored:
        return f"{summary.overall} of 4" if summary.overall else "not assessed"
    return "being scored" if summary.ended else "not finished"
