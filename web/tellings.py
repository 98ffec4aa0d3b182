"""A round in which a story was told, held against the story and its earlier tellings."""

import asyncio
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from interviewer.errors import UnknownRound, UnknownStory
from interviewer.events import Contradiction, StoryChecked
from interviewer.round import Round
from interviewer.session import RoundSession
from interviewer.stories.shelf import held_against
from interviewer.stories.story import Story
from questions.faults import UnknownCard

if TYPE_CHECKING:
    from interviewer.assembly import Viva

MOST_EARLIER = 5
"""Earlier tellings that one is held against."""


@dataclass(frozen=True, slots=True)
class Held:
    """A telling beside its story: what code found, and what a judge did where one was asked."""

    story: Story
    earlier: tuple[tuple[str, Round], ...]
    found: tuple[Contradiction, ...]
    check: StoryChecked | None

    @property
    def count(self) -> int:
        """Statements that contradict, whoever found them."""
        return len(self.found) + (len(self.check.found) if self.check else 0)


async def held(viva: "Viva", session: RoundSession) -> Held | None:
    """The telling of a round; None where it rehearses no story that is still known."""
    started = session.state.started
    if started is None or started.story is None:
        return None
    try:
        story = await viva.stories.open(started.story)
    except UnknownStory:
        return None
    before: list[tuple[str, Round]] = []
    for telling in story.tellings:
        if telling.round == session.id:
            break
        with suppress(UnknownRound, UnknownCard):
            before.append((telling.round, (await viva.rounds.open(telling.round)).state))
    earlier = tuple(before[-MOST_EARLIER:])
    found = await asyncio.to_thread(held_against, story, session.state, earlier)
    return Held(story, earlier, found, story.checked(session.id))
