"""`@tool` makes a Tool from a typed function: schema, validation and result are alike for all.

Knows no particular tool. A function takes one `Arguments` model and returns a `Working`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from inspect import cleandoc
from math import isfinite
from typing import Any, TypeVar

from tools.arguments import Arguments, read
from tools.figure import Drawing, draw
from tools.result import Result, ToolError
from tools.trace import MARKS, Mark, draw_step
from tools.working import Working

A = TypeVar("A", bound=Arguments)


@dataclass(frozen=True)
class Tool:
    """A pure calculation with described, bounded arguments; one definition behind every surface."""

    name: str
    group: str
    """Its name in the catalogue of tools; several functions may share one."""
    summary: str
    """One sentence."""
    description: str
    """What it computes, by which convention; for people and for models."""
    input_model: type[Arguments]
    run: Callable[[Any], Working]
    example: Mapping[str, Any]
    """Arguments that work, for help texts and forms."""
    drawing: Drawing | None = None
    """How to draw the result's table."""
    marks: Mapping[Mark, str] = field(default_factory=lambda: MARKS)
    """What the cells of a trace stand for, where a tool says it more closely."""
    version: str = "1"

    def call(self, arguments: Mapping[str, object]) -> Result:
        """Run with JSON values, or strings as forms send them. ToolError for any bad input."""
        given = read(self.input_model, arguments)
        try:
            working = self.run(given)
        except ArithmeticError as error:  # 5e-324 times a half is zero, and a share of it infinite
            extremes = given.model_dump(exclude_none=True)
            raise ToolError("arguments", extremes, f"too extreme ({error})") from error
        headline = working.measures[working.headline]
        for key, measure in working.measures.items():
            if not isfinite(measure.value):
                raise ToolError(key, measure.value, "the result is not finite; check the inputs")
        return Result(
            tool=self.name,
            value=headline.value,
            unit=headline.unit,
            label=headline.label,
            formula=working.formula,
            inputs=given.model_dump(exclude_none=True),
            measures=working.measures,
            assumptions=tuple(working.assumptions),
            warnings=tuple(working.warnings),
            source=working.source,
            version=self.version,
            table=tuple(working.table),
            trace=tuple(working.trace),
        )

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments: flat, without $ref, null or title; a fresh copy."""
        schema: dict[str, Any] = _flatten(self._schema, self._schema.get("$defs", {}))
        schema.pop("description", None)
        return schema

    def figure(self, result: Result) -> str | None:
        """The result's table as SVG, or None where there is nothing to draw."""
        return draw(result, self.drawing) if self.drawing and result.table else None

    def step_figure(self, result: Result, index: int) -> str | None:
        """One step of the result's trace as SVG, or None where there is no such step."""
        if not 0 <= index < len(result.trace):
            return None
        return draw_step(result.trace[index], self.marks)

    @cached_property
    def _schema(self) -> dict[str, Any]:
        return self.input_model.model_json_schema()


def tool(
    *,
    group: str,
    example: Mapping[str, Any],
    drawing: Drawing | None = None,
    marks: Mapping[Mark, str] = MARKS,
) -> Callable[[Callable[[A], Working]], Tool]:
    """Make a Tool of a function; its name, docstring and argument type become the tool's."""

    def decorate(function: Callable[[A], Working]) -> Tool:
        text = cleandoc(function.__doc__ or "")
        (input_model,) = (t for n, t in function.__annotations__.items() if n != "return")
        return Tool(
            name=function.__name__,
            group=group,
            summary=text.partition("\n")[0],
            description=" ".join(text.split()),
            input_model=input_model,
            run=function,
            example=example,
            drawing=drawing,
            marks=marks,
        )

    return decorate


def _flatten(node: Any, defs: Mapping[str, Any]) -> Any:  # noqa: ANN401 (any JSON)
    """Put definitions for references, drop titles; an optional argument is just its type."""
    if isinstance(node, list):
        return [_flatten(item, defs) for item in node]
    if not isinstance(node, dict):
        return node
    if "$ref" in node:
        target = defs[node["$ref"].rpartition("/")[2]]
        return _flatten({**target, **{k: v for k, v in node.items() if k != "$ref"}}, defs)
    arms = [arm for arm in node.get("anyOf", ()) if arm != {"type": "null"}]
    if len(arms) == 1:
        return _flatten({**{k: v for k, v in node.items() if k != "anyOf"}, **arms[0]}, defs)
    return {
        key: {name: _flatten(part, defs) for name, part in value.items()}
        if key == "properties"
        else _flatten(value, defs)
        for key, value in node.items()
        if key not in ("title", "$defs") and not (key == "default" and value is None)
    }
