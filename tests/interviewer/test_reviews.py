"""Scorecards become reviews, each kept once, and a correction is kept beside what it corrects."""

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from interviewer.errors import StoreUnavailable, UnknownReview
from interviewer.events import PartReviewed, Recorded, RoundEnded, RoundScored
from interviewer.migrations import migrate
from interviewer.reviews import AT_ONCE, Reviews
from interviewer.store import EventStore
from tests.interviewer.scenes import asked, said, scored
from tests.web.scored import started

DAY = timedelta(days=1)


class Clock:
    def __init__(self) -> None:
        self.at = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.at


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[EventStore]:
    url = f"sqlite:///{tmp_path}/viva.db"
    migrate(url)
    opened = EventStore(url)
    yield opened
    opened.close()


@pytest.fixture
def clock() -> Clock:
    return Clock()


async def play(store: EventStore, clock: Clock, round_id: str, **how: Any) -> None:
    """A round on INF-001 with a scorecard in which only the trade-off is weak."""
    levels = how.pop("levels", {"tradeoff": 1})
    scorecard = RoundScored(scorecard=scored(levels))
    events = (
        started(**how),
        asked(),
        said("Twenty users fit."),
        RoundEnded(reason="left"),
        scorecard,
    )
    await store.append(round_id, 1, *events, at=clock())


async def kept(store: EventStore) -> list[PartReviewed]:
    return [review for _, _, review in await store.of_type(PartReviewed)]


async def test_a_weak_part_is_due_the_day_after(store: EventStore, clock: Clock) -> None:
    reviews = Reviews(store, clock)
    await play(store, clock, "r1")
    assert await reviews.due() == []
    clock.at += DAY
    assert [(item.card, item.part) for item in await reviews.due()] == [("INF-001", "tradeoff")]


async def test_each_scorecard_is_taken_in_once(store: EventStore, clock: Clock) -> None:
    reviews = Reviews(store, clock)
    await play(store, clock, "r1")
    for _ in range(3):
        await reviews.items()
    await Reviews(store, clock).items()
    assert len(await kept(store)) == 4


async def test_another_process_finds_what_was_reviewed(store: EventStore, clock: Clock) -> None:
    await play(store, clock, "r1")
    before = await Reviews(store, clock).items()
    assert await Reviews(store, clock).items() == before != []


async def test_a_round_scored_later_is_seen_at_the_next_look(
    store: EventStore, clock: Clock
) -> None:
    reviews = Reviews(store, clock)
    await reviews.items()
    clock.at += DAY
    await play(store, clock, "r1")
    assert len(await reviews.items()) == 1


async def test_a_correction_is_kept_beside_the_scores_rating(
    store: EventStore, clock: Clock
) -> None:
    reviews = Reviews(store, clock)
    await play(store, clock, "r1")
    await reviews.items()
    await reviews.correct("r1", "tradeoff", 4)
    assert await reviews.items() == []
    assert await Reviews(store, clock).items() == []
    tradeoff = [review for review in await kept(store) if review.part == "tradeoff"]
    assert [(review.rating, review.by) for review in tradeoff] == [(1, "rule/5"), (4, "person")]


async def test_a_correction_before_the_first_look_is_taken(store: EventStore, clock: Clock) -> None:
    await play(store, clock, "r1")
    await Reviews(store, clock).correct("r1", "claim", 1)
    assert len(await Reviews(store, clock).items()) == 2


async def test_a_rating_of_nothing_is_refused(store: EventStore, clock: Clock) -> None:
    with pytest.raises(UnknownReview, match="no review of its claim"):
        await Reviews(store, clock).correct("nope", "claim", 1)


@pytest.mark.parametrize("drill", ["number", "followups", "curveball"])
async def test_a_drill_of_something_else_does_not_count(
    store: EventStore, clock: Clock, drill: str
) -> None:
    await play(store, clock, "r1", drill=drill)
    assert await Reviews(store, clock).items() == []


async def test_a_long_history_is_taken_in_by_and_by(store: EventStore, clock: Clock) -> None:
    for n in range(AT_ONCE + 10):
        await play(store, clock, f"r{n:03}")
    reviews = Reviews(store, clock)
    await reviews.items()
    assert len(await kept(store)) == 4 * AT_ONCE
    await reviews.items()
    assert len(await kept(store)) == 4 * (AT_ONCE + 10)


async def test_what_a_full_disk_refused_is_taken_in_at_the_next_look(
    store: EventStore, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refused(*_: object, **__: object) -> list[Recorded]:
        raise StoreUnavailable("the disk is full")

    await play(store, clock, "r1")
    reviews = Reviews(store, clock)
    with monkeypatch.context() as full:
        full.setattr(store, "append", refused)
        assert await reviews.items() == []
    assert len(await reviews.items()) == 1
