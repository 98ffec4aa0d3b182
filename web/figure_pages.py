"""Serves the live figures: a GET form whose URL is the whole state; the same as JSON and CSV."""

import csv
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from urllib.parse import urlencode

from fastapi import APIRouter, Request
from markupsafe import Markup
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, Response

from tools.catalog import simulators
from web.dependencies import RunningViva
from web.figures.controls import Settings, Slider, read
from web.figures.figure import LiveFigure, Shown, columns_of, short
from web.figures.gallery import FIGURES, SECTIONS
from web.rendering import page

router = APIRouter(include_in_schema=False)


@dataclass(frozen=True, slots=True)
class Walk:
    """Links to the first, previous, next and last step; '' where there is none."""

    first: str
    previous: str
    next: str
    last: str
    step: int
    steps: int


@router.get("/figures", name="figures")
def index(request: Request) -> HTMLResponse:
    """All figures by section."""
    sections = tuple(SECTIONS.items())
    return page(request, "figures.html", sections=sections, simulators=simulators())


@router.get("/figures/{slug}.json", name="figure_json")
def as_json(request: Request, slug: str) -> Response:
    """The figure's settings, numbers and table as JSON; a bad setting is a 422 that names it."""
    figure = _figure(slug)
    settings, faults = read(figure.controls, request.query_params)
    if faults:
        field, remedy = next(iter(faults.items()))
        fault = {"field": field, "message": f"{field} {remedy}", "remedy": remedy}
        return JSONResponse({"error": fault}, 422)
    shown = figure.show(settings)
    rows = [dict(zip(shown.columns, row, strict=True)) for row in shown.rows]
    return JSONResponse(
        {
            "figure": slug,
            "settings": dict(settings),
            "said": shown.said,
            "numbers": [asdict(number) for number in shown.numbers],
            "warning": shown.warning,
            "rows": rows,
            "notes": shown.notes,
            "source": shown.source,
        }
    )


@router.get("/figures/{slug}.csv", name="figure_csv")
def as_csv(request: Request, slug: str) -> Response:
    """The figure's table as CSV."""
    figure = _figure(slug)
    settings, faults = read(figure.controls, request.query_params)
    if faults:
        field, remedy = next(iter(faults.items()))
        return PlainTextResponse(f"{field} {remedy}", 422)
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    shown = figure.show(settings)
    writer.writerow(shown.columns)
    writer.writerows(shown.rows)
    headers = {"content-disposition": f'attachment; filename="{slug}.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/figures/{slug}", name="figure")
def show(request: Request, viva: RunningViva, slug: str) -> HTMLResponse:
    """The figure under the URL's settings; a bad one is named and its default is shown."""
    figure = _figure(slug)
    settings, faults = read(figure.controls, request.query_params)
    shown = figure.show(settings)
    if figure.stepped:
        settings = {**settings, figure.stepped: min(int(settings[figure.stepped]), shown.steps)}
    drawings = tuple(Markup(svg) for svg in shown.drawings())
    strangers = {name: remedy for name, remedy in faults.items() if name not in settings}
    return page(
        request,
        "figure.html",
        422 if faults else 200,
        figure=figure,
        settings=settings,
        faults=faults,
        strangers=strangers,
        shown=shown,
        short=short,
        links=tuple(card if card in viva.library.by_id else "" for card in shown.links),
        cells=columns_of(shown.rows),
        drawings=drawings,
        walk=_walk(figure, settings, shown),
        query=urlencode(settings),
    )


def _figure(slug: str) -> LiveFigure:
    if slug not in FIGURES:
        raise HTTPException(404, f"There is no figure named {slug}.")
    return FIGURES[slug]


def _walk(figure: LiveFigure, settings: Settings, shown: Shown) -> Walk | None:
    if not figure.stepped:
        return None
    slider = next(c for c in figure.controls if c.name == figure.stepped)
    assert isinstance(slider, Slider)
    at, end = int(settings[slider.name]), shown.steps

    def link(step: int) -> str:
        return "" if step == at or not slider.low <= step <= end else _with(settings, slider, step)

    return Walk(link(slider.low), link(at - 1), link(at + 1), link(end), at, end)


def _with(settings: Mapping[str, int | str], slider: Slider, step: int) -> str:
    return urlencode({**settings, slider.name: step})
