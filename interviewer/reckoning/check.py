"""Checks what a person said against the tool's answer: right, off by a known slip, or wrong."""

from dataclasses import dataclass
from typing import Literal

from interviewer.grounding.entries import fits
from interviewer.quantities import Quantity, find_quantities
from interviewer.quantities.show import show
from interviewer.reckoning.model import Reckoning


@dataclass(frozen=True, slots=True)
class Checked:
    """The outcome; `said` is None where no number with a fitting unit was said."""

    verdict: Literal["right", "slip", "wrong", "unsaid"]
    said: Quantity | None
    reason: str = ""


def check(reckoning: Reckoning, text: str) -> Checked:
    """The last number with a fitting unit counts, or the last bare one where none has a unit."""
    said = _answer(reckoning, text)
    if said is None:
        return Checked("unsaid", None, "no number was said")
    values = _readings(said, reckoning)
    if _any_agrees(values, reckoning.value, reckoning.tolerance):
        return Checked("right", said)
    for slip in reckoning.slips:
        if _any_agrees(values, slip.value, reckoning.tolerance):
            return Checked("slip", said, slip.reason)
    return Checked("wrong", said, _by_how_much(values[0], reckoning.value))


def _answer(reckoning: Reckoning, text: str) -> Quantity | None:
    found = find_quantities(text)
    unit = reckoning.unit
    same = [said for said in found if said.unit is not None and fits(said.unit, unit)]
    bare = [said for said in found if said.unit is None]
    return next(iter([*reversed(same), *reversed(bare)]), None)


def _readings(said: Quantity, reckoning: Reckoning) -> tuple[float, ...]:
    """What was stated, in the unit that was asked for; a bare '0.62' may be 62 percent."""
    unit = reckoning.unit
    if said.unit is not None and unit is not None:
        return (said.base / unit.factor,)
    percent = unit is not None and unit.symbol == "%" and abs(said.value) <= 1
    return (said.value, said.value * 100) if percent else (said.value,)


def _any_agrees(values: tuple[float, ...], known: float, tolerance: float) -> bool:
    allowed = tolerance * abs(known) * (1 + 1e-9)
    return any(abs(value - known) <= allowed for value in values)


def _by_how_much(value: float, right: float) -> str:
    if not value or not right or value * right < 0:
        return ""
    factor = value / right
    if 0.5 < factor < 2:
        return f"{show(abs(factor - 1) * 100)}% too {'much' if factor > 1 else 'little'}"
    return f"{show(max(factor, 1 / factor))} times too {'much' if factor > 1 else 'little'}"
