"""Serves a round as a file to keep or to send: Markdown, JSON, and one self-contained page."""

from http import HTTPStatus

from fastapi import APIRouter, Request
from starlette.responses import Response

from interviewer import export
from web.dependencies import RunningViva
from web.round_pages import scorecard
from web.takeaway import self_contained

router = APIRouter(include_in_schema=False)


@router.get("/rounds/{round_id}/export.md", name="export_markdown")
async def markdown(viva: RunningViva, round_id: str) -> Response:
    """The question, the newest scorecard and the transcript."""
    # From the log: a round can be taken away even when its card is gone from the library.
    log = await viva.store.read(round_id)
    return _file(export.as_markdown(round_id, log), round_id, "md", "text/markdown")


@router.get("/rounds/{round_id}/export.json", name="export_json")
async def as_json(viva: RunningViva, round_id: str) -> Response:
    """Every event, with the transcript and the scorecards beside them."""
    log = await viva.store.read(round_id)
    return _file(export.as_json(round_id, log), round_id, "json", "application/json")


@router.get("/rounds/{round_id}/export.html", name="export_html")
async def as_page(request: Request, viva: RunningViva, round_id: str) -> Response:
    """The newest scorecard as one file, for a coach; without one, the page that says so."""
    shown = await scorecard(request, viva, round_id)
    if shown.status_code != HTTPStatus.OK:
        return shown
    return _file(self_contained(bytes(shown.body).decode()), round_id, "html", "text/html")


def _file(text: str, round_id: str, ending: str, media_type: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="viva-{round_id}.{ending}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)
