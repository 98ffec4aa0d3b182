"""The page of drills: which there are, for which cards, and what is chosen."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from interviewer.beginning import offered
from interviewer.drills import DRILLS, Drill
from interviewer.events import DrillName, RoundStarted
from interviewer.reckoning.draw import pool_of
from questions.library import Library
from questions.model import QuestionCard
from web.views.parts import part_label
from web.views.text import minutes


@dataclass(frozen=True, slots=True)
class DrillChoice:
    """A drill as the page offers it; `time` is for each reply."""

    name: str
    label: str
    about: str
    time: str


@dataclass(frozen=True, slots=True)
class DrillPage:
    """What the page shows. Without a card, any that offers the drill may come."""

    drills: tuple[DrillChoice, ...]
    chosen: str
    cards: tuple[QuestionCard, ...]
    card: QuestionCard | None
    fault: str


def drill_page(library: Library, card: str, drill: str, fault: str = "") -> DrillPage:
    """The page for an address; an unknown card or drill counts as none."""
    chosen = library.by_id.get(card)
    drills = choices_of(chosen)
    names = [choice.name for choice in drills]
    first = names[0] if names else ""
    return DrillPage(drills, drill if drill in names else first, library.cards, chosen, fault)


def choices_of(card: QuestionCard | None) -> tuple[DrillChoice, ...]:
    """The drills that a card offers, or all that one can choose."""
    if card is not None:
        return tuple(_choice(drill) for drill in offered(card))
    return tuple(_choice(drill) for drill in DRILLS.values() if drill.name != "again")


def _choice(drill: Drill) -> DrillChoice:
    return DrillChoice(drill.name, drill.label, drill.about, minutes(drill.limit_s or 0))


def least_practised(
    cards: Sequence[QuestionCard], tries: Mapping[str, int], drill: DrillName
) -> QuestionCard | None:
    """The card that offers a drill and was tried least; of equal ones that with most numbers."""
    able = [card for card in cards if DRILLS[drill] in offered(card)]
    variety = {card.id: len(pool_of(card)) if drill == "number" else 0 for card in able}
    return min(able, key=lambda card: (tries.get(card.id, 0), -variety[card.id]), default=None)


def drill_label(started: RoundStarted | None) -> str:
    """What a short round is called; empty for a whole one."""
    if started is None or started.drill is None:
        return part_label(started.part if started else None)
    label = DRILLS[started.drill].label
    again = started.drill == "again" and started.part
    return f"{label}: {part_label(started.part).lower()}" if again else label
