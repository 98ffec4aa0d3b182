"""One known quantity, and when a stated quantity agrees with it."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from interviewer.events import Figure
from interviewer.grounding.facts import ComputedFact, unit_of
from interviewer.quantities import Quantity, Unit, find_quantities
from interviewer.quantities.show import show
from tools.result import Result

_MAX_ROWS = 400
_BINARY_K = 1.024


@dataclass(frozen=True, slots=True)
class Entry:
    """A number that may be stated; `figure` is what the page shows for it, span still empty."""

    value: float
    """In `unit`."""
    unit: Unit | None
    figure: Figure
    any_unit: bool = False
    """True where the unit stands in the words around the number."""

    @property
    def base(self) -> float:
        """The value in the base of its dimension."""
        return self.value * (self.unit.factor if self.unit else 1.0)

    def agrees(self, said: Quantity, *, about: bool) -> bool:
        """True if the dimension fits and this value rounds to the stated one."""
        as_stated = said.unit is None or self.any_unit
        if as_stated and self._near(said.value, self.value, said.precision, about):
            return True
        if said.unit is None and self.unit is not None and said.precision > self.unit.factor * 5:
            return False  # '1' is no way to state 92 percent, '0.92' is
        return fits(said.unit, self.unit) and self._rounds(said, about)

    def _rounds(self, said: Quantity, about: bool) -> bool:
        precision = said.precision * (said.unit.factor if said.unit else 1.0)
        if self._near(said.base, self.base, precision, about):
            return True
        # 8K may be 8,192
        thousands = said.text[-1:] in ("k", "K") or "K " in said.text
        return thousands and self._near(said.base * _BINARY_K, self.base, precision, about)

    @staticmethod
    def _near(said: float, known: float, precision: float, about: bool) -> bool:
        allowed = max(precision, 0.01 * abs(known)) if about else precision
        return abs(said - known) <= allowed * (1 + 1e-9) + 1e-9 * abs(known)


def fits(said: Unit | None, known: Unit | None) -> bool:
    """True if two units measure the same; 'per token' and 'per step' may be left unsaid.

    A bare number may state a count, a number of tokens or a ratio.
    """
    if said is None or known is None:
        other = known if said is None else said
        return other is None or other.dimension in ("count", "tokens", "ratio", "parameters")
    return said.dimension == known.dimension or _head(said.dimension) == _head(known.dimension)


@lru_cache(maxsize=1024)
def _head(dimension: str) -> str:
    """The dimension without what is only 'for each': bytes/tokens is bytes, bytes/time stays."""
    head, *below = dimension.split("/")
    # recognisers and people write FLOPS for both the amount and the rate
    per_time = "time" in below and head != "flop"
    return f"{head}/time" if per_time else head


def of_fact(fact: ComputedFact) -> Entry:
    """The fact itself."""
    return Entry(fact.value, fact.unit, _figure(fact))


def behind_fact(fact: ComputedFact) -> Iterator[Entry]:
    """Everything that the fact's tool returned besides it."""
    if fact.result is not None:
        yield from _of_result(fact.result, _figure(fact))


def _figure(fact: ComputedFact) -> Figure:
    return Figure(
        start=0,
        end=0,
        said="",
        origin="fact",
        ref=fact.fact.id,
        label=fact.fact.label,
        value=fact.shown,
        tool=fact.fact.tool,
        arguments=fact.result.inputs if fact.result else {},
        formula=fact.result.formula if fact.result else "",
        source=fact.source,
    )


def of_result(call_id: str, result: Result) -> Iterator[Entry]:
    """Headline, measures, inputs, rows, and the numbers of the formula of a tool's result."""
    figure = Figure(
        start=0,
        end=0,
        said="",
        origin="tool",
        ref=call_id,
        label=result.label,
        value=show(result.value, result.unit),
        tool=result.tool,
        arguments=result.inputs,
        formula=result.formula,
        source=result.source,
    )
    yield Entry(result.value, unit_of(result.unit), figure)
    yield from _of_result(result, figure)


def _of_result(result: Result, figure: Figure) -> Iterator[Entry]:
    for measure in result.measures.values():
        named = {"label": measure.label, "value": show(measure.value, measure.unit)}
        unit = unit_of(measure.unit)
        yield Entry(measure.value, unit, figure.model_copy(update=named))
    for row in ({**result.inputs}, *result.table[:_MAX_ROWS]):
        for name, value in row.items():
            if isinstance(value, int | float) and not isinstance(value, bool):
                named = {"label": name.replace("_", " "), "value": show(value)}
                yield Entry(value, None, figure.model_copy(update=named), any_unit=True)
    for text in (result.formula, *result.assumptions):
        for entry in of_text(text, figure):
            shown = figure.model_copy(update={"value": entry.figure.value})
            yield replace(entry, figure=shown)


def of_text(text: str, figure: Figure) -> Iterator[Entry]:
    """The quantities of a text that may be repeated, as they stand there."""
    for said in find_quantities(text):
        shown = figure.model_copy(update={"value": said.text})
        yield Entry(said.value, said.unit, shown, any_unit=said.unit is None)
