"""The 33 questions by theme: where their wording is found, and how often collections have them."""

from functools import cache
from typing import Literal

from pydantic import Field

from tools.market.snapshots import Frozen, load

Match = Literal["listed", "none", "no_source", "unstated"]
MATCHES: dict[Match, str] = {
    "listed": "on an Aced page",
    "none": "on no Aced page",
    "no_source": "no interview source",
    "unstated": "in the sums only",
}


class Theme(Frozen):
    """A theme with the round in which it is usually asked, by our reading of reports."""

    name: str
    round: str


class Question(Frozen):
    """One question; `families` are source families that report it, `collections` of 25 name it."""

    number: int = Field(ge=1, le=33)
    card: str
    chapter: int
    theme: str
    question: str
    match: Match
    families: int | None = None
    collections: int | None = None
    counted_as: str = ""
    """What the count over collections looked for."""


class Questions(Frozen):
    """questions.json; the sums are the source's, over all 33."""

    about: str
    source: str
    near_verbatim: int
    same_scenario: int
    no_match: int
    collections_read: int
    themes: tuple[Theme, ...]
    questions: tuple[Question, ...]


@cache
def questions() -> Questions:
    """All questions, by number."""
    return load(Questions, "questions.json")
