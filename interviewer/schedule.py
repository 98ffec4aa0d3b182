"""When a part of a card comes back: every review kept, and FSRS run over them. Pure."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from functools import cache
from typing import TYPE_CHECKING, Literal

from interviewer.events import PartName, PartReviewed
from rubrics.scorecard import Level

if TYPE_CHECKING:
    from fsrs import Scheduler

Rated = Literal[1, 2, 3, 4]
NOT_SOLID = 2
"""The best rating of a part that enters the schedule."""
RATINGS: Mapping[Level, Rated] = {1: 1, 2: 2, 3: 3, 4: 4}
"""Poor is forgotten, borderline is hard, solid is good, outstanding is easy."""
Key = tuple[str, PartName]


@dataclass(frozen=True, slots=True)
class Item:
    """A part of a card that comes back, with its reviews in the order of the answers."""

    card: str
    part: PartName
    reviews: tuple[PartReviewed, ...]
    due: datetime

    @property
    def last(self) -> PartReviewed:
        """The newest review."""
        return self.reviews[-1]


@dataclass(slots=True)
class Schedule:
    """The reviews so far, by part and round; a later one of the same round counts alone."""

    _reviews: dict[Key, dict[str, PartReviewed]] = field(default_factory=dict)
    _items: dict[Key, Item | None] = field(default_factory=dict)

    def note(self, review: PartReviewed) -> None:
        """Take one more review in."""
        key = (review.card, review.part)
        self._reviews.setdefault(key, {})[review.round] = review
        self._items.pop(key, None)

    def of_round(self, round_id: str, part: PartName) -> PartReviewed | None:
        """The review of a part that counts for a round."""
        found = (
            reviews.get(round_id) for (_, name), reviews in self._reviews.items() if name == part
        )
        return next((review for review in found if review is not None), None)

    def items(self) -> list[Item]:
        """Everything that comes back, the soonest first."""
        return sorted(self._all(), key=lambda item: (item.due, item.card, item.part))

    def due(self, today: date) -> list[Item]:
        """What is due on this day or was due before."""
        return [item for item in self.items() if item.due.date() <= today]

    def _all(self) -> Iterator[Item]:
        for key, reviews in self._reviews.items():
            if key not in self._items:
                self._items[key] = _item(key, reviews.values())
            if (item := self._items[key]) is not None:
                yield item


def _item(key: Key, reviews: Iterable[PartReviewed]) -> Item | None:
    """None as long as the part was solid whenever it came."""
    from fsrs import Card, Rating

    counted = sorted(reviews, key=lambda review: review.answered_at)
    first = next((at for at, found in enumerate(counted) if found.rating <= NOT_SOLID), None)
    if first is None:
        return None
    counted = counted[first:]
    state = Card(card_id=0, due=counted[0].answered_at)
    for review in counted:
        state, _ = _scheduler().review_card(state, Rating(review.rating), review.answered_at)
    return Item(*key, reviews=tuple(counted), due=state.due)


@cache
def _scheduler() -> "Scheduler":
    """FSRS with its published weights, whole days, and nothing left to chance."""
    from fsrs import Scheduler

    return Scheduler(learning_steps=(), relearning_steps=(), enable_fuzzing=False)
