"""Serves companies' loops: to choose one, to go through it, and its summary."""

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Form, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.errors import UnknownRound
from interviewer.loops import LoopRun
from interviewer.session import RoundSession
from questions.faults import UnknownCard
from tools.market.loops import loops
from web.dependencies import RunningViva
from web.rendering import page, url
from web.round_pages import seen, settled
from web.views.loops import loop_choices, loop_page

router = APIRouter(include_in_schema=False)


@router.get("/loops", name="loops")
async def choose(request: Request, viva: RunningViva) -> HTMLResponse:
    """Every loop with its stages, and those that were begun."""
    runs = await viva.loops.list()
    return page(
        request,
        "loops.html",
        about=loops(),
        choices=loop_choices(loops().loops),
        runs=runs,
    )


@router.post("/loops", name="begin_loop")
async def begin(
    request: Request, viva: RunningViva, loop: Annotated[str, Form(max_length=40)]
) -> Response:
    """Begin a loop; its first stage waits for the person."""
    return _shown(request, await viva.loops.begin(loop))


@router.get("/loops/{run_id}", name="loop")
async def show(request: Request, viva: RunningViva, run_id: str) -> HTMLResponse:
    """A loop as it stands; its summary once it is over."""
    run = await viva.loops.open(run_id)
    sessions = await _sessions(viva, run)
    return page(request, "loop.html", view=loop_page(run, sessions, viva.rounds.now()))


@router.post("/loops/{run_id}", name="loop_act")
async def act(
    request: Request,
    viva: RunningViva,
    run_id: str,
    act: Annotated[Literal["go", "leave"], Form()] = "go",
) -> Response:
    """Go on to the next question or stage, or leave the rest out."""
    if act == "leave":
        await viva.loops.leave(run_id)
    elif session := await viva.loops.go(run_id):
        await settled(session)
        return seen(request, session)
    return _shown(request, await viva.loops.open(run_id))


async def _sessions(viva: RunningViva, run: LoopRun) -> dict[str, RoundSession]:
    """The rounds of a loop that are still there."""
    found: dict[str, RoundSession] = {}
    for played in run.played:
        with suppress(UnknownRound, UnknownCard):
            found[played.round] = await viva.rounds.open(played.round)
            found[played.round].advance()
    return found


def _shown(request: Request, run: LoopRun) -> RedirectResponse:
    return RedirectResponse(url(request, "loop", run_id=run.id), 303)
