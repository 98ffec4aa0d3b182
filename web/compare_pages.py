"""Serves the comparison of models: a GET form whose URL is its state; an upload only adds to it."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated
from urllib.parse import urlencode

from fastapi import APIRouter, File, Form, Request, UploadFile
from markupsafe import Markup
from starlette.datastructures import QueryParams
from starlette.responses import HTMLResponse, JSONResponse, RedirectResponse, Response

from web.config_upload import MOST_STATE, NotAConfig, kept_config
from web.figures.canvas import COMPACT, WIDE, Canvas
from web.figures.controls import Settings, read
from web.figures.figure import short
from web.rendering import page, url
from web.views.compare import (
    CONTROLS,
    DEFAULT,
    MOST,
    Comparison,
    Subject,
    Value,
    compare,
    draw,
    subjects,
)

router = APIRouter(include_in_schema=False)
NAMES = {control.name for control in CONTROLS}


@router.get("/compare.json", name="compare_json")
def as_json(request: Request) -> Response:
    """Every model's values with their units, or why it is not supported."""
    settings, faults, chosen, _ = _asked(request.query_params)
    if faults:
        field, remedy = next(iter(faults.items()))
        return JSONResponse({"error": {"field": field, "remedy": remedy}}, 422)
    comparison = compare(chosen, settings)
    models = [
        {
            "model": column.subject.label,
            "supported": not column.refusal,
            "reason": column.refusal,
            "warnings": column.warnings,
            "values": {label: _plain(value) for label, value in column.values.items()},
        }
        for column in comparison.columns
    ]
    return JSONResponse({"settings": dict(settings), "said": comparison.said, "models": models})


def _plain(value: Value) -> dict[str, object]:
    if value.value is None:
        return {"value": None, "reason": value.refusal}
    return {"value": value.value, "unit": value.unit}


@router.get("/compare.csv", name="compare_csv")
def as_csv(request: Request) -> Response:
    """One row a quantity, one column a model."""
    settings, _, chosen, _ = _asked(request.query_params)
    comparison = compare(chosen, settings)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("quantity", "unit", *(c.subject.label for c in comparison.columns)))
    for label in comparison.rows:
        cells = [column.values.get(label, Value(None)) for column in comparison.columns]
        unit = comparison.units[label]
        writer.writerow((label, unit, *("" if c.value is None else c.value for c in cells)))
    headers = {"content-disposition": 'attachment; filename="compare.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/compare", name="compare")
def show(request: Request) -> HTMLResponse:
    """The models of the URL side by side."""
    return _page(request, request.query_params, "")


@router.post("/compare", name="compare_upload")
async def upload(
    request: Request,
    file: Annotated[UploadFile, File()],
    state: Annotated[str, Form(max_length=MOST_STATE)] = "",
) -> Response:
    """Add a file's config.json to the comparison's address; its other fields are dropped."""
    given = QueryParams(state)
    try:
        config = await kept_config(file)
    except NotAConfig as error:
        return _page(request, given, str(error))
    query = urlencode([*given.multi_items(), ("config", config)])
    return RedirectResponse(f"{url(request, 'compare')}?{query}", 303)


def _asked(
    given: QueryParams,
) -> tuple[Settings, dict[str, str], Sequence[Subject], list[str]]:
    settings, faults = read(CONTROLS, {k: v for k, v in given.items() if k in NAMES})
    configs = [text for text in given.getlist("config") if text.strip()]
    names = given.get("models", "" if configs else "\n".join(DEFAULT))
    chosen = subjects(names, configs)
    if len(chosen) > MOST:
        faults["models"] = f"takes at most {MOST} models, configs included"
    return settings, faults, chosen, configs


def _page(request: Request, given: QueryParams, refused: str) -> HTMLResponse:
    settings, faults, chosen, configs = _asked(given)
    comparison = compare(chosen, settings)
    query = [*settings.items(), ("models", given.get("models", _names(chosen)))]
    state = urlencode([*query, *(("config", text) for text in configs)])
    return page(
        request,
        "compare.html",
        422 if faults or refused else 200,
        controls=CONTROLS,
        settings=settings,
        faults=faults,
        refused=refused,
        comparison=comparison,
        drawings=_drawings(comparison),
        names=given.get("models", _names(chosen)),
        configs=configs,
        state=state,
        short=short,
        encoded=urlencode,
    )


def _names(chosen: Sequence[Subject]) -> str:
    return "\n".join(subject.label for subject in chosen if "model" in subject.argument)


def _drawings(comparison: Comparison) -> tuple[Markup, ...]:
    drawn = []
    for width in (WIDE, COMPACT):
        canvas = Canvas(width)
        height = draw(canvas, comparison)
        drawn.append(Markup(canvas.svg(height, "Cache of one sequence by model", comparison.said)))
    return tuple(drawn)
