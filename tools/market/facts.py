"""The dated facts of the job market: what was counted, when, by whom, and what it must not mean."""

from functools import cache
from typing import Literal, Self

from pydantic import model_validator

from tools.market.snapshots import Frozen, load

Topic = Literal["postings", "pay", "work", "interviews", "capital"]
Kind = Literal["flow", "stock", "index", "ratio", "share", "amount", "median"]
Origin = Literal[
    "company",
    "vendor data",
    "press",
    "first hand",
    "community",
    "paper",
    "opinion",
    "own arithmetic",
]

KINDS: dict[Kind, str] = {
    "flow": "appears during a period",
    "stock": "is there on a day",
    "index": "a value relative to a base day; never a number of things",
    "ratio": "one quantity over another",
    "share": "part of a whole",
    "amount": "money or time",
    "median": "the middle of many",
}


class Fact(Frozen):
    """One figure with everything that it may be quoted with."""

    id: str
    topic: Topic
    what: str
    value: float
    unit: str
    kind: Kind
    definition: str
    period: str
    """What it covers: years, months or days, or 'not stated'."""
    as_of: str
    """ISO day on which the figure was read."""
    by: str
    origin: Origin
    caution: str = ""

    @model_validator(mode="after")
    def _an_index_counts_nothing(self) -> Self:
        if (self.kind == "index") != (self.unit == "index points"):
            raise ValueError(f"{self.id}: an index is in index points, and nothing else is")
        return self


class Facts(Frozen):
    """facts.json."""

    about: str
    source: str
    facts: tuple[Fact, ...]


@cache
def facts() -> Facts:
    """All facts, in the order of the file."""
    return load(Facts, "facts.json")
