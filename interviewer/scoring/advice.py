"""What the next level would need, and what to say instead:
from the rubric and the card, never invented."""

import re
from functools import lru_cache

from interviewer.scoring.features import Answer
from questions.model import KeyPoint, QuestionCard
from rubrics.model import Criterion
from rubrics.scorecard import Level, Part, Score

_SENTENCE = re.compile(r"(?<=[.!?])\s+(?=[A-Z\"'(])")
_LONGEST = 60
"""Words of advice on what to say."""
_OWN = "For this question:"


def improve(score: Score, criterion: Criterion, answer: Answer) -> str:
    """What the next level asks for, and the first key point of the card that was not made.

    From 1 it leads to 3: what makes a 2 is a fault too, and nobody is to aim at it.
    """
    if score.level is None or score.level == 4:
        return ""
    above: Level = 4 if score.level == 3 else 3
    points = key_points(answer.card, score.part)
    made = {point.point for point, _ in answer.made(points)}
    missing = next((point.point for point in points if point.point not in made), None)
    text = f"Level {above}: {criterion.levels[above]}"
    return f"{text} {_OWN} {missing.rstrip('.')}." if missing else text


def in_general(improve: str) -> str:
    """The advice without what only the card's own question asks for."""
    return improve.split(_OWN)[0].rstrip()


def say_instead(part: Part, card: QuestionCard) -> str:
    """One or two sentences of the model answer that do this part best; else its first key point."""
    points = key_points(card, part)
    cues = tuple(cue.lower() for point in points for cue in point.cues)
    if said := _best_of(card.model_answer, part, cues):
        return said
    return points[0].point if points else ""


@lru_cache(maxsize=1024)
def _best_of(model_answer: str, part: Part, cues: tuple[str, ...]) -> str:
    """The opening for a claim, else the sentences that hold most of the cues, of equal ones those
    of the part's own paragraph, where each part has one, and the earlier; '' if none does.
    """
    paragraphs = [_SENTENCE.split(" ".join(p.split())) for p in model_answer.split("\n\n")]
    paragraphs = [paragraph for paragraph in paragraphs if paragraph[0]]
    if part is Part.CLAIM and paragraphs:
        return _pair(paragraphs[0], 0)
    own = [*Part].index(part) if len(paragraphs) == len(Part) else -1
    ranked = [
        (sum(cue in text.lower() for cue in cues), order == own, -order, -at, text)
        for order, paragraph in enumerate(paragraphs)
        for at in range(len(paragraph))
        if (text := _pair(paragraph, at))
    ]
    made, *_, text = max(ranked, default=(0, ""))
    return text if made else ""


def key_points(card: QuestionCard, part: Part) -> tuple[KeyPoint, ...]:
    """The card's key points for a part."""
    points: tuple[KeyPoint, ...] = getattr(card.key_points, part.value)
    return points


def _pair(sentences: list[str], at: int) -> str:
    pair = " ".join(sentences[at : at + 2])
    return pair if len(pair.split()) <= _LONGEST else sentences[at]
