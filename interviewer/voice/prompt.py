"""The prompt of a recogniser: fillers, which it drops unless it sees some, and a card's terms."""

import re
from collections import Counter
from collections.abc import Iterator

from questions.model import QuestionCard

_FILLED = "Um, so, uh, you know, I would, um, begin with"
_ENDS = ", uh, and measure it."
_TERM = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[-./][A-Za-z0-9]+)*")
# Capitals or digits after the first letter make a name: KV, vLLM, p99, H200, FP8, NVLink.
_NAME = re.compile(r"[A-Za-z][a-z]*[A-Z0-9]")
_MOST = 24
"""A recogniser reads some 220 tokens of a prompt, and heeds the last ones most."""
_GENERAL = ("KV cache", "vLLM", "TTFT", "p99", "GPU")


def prompt_for(card: QuestionCard | None) -> str:
    """A prompt that keeps fillers and spells the card's terms; the general one without a card."""
    terms = card_terms(card) if card is not None else ()
    chosen = terms[:_MOST] or _GENERAL
    # The most frequent stand last, where they count most.
    return f"{_FILLED} {', '.join(reversed(chosen))}{_ENDS}"


def card_terms(card: QuestionCard) -> tuple[str, ...]:
    """The names and abbreviations of a card, most frequent first."""
    counts = Counter(term for text in _texts(card) for term in _names(text))
    return tuple(term for term, _ in counts.most_common())


def _texts(card: QuestionCard) -> Iterator[str]:
    yield from (card.question, card.question, *card.scenario, card.model_answer, card.short_answer)
    points = card.key_points
    for point in (*points.claim, *points.number, *points.tradeoff, *points.nextstep):
        yield point.point


def _names(text: str) -> Iterator[str]:
    return (term for term in _TERM.findall(text) if _NAME.match(term))
