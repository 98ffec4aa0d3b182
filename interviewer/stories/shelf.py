"""The stories as they are kept: written, told, checked and removed, each in its own log."""

import asyncio
import secrets
from collections.abc import Callable, Sequence
from datetime import datetime

from interviewer.clock import utc_now
from interviewer.errors import UnknownRound, UnknownStory
from interviewer.events import (
    Contradiction,
    Event,
    StoryChecked,
    StoryRemoved,
    StoryTold,
    StoryWritten,
)
from interviewer.round import Round
from interviewer.store import EventStore
from interviewer.stories.contradictions import Source, contradictions
from interviewer.stories.story import Story, story_of


class Stories:
    """The bank of stories. Keeps none: each is read from its log when asked for."""

    def __init__(self, store: EventStore, now: Callable[[], datetime] = utc_now) -> None:
        self._store = store
        self._now = now
        self._lock = asyncio.Lock()
        self.looking: set[str] = set()
        """Rounds that a judge holds against their story now."""

    async def list(self) -> list[Story]:
        """All stories that were not removed, by title."""
        logs = await self._store.logs_with("StoryWritten")
        stories = [await self._read(log.removeprefix("story-")) for log in logs]
        kept = [story for story in stories if story is not None and not story.removed]
        return sorted(kept, key=lambda story: story.written.title.casefold())

    async def open(self, story_id: str) -> Story:
        """A story, also one that was removed. Raises UnknownStory."""
        story = await self._read(story_id)
        if story is None:
            raise UnknownStory(f"there is no story {story_id!r}")
        return story

    async def write(self, written: StoryWritten, story_id: str | None = None) -> Story:
        """Keep a new story, or a new version of one. Raises UnknownStory."""
        if story_id is None:
            story_id = secrets.token_hex(8)
            await self._store.append(_log(story_id), 1, written, at=self._now())
            return await self.open(story_id)
        return await self._append(story_id, written)

    async def tell(self, story_id: str, round_id: str, card: str) -> Story:
        """Note that a round rehearses the story."""
        return await self._append(story_id, StoryTold(round=round_id, card=card))

    async def note_check(self, story_id: str, check: StoryChecked) -> Story:
        """Keep what a judge found."""
        return await self._append(story_id, check)

    async def remove(self, story_id: str) -> Story:
        """Take a story out of the bank; its log stays."""
        return await self._append(story_id, StoryRemoved())

    async def _append(self, story_id: str, event: Event) -> Story:
        async with self._lock:
            story = await self.open(story_id)
            await self._store.append(_log(story_id), story.seq + 1, event, at=self._now())
            return await self.open(story_id)

    async def _read(self, story_id: str) -> Story | None:
        try:
            return story_of(story_id, await self._store.read(_log(story_id)))
        except UnknownRound:
            return None


def held_against(
    story: Story, state: Round, earlier: Sequence[tuple[str, Round]]
) -> tuple[Contradiction, ...]:
    """What code finds in a telling that contradicts the story or one of the earlier tellings."""
    return contradictions(said_in(state), sources_of(story, earlier), story)


def sources_of(story: Story, earlier: Sequence[tuple[str, Round]]) -> tuple[Source, ...]:
    """The story, then what was said in each earlier telling."""
    told = (
        Source(round_id, "\n".join(text for _, text in said_in(state)))
        for round_id, state in earlier
    )
    return (Source("story", story.text, story.written.role), *told)


def said_in(state: Round) -> tuple[tuple[int, str], ...]:
    """The candidate's turns of a round, numbered."""
    return tuple((turn.number, turn.text) for turn in state.answers if turn.text.strip())


def _log(story_id: str) -> str:
    return f"story-{story_id}"
