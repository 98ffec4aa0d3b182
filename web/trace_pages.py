"""Serves a simulator's trace step by step: the tool's own arguments in the URL, and `step`."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from tools.catalog import CATALOG
from tools.registry import Tool
from tools.result import Result, ToolError
from tools.trace import Step
from web.figures.figure import short
from web.rendering import page, url
from web.views.figures import written
from web.views.tool_form import arguments

router = APIRouter(include_in_schema=False)
STEP = "step"
"""The one name of the query that is not an argument of the tool."""


@dataclass(frozen=True, slots=True)
class Place:
    """A step of a trace, counted from 1, and the links to the others; '' where there is none."""

    number: int
    steps: int
    first: str
    previous: str
    next: str
    last: str


@router.get("/tools/{name}/trace.json", name="trace_json")
def as_json(request: Request, name: str) -> Response:
    """All steps as JSON."""
    try:
        result = _tool(name).call(arguments(_given(request)))
    except ToolError as error:
        fault = {"field": error.field, "message": str(error), "remedy": error.remedy}
        return JSONResponse({"error": fault}, 422)
    steps = [step.model_dump(mode="json") for step in result.trace]
    return JSONResponse({"tool": name, "warnings": result.warnings, "steps": steps})


@router.get("/tools/{name}/trace", name="trace")
def show(request: Request, name: str) -> Response:
    """One step of the run that the URL asks for; without arguments, of the example."""
    tool, given = _tool(name), _given(request)
    if not given:
        example = {key: written(value) for key, value in tool.example.items()}
        asked = {STEP: value} if (value := request.query_params.get(STEP)) else {}
        query = urlencode({**example, **asked})
        return RedirectResponse(f"{url(request, 'trace', name=name)}?{query}", 303)
    try:
        result = tool.call(arguments(given))
    except ToolError:
        # The tool's page says what is wrong beside the field, and keeps what was given.
        return RedirectResponse(f"{url(request, 'tool', name=name)}?{urlencode(given)}", 303)
    if not result.trace:
        raise HTTPException(404, f"{name} has no steps to walk through.")
    return _page(request, tool, result, given)


def _page(request: Request, tool: Tool, result: Result, given: Mapping[str, str]) -> HTMLResponse:
    place = _place(request.query_params.get(STEP, ""), len(result.trace), given)
    step = result.trace[place.number - 1]
    return page(
        request,
        "trace.html",
        tool=tool,
        result=result,
        given=given,
        place=place,
        step=step,
        lanes=_lanes(tool, step),
        drawing=Markup(tool.step_figure(result, place.number - 1) or ""),
        query=urlencode(given),
        short=short,
    )


def _given(request: Request) -> dict[str, str]:
    return {name: value for name, value in request.query_params.items() if name != STEP}


def _tool(name: str) -> Tool:
    if name not in CATALOG:
        raise HTTPException(404, f"There is no tool named {name}.")
    return CATALOG[name]


def _place(asked: str, steps: int, given: Mapping[str, str]) -> Place:
    """The step asked for; nonsense is the first, what lies beyond is the last."""
    number = int(asked) if asked.isdecimal() and len(asked) < 6 else 1
    number = min(max(1, number), steps)

    def link(step: int) -> str:
        known = step != number and 1 <= step <= steps
        return urlencode({**given, STEP: step}) if known else ""

    return Place(number, steps, link(1), link(number - 1), link(number + 1), link(steps))


def _lanes(tool: Tool, step: Step) -> list[tuple[str, str]]:
    """Each lane in words: its cells with what they stand for, runs of equal ones together."""
    rows = []
    for lane in step.lanes:
        parts: list[str] = []
        for cell in lane.cells:
            mark = tool.marks.get(cell.mark, cell.mark)
            parts.append(f"{cell.text} ({mark})" if cell.text else mark)
        rows.append((lane.label, ", ".join(_runs(parts))))
    return rows


def _runs(parts: list[str]) -> list[str]:
    runs: list[tuple[str, int]] = []
    for part in parts:
        if runs and runs[-1][0] == part:
            runs[-1] = (part, runs[-1][1] + 1)
        else:
            runs.append((part, 1))
    return [part if count == 1 else f"{count} × {part}" for part, count in runs]
