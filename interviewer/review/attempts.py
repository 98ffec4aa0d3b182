"""Two attempts at one card, part by part: quotes that say the same, what was new, what was lost."""

from collections.abc import Sequence
from dataclasses import dataclass

from interviewer.round import Round
from interviewer.scoring.advice import key_points
from interviewer.scoring.features import Answer
from interviewer.scoring.words import Words
from interviewer.transcript import answers_in
from questions.model import QuestionCard
from rubrics.scorecard import Part, Score, Scorecard

ALIKE = 0.3
"""Share of common words from which two quotes are set on one line."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A round on the card with the scorecard that it is compared by."""

    state: Round
    scorecard: Scorecard

    def score(self, part: Part) -> Score | None:
        """The score of a part, where the scorecard has one."""
        return next((score for score in self.scorecard.scores if score.part is part), None)

    def quotes(self, part: Part) -> tuple[str, ...]:
        """The words that the scorer quoted for a part."""
        score = self.score(part)
        return tuple(evidence.quote for evidence in score.evidence) if score else ()


@dataclass(frozen=True, slots=True)
class Pair:
    """Quotes of both attempts that say the same; one side is empty where only the other says it."""

    before: str = ""
    after: str = ""


@dataclass(frozen=True, slots=True)
class PartChange:
    """One part in both attempts."""

    part: Part
    before: Score | None
    after: Score | None
    pairs: tuple[Pair, ...]
    gained: tuple[str, ...]
    """Key points of the card, and numbers, that were right only in the later attempt."""
    lost: tuple[str, ...]
    """And those that were right only in the earlier one."""


def compared(card: QuestionCard, before: Attempt, after: Attempt) -> tuple[PartChange, ...]:
    """Every part of both."""
    return tuple(_part(card, part, before, after) for part in Part)


def _part(card: QuestionCard, part: Part, before: Attempt, after: Attempt) -> PartChange:
    had, has = (_points(card, part, attempt) for attempt in (before, after))
    return PartChange(
        part,
        before.score(part),
        after.score(part),
        aligned(before.quotes(part), after.quotes(part)),
        tuple(point for point in has if point not in had),
        tuple(point for point in had if point not in has),
    )


def _points(card: QuestionCard, part: Part, attempt: Attempt) -> list[str]:
    """What the attempt made of the part: the card's key points by their words, right numbers."""
    answer = Answer(Words(answers_in(attempt.state.turns), card.question), card, card.question)
    made = [point.point for point, _ in answer.made(key_points(card, part))]
    return [*made, *_right_numbers(card, attempt)] if part is Part.NUMBER else made


def _right_numbers(card: QuestionCard, attempt: Attempt) -> list[str]:
    right = {found.fact for found in attempt.scorecard.numbers if found.verdict == "right"}
    return [fact.label for fact in card.facts if fact.id in right]


def aligned(before: Sequence[str], after: Sequence[str]) -> tuple[Pair, ...]:
    """Quotes on one line where they share enough words; then those of the earlier one alone."""
    ranked = sorted(
        ((_alike(old, new), a, b) for a, old in enumerate(before) for b, new in enumerate(after)),
        key=lambda item: (-item[0], item[1], item[2]),
    )
    partner: dict[int, int] = {}
    for share, a, b in ranked:
        if share >= ALIKE and a not in partner.values() and b not in partner:
            partner[b] = a
    pairs = [Pair(before[partner[b]] if b in partner else "", new) for b, new in enumerate(after)]
    lost = [Pair(old) for a, old in enumerate(before) if a not in partner.values()]
    return (*pairs, *lost)


def _alike(one: str, other: str) -> float:
    """The share of words that two quotes have in common."""
    a, b = (set(text.casefold().split()) for text in (one, other))
    return len(a & b) / len(a | b) if a | b else 0.0
