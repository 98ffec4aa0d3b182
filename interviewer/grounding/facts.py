"""Computes a card's facts by running their tools. Knows no round and no model."""

from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from typing import Protocol

from interviewer.errors import InterviewerError
from interviewer.quantities import Unit, parse_unit
from interviewer.quantities.show import show
from questions.model import Fact, QuestionCard
from tools.result import Result, ToolError

_CACHED_CARDS = 512
_cache: dict[str, tuple["ComputedFact", ...]] = {}


class Calculation(Protocol):
    """The part of a tool that a fact needs."""

    def call(self, arguments: Mapping[str, object], /) -> Result:
        """Run it; raises ToolError for bad arguments."""
        ...


class InvalidFact(InterviewerError):
    """A fact of a card cannot be computed: names the card, the fact, the field and the remedy."""

    def __init__(self, card: str, fact: str, field: str, remedy: str) -> None:
        super().__init__(f"card {card}, fact {fact}, {field}: {remedy}")
        self.card, self.fact, self.field, self.remedy = card, fact, field, remedy


@dataclass(frozen=True, slots=True)
class ComputedFact:
    """A fact with its value in the fact's own unit; `result` is None for a figure of a source."""

    fact: Fact
    value: float
    unit: Unit | None
    """None for a bare count."""
    shown: str
    """Value and unit for people: '14.58 ms'."""
    result: Result | None = None

    @property
    def base(self) -> float:
        """The value in the base of its dimension."""
        return self.value * (self.unit.factor if self.unit else 1.0)

    @property
    def source(self) -> str:
        """Where the value comes from, for people: what a card sets is assumed for its question."""
        said = self.fact.source or (self.result.source if self.result else "")
        return said.replace("set by this card", "assumed for this question")


def compute_facts(
    card: QuestionCard, catalog: Mapping[str, Calculation] | None = None
) -> tuple[ComputedFact, ...]:
    """All facts of a card in order. InvalidFact where a tool, an argument or a path is wrong.

    Kept by the card's hash, unless another catalog than the product's own is handed in.
    """
    if catalog is not None or not card.hash:
        return _compute(card, _catalog() if catalog is None else catalog)
    if card.hash not in _cache:
        if len(_cache) >= _CACHED_CARDS:
            _cache.clear()
        _cache[card.hash] = _compute(card, _catalog())
    return _cache[card.hash]


def _catalog() -> Mapping[str, Calculation]:
    # the tools load data files: not before a fact is needed
    from tools.catalog import CATALOG

    return CATALOG


def _compute(card: QuestionCard, catalog: Mapping[str, Calculation]) -> tuple[ComputedFact, ...]:
    # Several facts of one simulation name several parts of the same result.
    known: dict[str, Result] = {}
    return tuple(_fact(card.id, fact, catalog, known) for fact in card.facts)


def _fact(
    card: str, fact: Fact, catalog: Mapping[str, Calculation], known: dict[str, Result]
) -> ComputedFact:
    result, value = None, fact.value
    if fact.tool is not None:
        called = f"{fact.tool} {fact.arguments!r}"
        result = known.get(called) or _run(card, fact, catalog)
        known[called] = result
        value = _at(card, fact, result) * fact.scale
    if value is None or not isfinite(value):
        raise InvalidFact(card, fact.id, "value", f"{value!r} is no number: name a tool or a value")
    unit = unit_of(fact.unit)
    return ComputedFact(fact, value, unit, show(value, fact.unit), result)


def _run(card: str, fact: Fact, catalog: Mapping[str, Calculation]) -> Result:
    tool = catalog.get(fact.tool or "")
    if tool is None:
        known = ", ".join(sorted(catalog)) or "none"
        raise InvalidFact(card, fact.id, "tool", f"{fact.tool!r} is no tool; known: {known}")
    try:
        return tool.call(fact.arguments)
    except ToolError as error:
        raise InvalidFact(card, fact.id, f"arguments.{error.field}", str(error)) from error


def _at(card: str, fact: Fact, result: Result) -> float:
    """The number at the fact's dotted path in the result."""
    found: object = result.model_dump()
    for step in fact.field.split("."):
        if isinstance(found, Mapping) and step in found:
            found = found[step]
        elif isinstance(found, tuple | list) and step.isdecimal() and int(step) < len(found):
            found = found[int(step)]
        else:
            known = ", ".join(map(str, found)) if isinstance(found, Mapping) else "nothing"
            remedy = f"{fact.field!r} leads nowhere at {step!r}; there is: {known}"
            raise InvalidFact(card, fact.id, "field", remedy)
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise InvalidFact(card, fact.id, "field", f"{fact.field!r} is {found!r}, not a number")
    return float(found)


def unit_of(written: str) -> Unit | None:
    """A card's or a tool's unit; an unknown noun counts things ('adjusters'), '' is None."""
    if not written.strip():
        return None
    try:
        return parse_unit(written)
    except ValueError:
        return Unit(written, "count")
