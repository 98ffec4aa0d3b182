"""Serves the attempts at one card: two side by side, by one scorer with one rubric."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Query, Request
from starlette.responses import HTMLResponse

from interviewer.events import RoundScored
from interviewer.review.attempts import Attempt, PartChange, compared
from interviewer.round import replay
from questions.model import QuestionCard
from web.dependencies import RunningViva
from web.rendering import page
from web.views.attempts import Try, attempts_of, identities, key_of, tries_of

router = APIRouter(include_in_schema=False)
Name = Annotated[str, Query(max_length=300)]


@router.get("/questions/{card_id}/attempts", name="attempts")
async def attempts(
    request: Request, viva: RunningViva, card_id: str, by: Name = "", a: Name = "", b: Name = ""
) -> HTMLResponse:
    """Two attempts of the URL; by itself the first and the newest."""
    card = viva.library.get(card_id)
    graded = await viva.store.attempts(card.id)
    known = identities(graded)
    if not known:
        return page(request, "attempts.html", card=card, view=None)
    identity = next((one for one in known if key_of(one) == by), None) if by else known[0]
    if identity is None:
        raise HTTPException(404, f"by {by}: nobody of this name scored this question so")
    tries = tries_of(graded, identity)
    earlier, later = _chosen(tries, a or tries[0].id), _chosen(tries, b or tries[-1].id)
    changes = await _changes(viva, card, earlier, later) if len(tries) > 1 else ()
    view = attempts_of(card, known, identity, tries, (earlier.id, later.id), changes)
    return page(request, "attempts.html", card=card, view=view)


def _chosen(tries: tuple[Try, ...], round_id: str) -> Try:
    found = next((one for one in tries if one.id == round_id), None)
    if found is None:
        raise HTTPException(404, f"round {round_id}: no such attempt by this scorer")
    return found


async def _changes(
    viva: RunningViva, card: QuestionCard, earlier: Try, later: Try
) -> tuple[PartChange, ...]:
    read = [await _attempt(viva, one) for one in (earlier, later)]
    return compared(card, *read)


async def _attempt(viva: RunningViva, one: Try) -> Attempt:
    log = await viva.store.read(one.id)
    scored = next(recorded.event for recorded in log if recorded.seq == one.seq)
    assert isinstance(scored, RoundScored)
    return Attempt(replay(log), scored.scorecard)
