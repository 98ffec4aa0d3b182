"""Capital announced for forward deployed engineering, in the order of its days."""

from datetime import date
from functools import cache
from typing import Literal

from pydantic import Field

from tools.market.snapshots import Frozen, load


class Entry(Frozen):
    """One announcement; `reported`: the press's figure, or money that may not be new."""

    day: date
    company: str
    what: str
    usd_billion: float = Field(gt=0)
    people: int | None = None
    basis: Literal["announced", "reported"]
    doubt: str = ""
    source: str


class Capital(Frozen):
    """capital.json."""

    about: str
    source: str
    entries: tuple[Entry, ...]


@cache
def capital() -> Capital:
    """All announcements, oldest first."""
    return load(Capital, "capital.json")
