"""Fillers in a transcript: the sounds (hard), and phrases that often only fill (soft)."""

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

HARD = re.compile(r"\b(?:u+m+|u+h+m*|e+r+m*|a+h+|e+h+|h+m+|m+h+m+|mm+)\b", re.IGNORECASE)
SOFT = re.compile(
    r"\b(?:you know|i mean|sort of|kind of|basically|actually)\b|(?<=, )like(?=,)", re.IGNORECASE
)


class Found(NamedTuple):
    """A filler as it was written, with its span in the text."""

    text: str
    start: int
    end: int
    kind: Literal["hard", "soft"]


def find_fillers(text: str) -> tuple[Found, ...]:
    """All fillers in order. Soft ones may be meant: 'you know the answer'."""
    return tuple(sorted((*_all(text, HARD, "hard"), *_all(text, SOFT, "soft")), key=_start))


def without_fillers(text: str) -> str:
    """The text without its hard fillers."""
    return HARD.sub(" ", text)


def _all(text: str, pattern: re.Pattern[str], kind: Literal["hard", "soft"]) -> Iterator[Found]:
    return (Found(m.group(), m.start(), m.end(), kind) for m in pattern.finditer(text))


def _start(found: Found) -> int:
    return found.start
