"""What a tool's function builds: measures, formula, assumptions; the registry makes the Result."""

from dataclasses import dataclass, field
from typing import Any

from tools.result import Measure
from tools.trace import Recording, Step


def plain(value: float) -> str:
    """A number for people: whole ones in full with separators, others to five digits or more."""
    if abs(value) >= 1e15:
        return f"{value:.5g}"
    return f"{value:,.0f}" if value == int(value) or abs(value) >= 1e4 else f"{value:,.5g}"


def counted(number: int, noun: str) -> str:
    """'1 GPU', '20 sequences'."""
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


@dataclass
class Working:
    """The working of one calculation; `headline` is the key of the measure that answers."""

    headline: str
    source: str
    formula: str = ""
    measures: dict[str, Measure] = field(default_factory=dict)
    assumptions: list[str] = field(default_factory=list)
    warnings: list[str] = field(default_factory=list)
    table: list[dict[str, Any]] = field(default_factory=list)
    trace: list[Step] = field(default_factory=list)

    def put(self, key: str, value: float, unit: str, label: str, kind: str = "exact") -> None:
        """Record one measure; `kind` is one of those that Measure names."""
        self.measures[key] = Measure(value=value, unit=unit, label=label, kind=kind)

    def assume(self, *lines: str) -> None:
        """Say what the result rests on; empty lines are left out."""
        self.assumptions.extend(line for line in lines if line)

    def warn(self, *lines: str) -> None:
        """Say what may make the result wrong; empty lines are left out."""
        self.warnings.extend(line for line in lines if line)

    def show(self, recording: Recording) -> None:
        """Take over a simulator's steps; say so where some were left out."""
        self.trace = recording.steps
        self.warn(recording.notice)
