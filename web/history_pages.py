"""Serves what is behind: the history with its search, and a round played back with its marks."""

from typing import Annotated

from fastapi import APIRouter, Form, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.afterwards import LONGEST_NOTE, mark
from interviewer.errors import InvalidUtterance, UtteranceTooLong
from web import wire
from web.audio_pages import kept_sound
from web.dependencies import RunningViva
from web.rendering import page, url
from web.views.history import PER_PAGE, Asked, history_of, wanted_of
from web.views.playback import Refused, playback_of

router = APIRouter(include_in_schema=False)


@router.get("/rounds", name="rounds")
async def rounds(request: Request, viva: RunningViva, asked: Annotated[Asked, Query()]) -> Response:
    """The rounds that pass the filters of the URL, the newest first."""
    cards = viva.library.cards
    wanted, faults = wanted_of(asked, cards)
    found = await viva.store.find(wanted, PER_PAGE, PER_PAGE * (asked.page - 1))
    played = await viva.store.tries()
    view = history_of(asked, found, faults, cards, played, await viva.store.scorers())
    filtered = bool(view.active or asked.q)
    return page(request, "rounds.html", view=view, played=bool(played), filtered=filtered)


@router.get("/rounds/{round_id}/playback", name="playback")
async def playback(request: Request, viva: RunningViva, round_id: str) -> HTMLResponse:
    """The round in time, with evidence, tool calls, bookmarks and notes."""
    session = await viva.rounds.open(round_id)
    view = playback_of(session, await kept_sound(viva, session.id))
    return page(request, "playback.html", view=view, longest=LONGEST_NOTE)


@router.post("/rounds/{round_id}/turns/{turn}", name="mark_turn")
async def mark_turn(
    request: Request,
    viva: RunningViva,
    round_id: str,
    turn: int,
    bookmarked: Annotated[str, Form()] = "",
    note: Annotated[str, Form()] = "",
) -> Response:
    """Keep the bookmark and the note of a turn; a refused note comes back in its box."""
    session = await viva.rounds.open(round_id)
    note = note.replace("\r\n", "\n").strip()
    try:
        await mark(session, turn, bookmarked=bookmarked == "yes", note=note)
    except (UtteranceTooLong, InvalidUtterance) as error:
        kept = await kept_sound(viva, session.id)
        view = playback_of(session, kept, Refused(turn, note, str(error)))
        status = wire.answer(error).status
        return page(request, "playback.html", status, view=view, longest=LONGEST_NOTE)
    return RedirectResponse(f"{url(request, 'playback', round_id=round_id)}#turn-{turn}", 303)
