"""Serves the page of drills and starts them."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, Response

from interviewer.events import DrillName, PartName
from web.dependencies import RunningViva
from web.rendering import page
from web.round_pages import seen, settled
from web.views.drills import drill_page, least_practised

router = APIRouter(include_in_schema=False)

Word = Annotated[str, Query(max_length=100)]


@router.get("/drills", name="drills")
async def drills(
    request: Request, viva: RunningViva, card: Word = "", drill: Word = ""
) -> HTMLResponse:
    """Choose a drill, and a card for it."""
    return page(request, "drills.html", view=drill_page(viva.library, card, drill))


@router.post("/drills", name="start_drill")
async def start(
    request: Request,
    viva: RunningViva,
    drill: Annotated[DrillName, Form()],
    card: Annotated[str, Form(max_length=100)] = "",
    part: Annotated[PartName | None, Form()] = None,
    after: Annotated[str | None, Form(max_length=32)] = None,
) -> Response:
    """Begin a drill; without a card, on the one that was practised least."""
    if not card:
        found = least_practised(viva.library.cards, await viva.store.tries(), drill)
        if found is None:
            fault = "No card offers this drill; choose another one."
            view = drill_page(viva.library, card, drill, fault)
            return page(request, "drills.html", 422, view=view)
        card = found.id
    session = await viva.rounds.start(card, part, drill=drill, after=after)
    await settled(session)
    return seen(request, session)
