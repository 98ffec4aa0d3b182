"""What a person is shown of a recognised answer before it is sent: its text, and what to check."""

import re
from collections.abc import Iterator

from msgspec import Struct

from interviewer.heard import DOUBTFUL, Heard
from interviewer.quantities import find_quantities
from interviewer.voice.fillers import HARD
from interviewer.voice.places import Places
from interviewer.voice.prompt import card_terms
from interviewer.voice.repair import Repaired, repair
from questions.model import QuestionCard

_SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|$)", re.DOTALL)


class Mark(Struct, frozen=True):
    """A half-open span of the text, and why it should be looked at."""

    start: int
    end: int
    kind: str
    """'doubtful', 'number', 'term' or 'restored'."""
    note: str = ""


class Sentence(Struct, frozen=True):
    """A span of the text, and when it was said: seconds from the start of the sound."""

    start: int
    end: int
    from_s: float
    to_s: float


class Review(Struct, frozen=True):
    """A recognised answer to be checked. Spans count code points of `text`."""

    text: str
    """With the card's lost unit words restored."""
    marks: tuple[Mark, ...]
    sentences: tuple[Sentence, ...]
    seconds: float


def review_of(heard: Heard, card: QuestionCard) -> Review:
    """The text with its doubtful words, numbers and terms, and the time of each sentence."""
    repaired, places = repair(heard.text, card), Places(heard)
    return Review(
        text=repaired.text,
        marks=tuple(
            [*_restored(repaired), *_doubtful(repaired, places), *_known(repaired.text, card)]
        ),
        sentences=tuple(_sentences(heard, repaired, places)),
        seconds=heard.seconds,
    )


def _restored(repaired: Repaired) -> Iterator[Mark]:
    for change in repaired.restored:
        yield Mark(change.start, change.end, "restored", change.reason)


def _known(text: str, card: QuestionCard) -> Iterator[Mark]:
    numbers = find_quantities(text)
    for number in numbers:
        yield Mark(number.start, number.end, "number")
    terms = "|".join(map(re.escape, card_terms(card)))
    for found in re.finditer(rf"\b(?:{terms})\b", text, re.IGNORECASE) if terms else ():
        # A unit is marked with its number.
        if not any(each.start <= found.start() < each.end for each in numbers):
            yield Mark(found.start(), found.end(), "term")


def _doubtful(repaired: Repaired, places: Places) -> Iterator[Mark]:
    for placed in places.words:
        word = placed.word
        # Of a filler no recogniser is sure.
        if word.confidence < DOUBTFUL and not HARD.fullmatch(word.text.strip(" ,.?!")):
            start, end = moved(placed.start, repaired), moved(placed.end, repaired)
            if start < end:
                yield Mark(start, end, "doubtful")


def _sentences(heard: Heard, repaired: Repaired, places: Places) -> Iterator[Sentence]:
    for found in _SENTENCE.finditer(heard.text):
        when = places.when(found.start(), found.end())
        start, end = (when.start, when.end) if when else (0.0, heard.seconds)
        yield Sentence(moved(found.start(), repaired), moved(found.end(), repaired), start, end)


def moved(at: int, repaired: Repaired) -> int:
    """Where a place of the text as heard lies in the repaired text."""
    shift = 0
    for change in repaired.restored:
        begun = change.start - shift
        if at <= begun:
            break
        if at < begun + len(change.was):
            return change.start
        shift += len(change.now) - len(change.was)
    return at + shift
