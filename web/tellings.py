"""A round in which a story was told, held against the story and its earlier tellings."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import dataclass, replace
from itertools import takewhile
from typing import TYPE_CHECKING

from interviewer.errors import InterviewerError, UnknownRound, UnknownStory
from interviewer.events import Contradiction, StoryChecked
from interviewer.prompts import PromptLibrary
from interviewer.round import Round
from interviewer.session import RoundSession
from interviewer.stories.second_look import look
from interviewer.stories.shelf import held_against, said_in, sources_of
from interviewer.stories.story import Story
from questions.faults import UnknownCard

if TYPE_CHECKING:
    from interviewer.assembly import Viva

logger = logging.getLogger(__name__)
MOST_EARLIER = 5
"""Earlier tellings that one is held against."""


@dataclass(frozen=True, slots=True)
class Held:
    """A telling beside its story: what code found, and what a judge did where one was asked."""

    story: Story
    earlier: tuple[tuple[str, Round], ...]
    found: tuple[Contradiction, ...]
    check: StoryChecked | None

    looking: bool = False
    """Whether a judge reads it now."""


async def held(viva: "Viva", session: RoundSession) -> Held | None:
    """The telling of a round; None where it rehearses no story that is still known."""
    started = session.state.started
    if started is None or started.story is None:
        return None
    try:
        story = await viva.stories.open(started.story)
    except UnknownStory:
        return None
    earlier = await _before(viva, story, session.id)
    found = await asyncio.to_thread(held_against, story, session.state, earlier)
    return Held(
        story, earlier, found, story.checked(session.id), session.id in viva.stories.looking
    )


async def _before(viva: "Viva", story: Story, round_id: str) -> tuple[tuple[str, Round], ...]:
    """The newest tellings before a round that are still there, in their order."""
    told = takewhile(lambda other: other != round_id, (one.round for one in story.tellings))
    found: list[tuple[str, Round]] = []
    for other in reversed([*told]):
        if len(found) == MOST_EARLIER:
            break
        with suppress(UnknownRound, UnknownCard):
            found.append((other, (await viva.rounds.open(other)).state))
    return tuple(reversed(found))


async def looked(viva: "Viva", session: RoundSession) -> Held | None:
    """The same once the round is scored: a judge that has not read the telling begins to."""
    found = await held(viva, session)
    if found is None or found.check or not session.state.scorecards:
        return found
    if not ask_judge(viva, session, found):
        return found
    return replace(found, looking=True)


def ask_judge(viva: "Viva", session: RoundSession, found: Held) -> bool:
    """Let the judge look for what code cannot find, beside everything else; False without one."""
    if not viva.judges or not said_in(session.state):
        return False
    if session.id not in viva.stories.looking:
        viva.stories.looking.add(session.id)
        session.spawn(_look(viva, session, found))
    return True


async def _look(viva: "Viva", session: RoundSession, found: Held) -> None:
    sources, said = sources_of(found.story, found.earlier), said_in(session.state)
    try:
        check = await look(viva.judges[0], PromptLibrary(), session.id, said, sources)
        await viva.stories.note_check(found.story.id, check)
    except InterviewerError as error:
        logger.warning("round %s was not held against its story: %s", session.id, error)
    finally:
        viva.stories.looking.discard(session.id)
