"""Where two scorecards of one round differ too far to average, and why. Pure."""

from dataclasses import dataclass

from rubrics.scorecard import Level, Part, Score, Scorecard

APART = 2
"""Levels between two judgements from which a part is disputed."""


@dataclass(frozen=True, slots=True)
class Dispute:
    """A part that two scorers see differently; the lower judgement first."""

    part: Part
    low: Level
    low_scorer: str
    high: Level
    high_scorer: str
    why: str

    @property
    def words(self) -> str:
        """For people."""
        return (
            f"{self.low_scorer} gives {self.low}, {self.high_scorer} gives {self.high}. {self.why}"
        )


def disputes(one: Scorecard, other: Scorecard) -> tuple[Dispute, ...]:
    """The parts on which the two lie at least two levels apart."""
    found = (_dispute(part, one, other) for part in Part)
    return tuple(dispute for dispute in found if dispute is not None)


def _dispute(part: Part, one: Scorecard, other: Scorecard) -> Dispute | None:
    pairs = [(_score(card, part), card) for card in (one, other)]
    graded = [(score.level, score, card) for score, card in pairs if score and score.level]
    if len(graded) < 2:
        return None
    low, high = sorted(graded, key=lambda item: item[0])
    if high[0] - low[0] < APART:
        return None
    return Dispute(part, low[0], low[2].scorer, high[0], high[2].scorer, _why(low[1:], high[1:]))


def _score(card: Scorecard, part: Part) -> Score | None:
    return next((score for score in card.scores if score.part is part), None)


def _why(low: tuple[Score, Scorecard], high: tuple[Score, Scorecard]) -> str:
    (strict, strict_card), (kind, kind_card) = low, high
    if strict_card.rubric_hash != kind_card.rubric_hash:
        return "They read it with different rubrics."
    if not strict.evidence and kind.evidence:
        return f"{strict_card.scorer} found no words for it; {kind_card.scorer} quotes some."
    if strict.evidence and not kind.evidence:
        return f"{kind_card.scorer} quotes no words for it; {strict_card.scorer} does."
    if not _overlap(strict, kind):
        return "They rest on different words of the answer."
    return "They read the same words differently."


def _overlap(one: Score, other: Score) -> bool:
    """Whether any two quotes share words."""
    return any(
        a.turn == b.turn and a.start < b.end and b.start < a.end
        for a in one.evidence
        for b in other.evidence
    )
