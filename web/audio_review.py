"""What a person is shown of a recognised answer: its text, and what in it to check."""

import re
from collections.abc import Iterator, Sequence

from msgspec import Struct

from interviewer.heard import Heard, HeardWord
from interviewer.quantities import find_quantities
from interviewer.voice.prompt import card_terms
from questions.model import QuestionCard

DOUBTFUL = 0.5
_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|$)", re.DOTALL)
_FILLER = re.compile(r"(?:um+|uh+|er+m?|hm+)\W*", re.IGNORECASE)


class Mark(Struct, frozen=True):
    """A half-open span of the text, in code points, and why it should be looked at."""

    start: int
    end: int
    kind: str
    """doubtful, number, term or restored."""
    note: str = ""


class Sentence(Struct, frozen=True):
    """A span of the text, and when it was said: seconds from the start of the sound."""

    start: int
    end: int
    from_s: float
    to_s: float


class Review(Struct, frozen=True):
    """A recognised answer to be checked before it is sent."""

    text: str
    marks: tuple[Mark, ...]
    sentences: tuple[Sentence, ...]
    seconds: float


def review_of(heard: Heard, card: QuestionCard) -> Review:
    """The text with its doubtful words, numbers and terms, and the time of each sentence."""
    places = tuple(_places(heard.text, heard.words))
    return Review(
        text=heard.text,
        marks=tuple(_marks(heard.text, places, card)),
        sentences=tuple(_sentences(heard, places)),
        seconds=heard.seconds,
    )


def _places(text: str, words: Sequence[HeardWord]) -> Iterator[tuple[int, int, HeardWord]]:
    at = 0
    for word in words:
        found = text.find(word.text, at)
        if found >= 0:
            at = found + len(word.text)
            yield found, at, word


def _marks(
    text: str, places: Sequence[tuple[int, int, HeardWord]], card: QuestionCard
) -> Iterator[Mark]:
    for number in find_quantities(text):
        yield Mark(number.start, number.end, "number")
    for term in card_terms(card):
        for found in re.finditer(rf"\b{re.escape(term)}\b", text, re.IGNORECASE):
            yield Mark(found.start(), found.end(), "term")
    for start, end, word in places:
        if word.confidence < DOUBTFUL and not _FILLER.fullmatch(word.text):
            yield Mark(start, end, "doubtful")


def _sentences(heard: Heard, places: Sequence[tuple[int, int, HeardWord]]) -> Iterator[Sentence]:
    at = 0.0
    for found in _SENTENCE.finditer(heard.text):
        words = [word for start, _, word in places if found.start() <= start < found.end()]
        start = words[0].start if words else at
        at = words[-1].end if words else heard.seconds
        yield Sentence(found.start(), found.end(), start, max(start, at))
