"""A tool's arguments as form fields, made from its JSON schema, and its result as rows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from tools.registry import Tool
from tools.result import Result, ToolError
from web.views.figures import written


@dataclass(frozen=True, slots=True)
class Field:
    """One argument. `kind` is 'choice', 'number', 'text', 'json' or 'switch'."""

    name: str
    kind: str
    hint: str
    value: str
    options: tuple[str, ...]
    required: bool
    step: str
    fault: str


@dataclass(frozen=True, slots=True)
class Outcome:
    """A tool's page: the form, and the result or the fault of what the URL asked."""

    tool: Tool
    fields: tuple[Field, ...]
    result: Result | None
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    svg: Markup
    fault: str


def outcome_of(tool: Tool, given: Mapping[str, str]) -> Outcome:
    """Run the tool on the URL's arguments; without any, show the form filled with its example."""
    if not given:
        shown = {name: written(value) for name, value in tool.example.items()}
        return Outcome(tool, _fields(tool, shown, None), None, (), (), Markup(), "")
    try:
        result = tool.call(arguments(given))
    except ToolError as error:
        names = tool.schema().get("properties", {})
        beside = error.field in names
        return Outcome(
            tool, _fields(tool, given, error), None, (), (), Markup(), "" if beside else str(error)
        )
    columns = columns_of(result)
    rows = tuple(tuple(cell(row.get(name)) for name in columns) for row in result.table)
    return Outcome(
        tool,
        _fields(tool, given, None),
        result,
        columns,
        rows,
        Markup(tool.figure(result) or ""),
        "",
    )


def arguments(given: Mapping[str, str]) -> dict[str, object]:
    """The arguments that a form sent: an empty field stands for one that was not given."""
    return {name: value.strip() for name, value in given.items() if value.strip()}


def columns_of(result: Result) -> tuple[str, ...]:
    """The columns of a result's table, in the order in which they first occur."""
    return tuple(dict.fromkeys(name for row in result.table for name in row))


def cell(value: object) -> str:
    """A value as a table shows it: at most six significant digits, thousands apart."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.0f}" if value.is_integer() and abs(value) < 1e15 else f"{value:,.6g}"
    return str(value)


def _fields(tool: Tool, given: Mapping[str, str], error: ToolError | None) -> tuple[Field, ...]:
    schema = tool.schema()
    required: Sequence[str] = schema.get("required", ())
    return tuple(
        _field(name, part, given.get(name, ""), name in required, error)
        for name, part in schema.get("properties", {}).items()
    )


def _field(
    name: str, part: Mapping[str, Any], value: str, required: bool, error: ToolError | None
) -> Field:
    options = tuple(map(written, part.get("enum", ())))
    hint = str(part.get("description", ""))
    if "default" in part and part["default"] is not None:
        hint = f"{hint.rstrip('.')}. Unset, it is {written(part['default'])}.".lstrip(". ")
    # The hint stands below it and says the description.
    fault = error.remedy.removesuffix(str(part.get("description", ""))) if error else ""
    fault = fault.strip() if error and error.field == name else ""
    step = "1" if part.get("type") == "integer" else "any"
    return Field(name, _kind(part), hint, value, options, required, step, fault)


def _kind(part: Mapping[str, Any]) -> str:
    if part.get("enum"):
        return "choice"
    kinds = {"integer": "number", "number": "number", "boolean": "switch", "string": "text"}
    return kinds.get(str(part.get("type", "")), "json" if part.get("type") else "text")
