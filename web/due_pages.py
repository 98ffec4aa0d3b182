"""Serves what comes back today and later, and takes the person's own rating."""

from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.events import PartName
from interviewer.schedule import Rated
from web.dependencies import RunningViva
from web.rendering import page, url
from web.views.due import due_items

router = APIRouter(include_in_schema=False)
RATINGS: dict[str, Rated] = {"1": 1, "2": 2, "3": 3, "4": 4}


@router.get("/due", name="due")
async def due(request: Request, viva: RunningViva) -> HTMLResponse:
    """Everything that comes back, the soonest first."""
    today = viva.rounds.now().date()
    items = due_items(await viva.reviews.items(), viva.library, today)
    return page(request, "due.html", items=items)


@router.post("/due", name="correct_rating")
async def correct(
    request: Request,
    viva: RunningViva,
    round_id: Annotated[str, Form(alias="round", max_length=32)],
    part: Annotated[PartName, Form()],
    rating: Annotated[Literal["1", "2", "3", "4"], Form()],
) -> Response:
    """Let the person's rating take the place of the score's."""
    await viva.reviews.correct(round_id, part, RATINGS[rating])
    return RedirectResponse(url(request, "due"), 303)
