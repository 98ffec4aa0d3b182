"""Grounded numbers as chips: what a chip shows when it is opened, and the text cut at its chips."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from interviewer.events import Figure
from tools.catalog import CATALOG

ORIGINS = {
    "fact": "a figure of this question",
    "tool": "a tool, run in this round",
    "card": "the question's own text",
    "candidate": "your own answer",
}


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call as people read it; `query` opens the same call on the page of a `known` tool."""

    name: str
    arguments: tuple[tuple[str, str], ...]
    query: str
    known: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """One grounded number. `id` is unique on the page."""

    id: str
    said: str
    label: str
    value: str
    origin: str
    tool: ToolUse | None
    formula: str
    formula_name: str
    source: str


@dataclass(frozen=True, slots=True)
class Segment:
    """A stretch of a turn's text, with its chip where it is a grounded number."""

    text: str
    chip: Chip | None = None


def tool_use(name: str | None, arguments: Mapping[str, Any]) -> ToolUse | None:
    """A tool call for display; None where no tool was run."""
    if name is None:
        return None
    pairs = tuple((key, written(value)) for key, value in arguments.items() if value is not None)
    return ToolUse(name, pairs, urlencode(pairs), name in CATALOG)


def formula_name(tool: str | None, formula: str, value: str) -> str:
    """What a formula is to be called: a tool shows that of its main result, whichever of its
    results the number is. The page's script names it by the same rule.
    """
    return "Formula" if not tool or formula.endswith(f"= {value}") else "Formula of the main result"


def written(value: object) -> str:
    """An argument as a form field holds it: text as it is, everything else as JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False, default=str)


def segments(text: str, figures: Sequence[Figure], prefix: str) -> tuple[Segment, ...]:
    """The text cut at its figures; one that overlaps another, or the end, is left out."""
    cut, at = [], 0
    for number, figure in enumerate(sorted(figures, key=lambda figure: figure.start)):
        if not at <= figure.start < figure.end <= len(text):
            continue
        if figure.start > at:
            cut.append(Segment(text[at : figure.start]))
        said = text[figure.start : figure.end]
        cut.append(Segment(said, _chip(figure, said, f"{prefix}-{number}")))
        at = figure.end
    if at < len(text):
        cut.append(Segment(text[at:]))
    return tuple(cut)


def _chip(figure: Figure, said: str, chip_id: str) -> Chip:
    return Chip(
        id=chip_id,
        said=said,
        label=figure.label,
        value=figure.value,
        origin=ORIGINS[figure.origin],
        tool=tool_use(figure.tool, figure.arguments),
        formula=figure.formula,
        formula_name=formula_name(figure.tool, figure.formula, figure.value),
        source=figure.source,
    )
