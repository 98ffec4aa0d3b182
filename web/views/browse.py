"""The list of questions and its filters, whose state is the URL."""

from collections.abc import Sequence
from dataclasses import dataclass

from questions.model import QuestionCard

DIFFICULTIES = ("easy", "medium", "hard")


@dataclass(frozen=True, slots=True)
class Filters:
    """What the reader asked for; an empty string asks for anything."""

    q: str = ""
    kind: str = ""
    theme: str = ""
    difficulty: str = ""

    @property
    def any(self) -> bool:
        """Whether anything is filtered."""
        return bool(self.q or self.kind or self.theme or self.difficulty)

    def fits(self, card: QuestionCard) -> bool:
        """Whether a card passes: every word of `q` must occur in it."""
        if self.kind not in ("", card.kind) or self.theme not in ("", card.theme):
            return False
        if self.difficulty not in ("", card.difficulty):
            return False
        text = f"{card.id} {card.title} {card.question} {card.tests} {card.theme}".lower()
        return all(word in text for word in self.q.lower().split())


@dataclass(frozen=True, slots=True)
class Choice:
    """One select box."""

    name: str
    label: str
    options: tuple[str, ...]
    chosen: str


@dataclass(frozen=True, slots=True)
class Browse:
    """What the page of questions shows."""

    filters: Filters
    choices: tuple[Choice, ...]
    cards: tuple[QuestionCard, ...]
    total: int


def browse(cards: Sequence[QuestionCard], filters: Filters) -> Browse:
    """The cards that pass the filters, and the options that the filters offer."""
    kinds = tuple(sorted({card.kind for card in cards}))
    levels = tuple(d for d in DIFFICULTIES if any(card.difficulty == d for card in cards))
    choices = (
        Choice("kind", "Kind", kinds, filters.kind),
        Choice("theme", "Theme", themes(cards), filters.theme),
        Choice("difficulty", "Difficulty", levels, filters.difficulty),
    )
    found = tuple(card for card in cards if filters.fits(card))
    return Browse(filters, choices, found, len(cards))


def themes(cards: Sequence[QuestionCard]) -> tuple[str, ...]:
    """All themes, sorted."""
    return tuple(sorted({card.theme for card in cards}))
