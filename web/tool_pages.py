"""Serves the tools' pages: a GET form whose URL is its whole state; the same as JSON and CSV."""

import csv
import io

from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from tools.catalog import CATALOG, sections
from tools.registry import Tool
from tools.result import Result, ToolError
from web.rendering import page
from web.views.tool_form import arguments, columns_of, outcome_of

router = APIRouter(include_in_schema=False)


@router.get("/tools", name="tools")
def index(request: Request) -> HTMLResponse:
    """All tools by section."""
    return page(request, "tools.html", groups=tuple(sections()))


@router.get("/tools/{name}.json", name="tool_json")
def as_json(request: Request, name: str) -> Response:
    """The result as JSON; a bad argument is a 422 that names field, value and remedy."""
    tool = _tool(name)
    try:
        result = tool.call(arguments(request.query_params))
    except ToolError as error:
        fault = {"field": error.field, "message": str(error), "remedy": error.remedy}
        return JSONResponse({"error": fault}, 422)
    return JSONResponse(result.model_dump(mode="json"))


@router.get("/tools/{name}.csv", name="tool_csv")
def as_csv(request: Request, name: str) -> Response:
    """The result's table, or its measures where it has none, as CSV."""
    tool = _tool(name)
    try:
        result = tool.call(arguments(request.query_params))
    except ToolError as error:
        return PlainTextResponse(str(error), 422)
    headers = {"content-disposition": f'attachment; filename="{tool.name}.csv"'}
    return Response(_csv(result), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/tools/{name}", name="tool")
def show(request: Request, name: str) -> HTMLResponse:
    """The form, and the result of what the URL asks."""
    outcome = outcome_of(_tool(name), request.query_params)
    failed = outcome.fault or any(field.fault for field in outcome.fields)
    query = request.url.query
    return page(request, "tool.html", 422 if failed else 200, outcome=outcome, query=query)


def _tool(name: str) -> Tool:
    if name not in CATALOG:
        raise HTTPException(404, f"There is no tool named {name}.")
    return CATALOG[name]


def _csv(result: Result) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    if result.table:
        columns = columns_of(result)
        writer.writerow(columns)
        writer.writerows([row.get(name) for name in columns] for row in result.table)
        return text.getvalue()
    writer.writerow(("name", "label", "value", "unit", "kind"))
    for name, measure in result.measures.items():
        writer.writerow((name, measure.label, measure.value, measure.unit, measure.kind))
    return text.getvalue()
