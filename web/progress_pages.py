"""Serves progress: rates by part, theme and week, of one scorer with one rubric."""

from typing import Annotated, Literal

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import HTMLResponse, Response

from interviewer.events import PartName
from interviewer.review.progress import progress_of
from web.dependencies import RunningViva
from web.rendering import page
from web.takeaway import self_contained
from web.views.progress import chosen_of, page_of

router = APIRouter(include_in_schema=False)


@router.get("/progress", name="progress")
async def progress(
    request: Request,
    viva: RunningViva,
    by: Annotated[str, Query(max_length=300)] = "",
    part: Annotated[PartName | Literal[""], Query()] = "",
    drills: Annotated[Literal["", "yes"], Query()] = "",
) -> HTMLResponse:
    """Whole rounds, or drills as well, read by one scorer with one rubric."""
    known = await viva.store.identities()
    if not known:
        return page(request, "progress.html", view=None)
    current = frozenset(rubric.hash for rubric in viva.rubrics.values())
    identity = chosen_of(known, by, current)
    if identity is None:
        raise HTTPException(404, f"by {by}: nobody of this name scored a round with this rubric")
    by_card, by_day = await viva.store.tallies(
        identity.scorer, identity.rubric_hash, drills=drills == "yes"
    )
    themes = {card.id: card.theme for card in viva.library.cards}
    found = progress_of(by_card, by_day, themes)
    view = page_of(found, identity, known, part, drills=drills == "yes")
    return page(request, "progress.html", view=view)


@router.get("/progress/export.html", name="export_progress")
async def as_file(
    request: Request, viva: RunningViva, by: Annotated[str, Query(max_length=300)] = ""
) -> Response:
    """The page as one file, for a coach."""
    shown = await progress(request, viva, by)
    headers = {"content-disposition": 'attachment; filename="viva-progress.html"'}
    return HTMLResponse(self_contained(bytes(shown.body).decode()), headers=headers)
