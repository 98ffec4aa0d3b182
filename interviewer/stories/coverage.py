"""Which behavioural questions a story covers, by the person's word, and which it might."""

from collections.abc import Sequence
from dataclasses import dataclass

from interviewer.stories.story import Story
from questions.model import KeyPoint, QuestionCard

MAY_FIT = 0.5
"""The least share of a card's points whose words stand in a story that may fit."""


@dataclass(frozen=True, slots=True)
class Covered:
    """A question, the stories that cover it, and those that might."""

    card: QuestionCard
    by: tuple[Story, ...]
    maybe: tuple[Story, ...]


def coverage(cards: Sequence[QuestionCard], stories: Sequence[Story]) -> tuple[Covered, ...]:
    """Each behavioural question; those that no story covers first."""
    covered = [_covered(card, stories) for card in cards if card.kind == "behavioural"]
    return tuple(sorted(covered, key=lambda one: bool(one.by)))


def _covered(card: QuestionCard, stories: Sequence[Story]) -> Covered:
    by = tuple(story for story in stories if card.id in story.written.covers)
    maybe = tuple(story for story in stories if story not in by and fit(card, story) >= MAY_FIT)
    return Covered(card, by, maybe)


def fit(card: QuestionCard, story: Story) -> float:
    """The share of the card's points, but for the number's, whose words stand in the story."""
    points = card.key_points
    wanted: list[KeyPoint] = [*points.claim, *points.tradeoff, *points.nextstep]
    text = story.text.casefold()
    made = [point for point in wanted if any(cue.casefold() in text for cue in point.cues)]
    return len(made) / len(wanted) if wanted else 0.0
