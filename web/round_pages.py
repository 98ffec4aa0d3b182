"""Serves the rounds' pages: the round itself and the scorecard.

Plain forms do what the scripts do over the socket.
"""

import asyncio
from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Form, HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.errors import InterviewerError, UnknownRound
from interviewer.events import PartName
from interviewer.session import RoundSession
from questions.faults import UnknownCard
from rubrics.scorecard import Scorecard
from web import wire
from web.audio_pages import kept_sound, voice_panel
from web.dependencies import RunningViva
from web.rendering import page, url
from web.tellings import looked
from web.views import conversation, figures
from web.views.delivery import delivered, heard_rows
from web.views.room import room_of
from web.views.scorecard import scored_round
from web.views.stories import TellingPage, telling_page

router = APIRouter(include_in_schema=False)
PATIENCE_S = 1.5
"""How long a plain form waits for the reply before it shows the page without it."""

Act = Literal["say", "think", "move_on", "finish"]


class _Words:
    """The notes of the conversation, for the script that writes the same ones."""

    MOVED_ON = conversation.MOVED_ON
    PAUSED = conversation.PAUSED
    STOPPED = conversation.STOPPED
    ENDED = conversation.ENDED
    MODEL_FAILED = conversation.MODEL_FAILED
    JUDGE_FAILED = conversation.JUDGE_FAILED
    TOOL_FAILED = conversation.TOOL_FAILED
    DROPPED = conversation.DROPPED
    ORIGINS = figures.ORIGINS


@router.post("/rounds", name="start_round")
async def start(
    request: Request,
    viva: RunningViva,
    card: Annotated[str, Form(max_length=100)],
    part: Annotated[PartName | None, Form()] = None,
) -> Response:
    """Begin a round on a card and show it; `part` makes it a drill."""
    session = await viva.rounds.start(card, part)
    await settled(session)
    return seen(request, session)


@router.get("/rounds/{round_id}", name="round")
async def show(request: Request, viva: RunningViva, round_id: str) -> HTMLResponse:
    """The round, wherever it stands."""
    return _room(request, await viva.rounds.open(round_id))


@router.post("/rounds/{round_id}")
async def act(
    request: Request,
    viva: RunningViva,
    round_id: str,
    client_id: Annotated[str, Form(min_length=1, max_length=64, pattern=r"^[\x21-\x7e]+$")],
    act: Annotated[Act, Form()] = "say",
    text: Annotated[str, Form()] = "",
) -> Response:
    """What the candidate does, as a plain form; a refused text comes back in its box."""
    session = await viva.rounds.open(round_id)
    text = text.replace("\r\n", "\n").strip()
    try:
        await _act(session, act, client_id, text)
    except InterviewerError as error:
        return _room(request, session, text, str(error), wire.answer(error).status)
    await settled(session)
    return seen(request, session)


@router.get("/rounds/{round_id}/scorecard", name="scorecard")
async def scorecard(
    request: Request,
    viva: RunningViva,
    round_id: str,
    n: Annotated[int | None, Query(ge=1, le=1_000_000)] = None,
) -> Response:
    """The newest scorecard, or the `n`th; without one, a page that looks again by itself."""
    session = await viva.rounds.open(round_id)
    if made := len(session.state.scorecards):
        if n is not None and n > made:
            raise HTTPException(404, f"n {n}: this round has {made} scorecards")
        view = scored_round(session, viva.rubrics, await _earlier(viva, session), n)
        said = await asyncio.to_thread(delivered, session, await kept_sound(viva, session.id))
        shown = {"delivered": said, "heard_rows": heard_rows(session, view.scorecard)}
        return page(request, "scorecard.html", view=view, told=await _told(viva, session), **shown)
    if session.state.ended is None:
        return seen(request, session)
    session.advance()
    return page(request, "scoring.html", room=room_of(session))


async def _told(viva: RunningViva, session: RoundSession) -> TellingPage | None:
    """The telling beside its story, in a round that rehearses one."""
    found = await looked(viva, session)
    if found is None:
        return None
    return telling_page(found, session.id, session.card.question, judge=bool(viva.judges))


async def _earlier(viva: RunningViva, session: RoundSession) -> Scorecard | None:
    """The scorecard whose weak part this round says again."""
    started = session.state.started
    if started is None or started.after is None:
        return None
    with suppress(UnknownRound, UnknownCard):
        return next(iter((await viva.rounds.open(started.after)).state.scorecards[-1:]), None)
    return None


async def _act(session: RoundSession, act: Act, client_id: str, text: str) -> None:
    match act:
        case "say" if text:
            await session.hear(client_id, text)
        case "say":
            return
        case "think":
            await session.pause(client_id)
        case "move_on":
            await session.move_on(client_id)
        case "finish":
            await session.finish(client_id)


async def settled(session: RoundSession) -> None:
    """Wait for the interviewer's turn, but not for long."""
    with suppress(TimeoutError):
        async with asyncio.timeout(PATIENCE_S):
            await session.settle()


def _room(
    request: Request, session: RoundSession, draft: str = "", fault: str = "", status: int = 200
) -> HTMLResponse:
    session.advance()
    room = room_of(session, draft, fault, voice_panel(request, session.id))
    return page(request, "round.html", status, room=room, words=_Words)


def seen(request: Request, session: RoundSession) -> RedirectResponse:
    """Show the round in place of what was sent."""
    return RedirectResponse(url(request, "round", round_id=session.id), 303)
