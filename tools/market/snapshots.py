"""The dated snapshots of the data files, as models: what a source counted on which day."""

from collections.abc import Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from tools.market.boards import Ats


class Frozen(BaseModel):
    """A value of a data file: immutable, strict about unknown fields."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)


class Count(Frozen):
    """Postings of one company's board; `family` holds the titled ones too."""

    company: str
    ats: Ats
    total: int = Field(ge=0)
    titled: int = Field(ge=0)
    family: int | None = Field(default=None, ge=0)


class Postings(Frozen):
    """postings.json."""

    about: str
    source: str
    snapshots: Mapping[date, tuple[Count, ...]]


class PayGroup(Frozen):
    """Pay of one group of postings; median in USD a year."""

    field: Literal["segment", "region"]
    group: str
    paid: int = Field(gt=0)
    median: float = Field(gt=0)


class Census(Frozen):
    """One day's census; medians in USD a year over the `paid` postings."""

    postings: int = Field(gt=0)
    companies: int = Field(gt=0)
    paid: int = Field(gt=0)
    median: float = Field(gt=0)
    groups: tuple[PayGroup, ...]


class Plank(Frozen):
    """plank.json."""

    about: str
    source: str
    snapshots: Mapping[date, Census]


T = TypeVar("T", bound=Frozen)


def load(model: type[T], name: str) -> T:
    """A data file of this package, validated."""
    text = files("tools.market.data").joinpath(name).read_text("utf-8")
    return model.model_validate_json(text)


@cache
def postings() -> Postings:
    """The counted boards."""
    return load(Postings, "postings.json")


@cache
def plank() -> Plank:
    """Plank's census."""
    return load(Plank, "plank.json")
