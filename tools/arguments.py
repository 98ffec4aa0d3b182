"""The base of every tool's arguments, and the one place where input is read leniently.

Strings from forms, the command line and models become the declared type here; nothing else in
`tools` guesses at input. A null or an empty string is an argument that was not given.
"""

import json
import re
from collections.abc import Mapping
from difflib import get_close_matches
from types import UnionType
from typing import Annotated, Any, TypeVar, Union, get_args, get_origin

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from tools.result import ToolError

THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
SHOWN = 120
"""Characters of a refused value that an error repeats."""


class Arguments(BaseModel):
    """Arguments of a tool: immutable, no unknown field, no infinity."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False, defer_build=True)


Chance = Annotated[float, Field(ge=0, le=1)]
"""A probability in a list."""

MOST_JSON = 65_536
"""Characters of JSON text that an argument may hold."""

A = TypeVar("A", bound=Arguments)

_UNREADABLE = {
    "int_parsing": "should be a whole number",
    "int_from_float": "should be a whole number",
    "float_parsing": "should be a number",
    "bool_parsing": "should be true or false",
}
"""For people, what pydantic says of its parser."""


def read(model: type[A], given: Mapping[str, object]) -> A:
    """Validate `given`; ToolError names the first field that is wrong, its value and the remedy."""
    lenient = {name: _lenient(value, _types(model, name)) for name, value in given.items()}
    known = {name: value for name, value in lenient.items() if value is not None and value != ""}
    for name, value in known.items():
        if isinstance(value, bool) and bool not in _types(model, name):
            remedy = f"is a number or a text, not true or false. {_about(model, name)}"
            raise ToolError(name, value, remedy)
    try:
        return model.model_validate(known)
    except ValidationError as error:
        raise _refusal(model, error.errors(include_url=False)[0]) from None


def _lenient(value: object, types: tuple[object, ...]) -> object:
    """A string as a form sends it: trimmed, '8,192' without commas, JSON where a list is due."""
    if not isinstance(value, str):
        return value
    text = value.strip()
    if str in types:
        return text
    if text[:1] in ("[", "{"):
        return _loaded(text)
    return text.replace(",", "") if THOUSANDS.fullmatch(text) else text


def _loaded(text: str) -> object:
    try:
        return json.loads(text) if len(text) <= MOST_JSON else text
    except (ValueError, RecursionError):
        return text


def _types(model: type[Arguments], name: str) -> tuple[object, ...]:
    """The types that an argument may have; every one for an argument that is not known."""
    field = model.model_fields.get(name)
    if field is None:
        return (bool, str)
    union = get_origin(field.annotation) in (Union, UnionType)
    return get_args(field.annotation) if union else (field.annotation,)


def shorten(value: object) -> object:
    """A refused value, short enough to be repeated in an error."""
    if (
        isinstance(value, int | float)
        and len(str(value) if abs(value) < 1e300 else "x" * 400) < SHOWN
    ):
        return value
    text = (
        value
        if isinstance(value, str)
        else type(value).__name__
        if isinstance(value, int)
        else _dump(value)
    )
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def _dump(value: object) -> str:
    try:
        return json.dumps(value, default=repr)
    except (ValueError, RecursionError):
        return type(value).__name__


def _about(model: type[Arguments], name: str) -> str:
    field = model.model_fields.get(name)
    return (field.description or "") if field else ""


def _refusal(model: type[Arguments], error: ErrorDetails) -> ToolError:
    path = [str(part) for part in error["loc"]]
    name = path[0] if path else "arguments"
    if error["type"] == "extra_forbidden" and len(path) == 1:
        close = get_close_matches(name, model.model_fields, n=1, cutoff=0.6)
        hint = f"did you mean {close[0]}? " if close else ""
        known = ", ".join(model.model_fields)
        return ToolError(
            name[:SHOWN], shorten(error["input"]), f"unknown argument; {hint}Known: {known}"
        )
    if error["type"] == "missing" and len(path) == 1:
        return ToolError(name, None, f"is required. {_about(model, name)}")
    return ToolError(
        _dotted(model, path),
        shorten(error["input"]),
        f"{_reason(error)}. {_about(model, name)}".strip(),
    )


def _dotted(model: type[Arguments], path: list[str]) -> str:
    """`ops.0.kind`; the tags that pydantic adds for the arms of a union are left out."""
    return (
        ".".join(
            [path[0], *(part for part in path[1:] if part.isdigit() or part.isidentifier())][:4]
        )
        if path
        else "arguments"
    )


def _reason(error: ErrorDetails) -> str:
    if error["type"] in _UNREADABLE:
        return _UNREADABLE[error["type"]]
    message: Any = error["msg"]
    return str(message).removeprefix("Value error, ").removeprefix("Input ")
