"""When a part comes back: FSRS over the reviews, whose published intervals are the right values."""

from datetime import UTC, date, datetime, timedelta
from typing import Literal

import pytest

from interviewer.events import PartReviewed
from interviewer.schedule import RATINGS, Schedule

START = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)


def reviewed(
    rating: Literal[1, 2, 3, 4], day: int = 0, round_id: str = "", by: str = "rule/5"
) -> PartReviewed:
    return PartReviewed(
        round=round_id or f"r{day}",
        card="INF-010",
        part="tradeoff",
        rating=rating,
        answered_at=START + timedelta(days=day),
        by=by,
    )


def schedule(*reviews: PartReviewed) -> Schedule:
    made = Schedule()
    for review in reviews:
        made.note(review)
    return made


def days(made: Schedule) -> int:
    """Days from the last answer to the day on which the part comes back."""
    (item,) = made.items()
    return (item.due - item.last.answered_at).days


def test_a_part_that_was_always_solid_does_not_come_back() -> None:
    assert schedule(reviewed(3), reviewed(4, 5)).items() == []


@pytest.mark.parametrize("rating", [1, 2])
def test_a_part_that_was_not_solid_comes_back_the_next_day(rating: Literal[1, 2]) -> None:
    # The first stabilities of FSRS-6 are 0.212 and 1.2931 days; a review is at least a day away.
    assert days(schedule(reviewed(rating))) == 1


def test_the_distance_grows_each_time_it_goes_well() -> None:
    first = days(schedule(reviewed(1), reviewed(3, 1)))
    second = days(schedule(reviewed(1), reviewed(3, 1), reviewed(3, 1 + first)))
    assert 1 < first < second


def test_a_failure_brings_it_back_soon() -> None:
    good = (reviewed(1), reviewed(3, 1), reviewed(3, 3), reviewed(4, 9))
    assert days(schedule(*good)) > 20
    assert days(schedule(*good, reviewed(1, 36))) <= 3


def test_reviews_in_any_order_give_the_same_day() -> None:
    reviews = [reviewed(1), reviewed(3, 1), reviewed(2, 4)]
    assert schedule(*reviews).items() == schedule(*reviews[::-1]).items()


def test_the_persons_rating_takes_the_place_of_the_scores() -> None:
    own = reviewed(4, by="person")
    assert schedule(reviewed(1), own).items() == []
    late = schedule(reviewed(1), reviewed(1, 1), reviewed(4, 1, by="person"))
    assert days(late) == days(schedule(reviewed(1), reviewed(4, 1)))


def test_the_person_can_bring_a_solid_part_back() -> None:
    assert days(schedule(reviewed(3), reviewed(1, by="person"))) == 1


def test_what_is_due_counts_the_whole_day() -> None:
    made = schedule(reviewed(1))
    assert made.due(date(2026, 11, 29)) == []
    assert len(made.due(date(2026, 11, 30))) == 1
    assert len(made.due(date(2027, 1, 1))) == 1


def test_each_level_has_its_rating() -> None:
    assert RATINGS == {1: 1, 2: 2, 3: 3, 4: 4}
