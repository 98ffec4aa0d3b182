"""A template of a number to work out, one case of it with its parameters, and what is asked."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from interviewer.grounding.facts import unit_of
from interviewer.quantities import Unit
from interviewer.quantities.show import show
from tools.catalog import CATALOG
from tools.hardware import Gpu, find_gpu
from tools.result import Result

Named = tuple[float, str]
"""A value that a known mistake leads to, and the mistake."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What of a model's config a cache rests on."""

    layers: int
    heads: int
    kv_heads: int
    head_dim: int

    @property
    def said(self) -> str:
        """The shape in words."""
        return (
            f"{self.layers} layers, {self.heads} query heads, {self.kv_heads} KV heads, "
            f"head dimension {self.head_dim}"
        )


@dataclass(frozen=True, slots=True)
class Case:
    """A template with its parameters, run."""

    template: "Template"
    arguments: Mapping[str, Any]
    result: Result

    def __getitem__(self, name: str) -> Any:  # noqa: ANN401 (any argument)
        return self.arguments[name]

    @property
    def value(self) -> float:
        """The right answer in the template's unit."""
        return self.template.value_of(self.result)

    @property
    def gpu(self) -> Gpu:
        """The data sheet of the GPU that is named."""
        return find_gpu(self.arguments["gpu"]).spec

    @property
    def shape(self) -> Shape:
        """The shape of the model that is named."""
        found = CATALOG["model_config"].call({"model": self.arguments["model"]}).measures
        kv_heads = int(found["kv_heads"].value)
        width = int(found["cached_width"].value) // 2
        return Shape(int(found["layers"].value), int(found["heads"].value), kv_heads, width)

    def measure(self, name: str) -> float:
        """Another number of the tool's result."""
        return self.result.measures[name].value

    def other(self, **changes: object) -> float:
        """What the tool says with other arguments, in the template's unit."""
        given = {**self.arguments, **changes}
        return self.template.value_of(CATALOG[self.template.tool].call(given))


@dataclass(frozen=True, slots=True)
class Template:
    """A kind of number about one tool: how to draw its parameters, how to state them, what fails.

    `draw` chooses among realistic values; `given` states every one of them that the answer needs.
    """

    name: str
    tool: str
    measure: str
    unit: str
    ask: str
    """The question; {names} stand for arguments."""
    draw: Callable[[Random], dict[str, Any]]
    given: Callable[[Case], Iterable[str]]
    slips: Callable[[Case], Iterable[Named]]
    scale: float = 1.0
    """From the tool's unit to `unit`."""
    tolerance: float = 0.03

    def value_of(self, result: Result) -> float:
        """The number that is asked for."""
        return result.measures[self.measure].value * self.scale

    def case(self, arguments: Mapping[str, Any]) -> Case:
        """Run the tool. Raises ToolError for arguments that it refuses."""
        return Case(self, arguments, CATALOG[self.tool].call(arguments))


@dataclass(frozen=True, slots=True)
class Slip:
    """A wrong value that a known mistake leads to."""

    value: float
    reason: str


@dataclass(frozen=True, slots=True)
class Reckoning:
    """A number to work out: what is shown, and what it is checked against."""

    template: str
    arguments: Mapping[str, Any]
    ask: str
    given: tuple[str, ...]
    value: float
    unit: Unit | None
    shown: str
    tolerance: float
    slips: tuple[Slip, ...]
    result: Result

    @classmethod
    def of(cls, case: Case) -> "Reckoning":
        """A case as it is asked; slips too near to the truth or to each other are left out."""
        template = case.template
        slips: list[Slip] = []
        for value, reason in template.slips(case):
            known = (case.value, *(slip.value for slip in slips))
            if all(apart(value, other, template.tolerance) for other in known):
                slips.append(Slip(value, reason))
        words = {name: _word(value) for name, value in case.arguments.items()}
        return cls(
            template=template.name,
            arguments=case.arguments,
            ask=template.ask.format(**words),
            given=tuple(template.given(case)),
            value=case.value,
            unit=unit_of(template.unit),
            shown=show(case.value, template.unit),
            tolerance=template.tolerance,
            slips=tuple(slips),
            result=case.result,
        )

    @property
    def text(self) -> str:
        """The question with everything that it can be solved from."""
        return "\n".join((self.ask, *(f"- {line}" for line in self.given)))


def apart(value: float, other: float, tolerance: float) -> bool:
    """Whether no stated number can agree with both."""
    return abs(value - other) > 2.2 * tolerance * max(abs(value), abs(other))


def _word(value: object) -> str:
    return show(value) if isinstance(value, int | float) else str(value)
