"""Serves a round as a file to keep, in Markdown and in JSON."""

from fastapi import APIRouter
from starlette.responses import Response

from interviewer import export
from web.dependencies import RunningViva

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


def _file(text: str, round_id: str, ending: str, media_type: str) -> Response:
    headers = {"content-disposition": f'attachment; filename="viva-{round_id}.{ending}"'}
    return Response(text, media_type=f"{media_type}; charset=utf-8", headers=headers)
