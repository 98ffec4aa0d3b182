"""The schedule of this installation: turns new scorecards into reviews, takes corrections."""

import asyncio
import logging
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta

from interviewer.clock import utc_now
from interviewer.errors import ConcurrentWriter, StoreUnavailable, UnknownReview
from interviewer.events import DrillName, PartName, PartReviewed
from interviewer.round import Round, replay
from interviewer.schedule import RATINGS, Item, Rated, Schedule
from interviewer.store import EventStore

logger = logging.getLogger(__name__)

AT_ONCE = 50
"""Rounds that one look takes in, so that none of them is slow."""
UNDER_WAY = timedelta(minutes=1)
"""How long an event may take from its time to its commit."""
OTHER_SKILL: frozenset[DrillName] = frozenset({"number", "followups", "curveball"})
"""Drills whose answer is not the part of the question's own answer."""


class Reviews:
    """Follows the log. What was scored while nobody looked is taken in at the next look."""

    def __init__(self, store: EventStore, now: Callable[[], datetime] = utc_now) -> None:
        self._store = store
        self._now = now
        self._schedule = Schedule()
        self._lengths: dict[str, int] = {}
        """How many events there are in each log of reviews."""
        self._looked: set[str] = set()
        """Rounds that are in the schedule, or have nothing for it."""
        self._loaded = False
        self._since: datetime | None = None
        self._lock = asyncio.Lock()

    async def due(self) -> list[Item]:
        """What is due today or was due before, the longest due first."""
        await self._catch_up()
        return self._schedule.due(self._now().date())

    async def items(self) -> list[Item]:
        """Everything that comes back, the soonest first."""
        await self._catch_up()
        return self._schedule.items()

    async def correct(self, round_id: str, part: PartName, rating: Rated) -> PartReviewed:
        """Take the person's rating of a round's part in place of the score's; the new review.

        Raises UnknownReview where the part has no review there.
        """
        await self._catch_up()
        async with self._lock:
            stated = self._schedule.of_round(round_id, part)
            if stated is None:
                raise UnknownReview(f"round {round_id!r} has no review of its {part}")
            review = stated.model_copy(update={"rating": rating, "by": "person"})
            await self._append(review)
            return review

    async def _catch_up(self) -> None:
        async with self._lock:
            await self._load()
            looked = self._now()
            scored = await self._store.logs_with("RoundScored", self._since)
            new = [round_id for round_id in scored if round_id not in self._looked]
            try:
                for round_id in new[:AT_ONCE]:
                    await self._take_in(round_id)
            except StoreUnavailable as error:
                # What is scheduled already can be read; the rest is taken in at the next look.
                logger.warning("new reviews wait for the database: %s", error)
            else:
                self._since = looked - UNDER_WAY if len(new) <= AT_ONCE else self._since

    async def _load(self) -> None:
        if self._loaded:
            return
        for log, seq, review in await self._store.of_type(PartReviewed):
            self._note(log, seq, review)
        await asyncio.to_thread(self._schedule.items)  # the first time, each part's day is reckoned
        self._loaded = True

    async def _take_in(self, round_id: str) -> None:
        reviews = list(reviews_of(round_id, replay(await self._store.read(round_id))))
        if reviews:
            await self._append(*reviews)
        self._looked.add(round_id)

    async def _append(self, *reviews: PartReviewed) -> None:
        log = f"review-{reviews[0].round}"
        try:
            start = self._lengths.get(log, 0) + 1
            written = await self._store.append(log, start, *reviews, at=self._now())
        except ConcurrentWriter:
            written = await self._store.read(log, self._lengths.get(log, 0))
        for recorded in written:
            if isinstance(recorded.event, PartReviewed):
                self._note(log, recorded.seq, recorded.event)

    def _note(self, log: str, seq: int, review: PartReviewed) -> None:
        self._lengths[log] = max(seq, self._lengths.get(log, 0))
        self._looked.add(review.round)
        self._schedule.note(review)


def reviews_of(round_id: str, state: Round) -> Iterator[PartReviewed]:
    """A review for each part that the round's newest scorecard gives a level."""
    started, at = state.started, state.started_at
    if started is None or at is None or not state.scorecards or started.drill in OTHER_SKILL:
        return
    scorecard = state.scorecards[-1]
    for score in scorecard.scores:
        if score.level is not None:
            yield PartReviewed(
                round=round_id,
                card=started.card,
                part=score.part.value,
                rating=RATINGS[score.level],
                answered_at=at,
                by=scorecard.scorer,
            )
