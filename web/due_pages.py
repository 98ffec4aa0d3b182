"""Serves what comes back today and later, and takes the person's own rating."""

from typing import Annotated, Literal
from urllib.parse import urlencode

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.events import PartName
from interviewer.schedule import Rated
from web.dependencies import RunningViva
from web.rendering import page, url
from web.views.due import due_page, rated_words

router = APIRouter(include_in_schema=False)
RATINGS: dict[str, Rated] = {"1": 1, "2": 2, "3": 3, "4": 4}
PageNumber = Annotated[int, Query(alias="page", ge=1, le=1_000_000)]


@router.get("/due", name="due")
async def due(
    request: Request,
    viva: RunningViva,
    number: PageNumber = 1,
    rated: Annotated[str, Query(max_length=120)] = "",
) -> HTMLResponse:
    """A page of everything that comes back, the soonest first, and what was just rated."""
    today = viva.rounds.now().date()
    items = await viva.reviews.items()
    view = due_page(items, viva.library, today, number)
    return page(request, "due.html", view=view, rated=rated_words(items, rated))


@router.post("/due", name="correct_rating")
async def correct(
    request: Request,
    viva: RunningViva,
    round_id: Annotated[str, Form(alias="round", max_length=32)],
    part: Annotated[PartName, Form()],
    rating: Annotated[Literal["1", "2", "3", "4"], Form()],
    number: PageNumber = 1,
) -> Response:
    """Let the person's rating take the place of the score's, and show the same page again."""
    review = await viva.reviews.correct(round_id, part, RATINGS[rating])
    query = urlencode({"page": number, "rated": f"{review.card} {part}"})
    return RedirectResponse(f"{url(request, 'due')}?{query}", 303)
