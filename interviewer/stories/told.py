"""Statements of a text that another telling must repeat: numbers, dates, roles. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

from interviewer.quantities import Quantity, find_quantities
from interviewer.quantities.tokens import word_set
from interviewer.quantities.words import NUMBER_WORDS
from interviewer.scoring.sentences import Stretch, sentences

MOST = 200
"""Statements of a kind that are read from one text."""
NEAR = 7
"""Words on each side that say what a statement is about."""
_WORD = re.compile(r"[A-Za-z][A-Za-z'-]*")
_ENDING = re.compile(r"(?:ings?|ed|es|s)$")
_COMMON = word_set(
    """
    about after again all also and any are around because been before but did does down each few for
    from had has have her him his how into its just like more most much not now off one only onto
    other our out over she should so some such than that the their them then there these they this
    those through too under until was were what when where which while who why will with would you
    your people team percent times
    """
)
MONTHS = word_set(
    "january february march april may june july august september october november december"
)
_MONTH = "|".join(sorted(MONTHS))
_DATE = re.compile(
    rf"\b(?:(?P<month>{_MONTH})\s*,?\s*)?(?P<year>(?:19|20)\d\d)\b"
    rf"|\b(?:in|since|until|by|of|from)\s+(?P<lone>{_MONTH})\b(?!\s*,?\s*(?:19|20)\d\d)",
    re.IGNORECASE,
)
HEADS = word_set(
    "engineer lead manager director architect consultant analyst scientist designer developer "
    "founder owner intern contractor researcher strategist head"
)
_ROLE = re.compile(
    r"\b(?:(?:i was|as|i worked as|i joined as|i acted as|my role was)\s+(?:the|a|an|their|our)\s+"
    r"|role:\s*(?:(?:the|a|an)\s+)?)(?P<role>[a-z][a-z /-]{2,40})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Statement:
    """A number, a date or a role as it stands in a text, with the words that it is about."""

    text: str
    start: int
    end: int
    sentence: str
    about: frozenset[str]
    quantity: Quantity | None = None
    year: int | None = None
    month: str | None = None
    heads: frozenset[str] = frozenset()


def numbers(text: str) -> tuple[Statement, ...]:
    """Every quantity."""
    return tuple(
        _statement(text, found.start, found.end, quantity=found)
        for found in find_quantities(text)[:MOST]
    )


def dates(text: str) -> tuple[Statement, ...]:
    """Every year, month, or both."""
    return tuple(islice(_dates(text), MOST))


def roles(text: str) -> tuple[Statement, ...]:
    """Every role that the teller says to have had."""
    return tuple(islice(_roles(text), MOST))


def _dates(text: str) -> Iterator[Statement]:
    for found in _DATE.finditer(text):
        month = found["month"] or found["lone"]
        year = int(found["year"]) if found["year"] else None
        first = found.start("lone") if found["lone"] else found.start()
        yield _statement(
            text, first, found.end(), year=year, month=month.casefold() if month else None
        )


def _roles(text: str) -> Iterator[Statement]:
    for found in _ROLE.finditer(text):
        words = list(_WORD.finditer(found["role"]))
        named = [word for word in words if word.group().casefold() in HEADS]
        if named:
            first = found.start("role")
            heads = frozenset(word.group().casefold() for word in named)
            yield _statement(text, first, first + named[-1].end(), heads=heads)


def _statement(text: str, start: int, end: int, **what: object) -> Statement:
    sentence = next(
        (found for found in _sentences(text) if found.start <= start < found.end),
        Stretch(start, end),
    )
    before = _WORD.findall(text[sentence.start : start])[-NEAR:]
    after = _WORD.findall(text[end : max(end, sentence.end)])[:NEAR]
    inside = [word for word in _WORD.findall(text[start:end]) if word.lower() not in NUMBER_WORDS]
    about = frozenset(_stem(word) for word in (*before, *inside, *after) if _says(word))
    said = text[sentence.start : sentence.end].strip()
    return Statement(text[start:end].strip(), start, end, said, about, **what)  # type: ignore[arg-type]


@lru_cache(maxsize=32)
def _sentences(text: str) -> tuple[Stretch, ...]:
    return sentences(text)


def _says(word: str) -> bool:
    return len(word) > 2 and word.casefold() not in _COMMON


def _stem(word: str) -> str:
    folded = word.casefold()
    return _ENDING.sub("", folded) if len(folded) > 4 else folded
