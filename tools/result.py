"""What every tool returns: a value with its unit, the formula, and everything that it rests on."""

from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from tools.trace import Step


class ToolError(ValueError):
    """Bad input to a tool: names the field, the value and the remedy, for people and for models."""

    def __init__(self, field: str, value: object, remedy: str) -> None:
        super().__init__(f"{field}={value!r}: {remedy}")
        self.field, self.value, self.remedy = field, value, remedy


class Measure(BaseModel):
    """One number of a result. `unit` says GB (1e9) or GiB (2^30), per token, per GPU or in all."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    value: float
    unit: str
    label: str
    kind: str = "exact"
    """'exact', 'floor' (cannot be beaten), 'ceiling',
    'estimate' (rests on an efficiency) or 'count'."""


class Result(BaseModel):
    """A tool's answer. `value` and `unit` are the headline;
    `measures` holds it and every part of it by name."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    tool: str
    value: float
    unit: str
    label: str
    formula: str
    """The arithmetic as text, with the numbers put in."""
    inputs: dict[str, Any]
    measures: dict[str, Measure]
    assumptions: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    source: str
    version: str = "1"
    table: tuple[dict[str, Any], ...] = Field(default=())
    """Rows for a figure or a CSV: the same quantity over a range."""
    trace: tuple[Step, ...] = Field(default=())
    """A simulator's steps, to walk through and draw; empty for a calculator."""
