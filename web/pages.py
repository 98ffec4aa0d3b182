"""Mounts the pages for people, and serves home and the questions.

Sockets, JSON and the login's logic live elsewhere.
"""

from contextlib import suppress
from hashlib import blake2b
from typing import Annotated

from fastapi import APIRouter, FastAPI, Query, Request
from starlette.responses import HTMLResponse, Response
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from interviewer.store import Wanted
from questions.faults import UnknownCard
from web import (
    attempt_pages,
    audio_pages,
    compare_pages,
    config_upload,
    drill_pages,
    due_pages,
    exports,
    figure_pages,
    history_pages,
    loop_pages,
    market_pages,
    operator_pages,
    progress_pages,
    round_pages,
    scorecard_pages,
    story_pages,
    tool_pages,
    trace_pages,
)
from web.dependencies import RunningViva
from web.rendering import STATIC, page
from web.views.browse import Filters, browse
from web.views.drills import choices_of
from web.views.due import due_page
from web.views.home import home_of
from web.views.rounds import listed

router = APIRouter(include_in_schema=False)
MODULES = (
    progress_pages,
    attempt_pages,
    audio_pages,
    history_pages,
    scorecard_pages,
    round_pages,
    drill_pages,
    due_pages,
    trace_pages,
    tool_pages,
    figure_pages,
    compare_pages,
    config_upload,
    loop_pages,
    story_pages,
    market_pages,
    exports,
    operator_pages,
)
DUE = 3
"""How many of the parts that are due the home page lists."""
TRIED = 5
"""How many rounds on a question its page lists."""


def mount(app: FastAPI) -> None:
    """Add the pages, their static files and their downloads to the application."""
    for part in (router, *(module.router for module in MODULES)):
        app.include_router(part)
    app.mount(f"/static/{_static_version()}", Unchanging(directory=STATIC), name="static")


class Unchanging(StaticFiles):
    """Files whose address changes with their content, so that a browser asks for each once."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        """The file, to be kept for a year."""
        response = await super().get_response(path, scope)
        response.headers["cache-control"] = "public, max-age=31536000, immutable"
        return response


def _static_version() -> str:
    """A hash of all static files: a new release has new addresses, and nothing stale is cached."""
    content = blake2b(digest_size=6)
    for file in sorted(STATIC.rglob("*.*")):
        content.update(file.read_bytes())
    return content.hexdigest()


@router.get("/", name="home")
async def home(request: Request, viva: RunningViva) -> HTMLResponse:
    """The next question with its start button, and the last round."""
    newest = await viva.rounds.list(limit=1)
    last = None
    # A round whose card was taken away is still listed, but cannot be opened.
    with suppress(UnknownCard):
        last = (newest[0], await viva.rounds.open(newest[0].id)) if newest else None
    home = home_of(viva.library.cards, await viva.store.tries(), last)
    today = viva.rounds.now().date()
    due = due_page(await viva.reviews.due(), viva.library, today, per_page=DUE)
    return page(request, "home.html", home=home, due=due)


@router.get("/questions", name="questions")
async def questions(
    request: Request, viva: RunningViva, filters: Annotated[Filters, Query()]
) -> HTMLResponse:
    """All questions that pass the filters of the URL."""
    tries = await viva.store.tries() if filters.practised else {}
    last = await viva.store.last_levels() if filters.weak else []
    found = browse(viva.library.cards, filters, tries, last)
    return page(request, "questions.html", browse=found)


@router.get("/questions/{card_id}", name="question")
async def question(request: Request, viva: RunningViva, card_id: str) -> HTMLResponse:
    """One question: what is tested, who asks it, and the buttons that start a round."""
    card = viva.library.get(card_id)
    related = tuple(other for other in card.related if other in viva.library.by_id)
    found = await viva.store.find(Wanted(cards=frozenset({card.id})), limit=TRIED)
    tried = listed(match.round for match in found.matches)
    return page(
        request, "question.html", card=card, related=related, drills=choices_of(card), tried=tried
    )
