"""What comes back, and when, as the pages show it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime

from interviewer.schedule import Item
from questions.library import Library
from web.views.parts import part_label

RATINGS = {1: "Again", 2: "Hard", 3: "Good", 4: "Easy"}
DRILLED = frozenset({"claim", "tradeoff", "nextstep"})
"""Parts with a drill of their own name; the number is asked for as the part that it is."""


@dataclass(frozen=True, slots=True)
class Rating:
    """A rating as a button offers it."""

    value: int
    label: str
    chosen: bool


@dataclass(frozen=True, slots=True)
class DueItem:
    """A part of a card that comes back."""

    card: str
    title: str
    part: str
    label: str
    drill: bool
    """Whether it is started as a drill of the part's name."""
    due: datetime
    today: bool
    reviews: int
    rating: str
    by_person: bool
    round_id: str
    ratings: tuple[Rating, ...]


def due_items(items: Iterable[Item], library: Library, today: date) -> tuple[DueItem, ...]:
    """The items whose card is still there."""
    return tuple(
        _item(item, library.by_id[item.card].title, today)
        for item in items
        if item.card in library.by_id
    )


def _item(item: Item, title: str, today: date) -> DueItem:
    last = item.last
    return DueItem(
        card=item.card,
        title=title,
        part=item.part,
        label=part_label(item.part),
        drill=item.part in DRILLED,
        due=item.due,
        today=item.due.date() <= today,
        reviews=len(item.reviews),
        rating=RATINGS[last.rating].lower(),
        by_person=last.by == "person",
        round_id=last.round,
        ratings=tuple(Rating(n, label, n == last.rating) for n, label in RATINGS.items()),
    )
