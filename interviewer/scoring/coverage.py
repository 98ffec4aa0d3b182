"""How much of what the card says of a good answer is taken up, word stem by word stem.

A stem that few cards use counts for more; the question's own stems count for nothing.
"""

import json
from collections.abc import Mapping
from functools import cache, lru_cache
from math import fsum, log
from pathlib import Path

from interviewer.scoring.features import FUNCTION_WORDS, Answer, stem
from interviewer.scoring.signs import Found, share
from interviewer.scoring.words import tokens
from questions.model import QuestionCard
from rubrics.scorecard import Part

STEMS = Path(__file__).parent / "stems.json"
FULL = 0.5
"""The share that counts in full: nobody says all that a card says."""
CLOSELY, LEAST_BESIDE = 0.6, 0.85
"""The share of the other parts that shows an answer following the card, and what of that share a
part needs then."""
UNKNOWN = 0.5
"""Stands in where the card says nothing."""


def coverage(answer: Answer, part: Part) -> Found:
    """The share of a part's key points and their cues that the answer takes up; for the number of
    the whole model answer, whose figures stand in all of its paragraphs.
    """
    whole = part is Part.NUMBER
    taken = _taken_up(answer, answer.card.model_answer if whole else _points(answer.card, part))
    return Found(UNKNOWN, known=False) if taken is None else Found(share(taken, FULL))


def is_left_out(answer: Answer, part: Part) -> bool:
    """Whether an answer follows the model answer closely, but not in this part."""
    paragraphs = _paragraphs(answer.card.model_answer)
    taken = {p: _taken_up(answer, text) for p, text in paragraphs.items()}
    own = taken.pop(part)
    rest = sum(share or 0.0 for share in taken.values()) / len(taken)
    return own is not None and rest >= CLOSELY and own < LEAST_BESIDE * rest


def content(text: str) -> list[str]:
    """Stems of a text's content words, in order; figures are none."""
    return [
        stem(word)
        for word in tokens(text)
        if word not in FUNCTION_WORDS and len(word) > 2 and not word[0].isdigit()
    ]


@cache
def rarity() -> tuple[int, Mapping[str, int]]:
    """How many cards there are, and how many of them use each stem."""
    data = json.loads(STEMS.read_text("utf-8"))
    return data["cards"], data["stems"]


def worth(word: str) -> float:
    """What a stem is worth: the logarithm of how few cards use it."""
    cards, used = rarity()
    return log((cards + 1) / (used.get(word, 1) + 1))


@lru_cache(maxsize=2048)
def _worths(text: str) -> Mapping[str, float]:
    """What each stem of a text is worth."""
    return {word: worth(word) for word in content(text)}


def _taken_up(answer: Answer, text: str) -> float | None:
    """The share of a text's worth that the answer takes up; None where it says nothing of its own.

    Kept with the answer: each part asks for the same texts.
    """
    if text not in answer.covered:
        worths, said = _worths(text), frozenset(answer.content) - answer.topic
        # fsum: the order of a set must not move the last bit.
        asked = fsum(map(worths.__getitem__, worths.keys() & answer.topic))
        whole = fsum(worths.values()) - asked
        taken = fsum(map(worths.__getitem__, worths.keys() & said))
        answer.covered[text] = taken / whole if whole > 0 else None
    return answer.covered[text]


@lru_cache(maxsize=1024)
def _paragraphs(model_answer: str) -> Mapping[Part, str]:
    """The paragraph of a model answer that does each part, where it has one a part; else all."""
    paragraphs = [text for text in model_answer.split("\n\n") if text.strip()]
    one_each = len(paragraphs) == len(Part)
    return dict(zip(Part, paragraphs if one_each else [model_answer] * len(Part), strict=True))


@lru_cache(maxsize=2048)
def _joined(texts: tuple[str, ...]) -> str:
    return " ".join(texts)


def _points(card: QuestionCard, part: Part) -> str:
    points = getattr(card.key_points, part.value)
    return _joined(tuple(text for point in points for text in (point.point, *point.cues)))
