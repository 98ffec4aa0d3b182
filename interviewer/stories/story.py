"""A story and its tellings, folded from its log. Pure."""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime

from interviewer.events import (
    Recorded,
    StoryChecked,
    StoryRemoved,
    StoryTold,
    StoryWritten,
)

PARTS = ("situation", "task", "action", "result", "numbers")
"""The fields of a story that say what happened, in the order of telling."""


@dataclass(frozen=True, slots=True)
class Telling:
    """A round in which the story was told."""

    round: str
    card: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Story:
    """The newest version of a story, where it was told, and what a judge found there."""

    id: str
    written: StoryWritten
    written_at: datetime
    seq: int
    tellings: tuple[Telling, ...] = ()
    checks: tuple[StoryChecked, ...] = ()
    removed: bool = False

    @property
    def text(self) -> str:
        """All of it that says what happened."""
        return "\n".join(filter(None, (getattr(self.written, part) for part in PARTS)))

    def checked(self, round_id: str) -> StoryChecked | None:
        """What a judge last found in a telling."""
        found = [check for check in self.checks if check.round == round_id]
        return found[-1] if found else None


def story_of(story_id: str, log: Iterable[Recorded]) -> Story | None:
    """Fold a story's log; None where it does not begin as one."""
    story: Story | None = None
    for recorded in log:
        story = _evolve(story_id, story, recorded)
    return story


def _evolve(story_id: str, story: Story | None, recorded: Recorded) -> Story | None:
    event, at = recorded.event, recorded.at
    if isinstance(event, StoryWritten):
        if story is None:
            return Story(story_id, event, at, recorded.seq)
        return replace(story, written=event, written_at=at, seq=recorded.seq, removed=False)
    if story is None:
        return None
    story = replace(story, seq=recorded.seq)
    match event:
        case StoryTold():
            told = Telling(event.round, event.card, at)
            return replace(story, tellings=(*story.tellings, told))
        case StoryChecked():
            return replace(story, checks=(*story.checks, event))
        case StoryRemoved():
            return replace(story, removed=True)
        case _:
            return story
