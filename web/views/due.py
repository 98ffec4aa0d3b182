"""What comes back, and when, as the pages show it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime

from interviewer.schedule import Item
from questions.library import Library
from rubrics.scorecard import Part
from web.views.parts import part_label

PER_PAGE = 25
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


@dataclass(frozen=True, slots=True)
class DuePage:
    """A page of what comes back, the soonest first; `due` and `later` count all pages."""

    today: tuple[DueItem, ...]
    """Those of this page that are due."""
    ahead: tuple[DueItem, ...]
    """Those of this page that come back later."""
    due: int
    later: int
    page: int
    pages: int


def due_page(
    items: Iterable[Item], library: Library, today: date, page: int = 1, per_page: int = PER_PAGE
) -> DuePage:
    """The items whose card is still there, soonest first; a page past the end is the last one."""
    kept = [item for item in items if item.card in library.by_id]
    due = sum(_is_due(item, today) for item in kept)
    pages = max(1, -(-len(kept) // per_page))
    page = min(page, pages)
    shown = kept[per_page * (page - 1) : per_page * page]
    return DuePage(
        today=_shown([item for item in shown if _is_due(item, today)], library, today),
        ahead=_shown([item for item in shown if not _is_due(item, today)], library, today),
        due=due,
        later=len(kept) - due,
        page=page,
        pages=pages,
    )


def rated_words(items: Iterable[Item], rated: str) -> str:
    """When the part of a card that was just rated comes back; '' for none, or one not known."""
    card, _, part = rated.rpartition(" ")
    if not card or part not in set(Part):
        return ""
    name = f"{card}, {part_label(part).lower()}"
    item = next((item for item in items if (item.card, item.part) == (card, part)), None)
    if item is None:
        return f"{name}: it was solid whenever it came, and does not come back."
    due = f"{item.due.day} {item.due:%B %Y}"
    return f"{name}: rated {RATINGS[item.last.rating].lower()}, comes back {due}."


def _is_due(item: Item, today: date) -> bool:
    return item.due.date() <= today


def _shown(items: Sequence[Item], library: Library, today: date) -> tuple[DueItem, ...]:
    return tuple(_item(item, library.by_id[item.card].title, today) for item in items)


def _item(item: Item, title: str, today: date) -> DueItem:
    last = item.last
    return DueItem(
        card=item.card,
        title=title,
        part=item.part,
        label=part_label(item.part),
        drill=item.part in DRILLED,
        due=item.due,
        today=_is_due(item, today),
        reviews=len(item.reviews),
        rating=RATINGS[last.rating].lower(),
        by_person=last.by == "person",
        round_id=last.round,
        ratings=tuple(Rating(n, label, n == last.rating) for n, label in RATINGS.items()),
    )
