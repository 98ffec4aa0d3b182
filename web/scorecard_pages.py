"""Serves a round's scorecards side by side, and scores it again by another scorer."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import APIRouter, Form, HTTPException, Query, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from interviewer.afterwards import scorable, score_again
from interviewer.assembly import another_judge
from interviewer.errors import ConfigError, InterviewerError
from interviewer.scoring.material import Scorer
from interviewer.session import RoundSession
from rubrics.model import Rubric
from web.dependencies import RunningViva
from web.rendering import page, url
from web.views.side_by_side import MODEL, side_by_side

router = APIRouter(include_in_schema=False)
logger = logging.getLogger(__name__)
PATIENCE_S = 1.5
"""How long the form waits for the scorer before it shows the page without its scorecard."""

Number = Annotated[int, Query(ge=0, le=1_000_000)]
Name = Annotated[str, Form(max_length=200)]


@router.get("/rounds/{round_id}/scorecards", name="scorecards")
async def scorecards(
    request: Request, viva: RunningViva, round_id: str, a: Number = 0, b: Number = 0
) -> Response:
    """Two of the round's scorecards, by number; by itself the newest of two scorers."""
    session = await viva.rounds.open(round_id)
    if not session.state.scorecards:
        return RedirectResponse(url(request, "scorecard", round_id=round_id), 303)
    return _shown(request, viva, session, a, b)


@router.post("/rounds/{round_id}/scorecards", name="score_again")
async def again(
    request: Request,
    viva: RunningViva,
    round_id: str,
    scorer: Name,
    rubric: Name,
    model: Name = "",
) -> Response:
    """Add a scorecard by this scorer with this rubric; a model that is named is the scorer."""
    session = await viva.rounds.open(round_id)
    scorable(session)
    if rubric not in viva.rubrics:
        raise HTTPException(422, f"rubric {rubric}: choose one of {', '.join(viva.rubrics)}")
    names = {known.name for known in viva.scorers}
    if model.strip():
        scorer = MODEL
    if scorer not in (*names, MODEL):
        raise HTTPException(422, f"scorer {scorer}: choose one of {', '.join(sorted(names))}")
    if scorer == MODEL and not model.strip():
        raise HTTPException(422, "model: name the model that is to score")
    if scorer == MODEL and viva.settings.judge_endpoint() is None:
        raise HTTPException(422, "model: no judge has an address; set VIVA_JUDGE first")
    work = session.spawn(_score(viva, session, scorer, model.strip(), viva.rubrics[rubric]))
    await asyncio.wait([work], timeout=PATIENCE_S)
    return RedirectResponse(url(request, "scorecards", round_id=round_id), 303)


async def _score(
    viva: RunningViva, session: RoundSession, scorer: str, model: str, rubric: Rubric
) -> None:
    """Score; the page shows what went wrong."""
    viva.not_scored.pop(session.id, None)
    try:
        async with _scorer(viva, scorer, model) as chosen:
            await score_again(session, chosen, rubric)
    except (InterviewerError, ConfigError) as error:
        logger.warning("round %s was not scored again: %s", session.id, error)
        there = f" Is {model} served at the judge's address?" if scorer == MODEL else ""
        viva.not_scored[session.id] = f"{error}{there}"


@asynccontextmanager
async def _scorer(viva: RunningViva, name: str, model: str) -> AsyncIterator[Scorer]:
    if name == MODEL:
        async with another_judge(viva, model) as judge:
            yield judge
        return
    yield next(scorer for scorer in viva.scorers if scorer.name == name)


def _shown(
    request: Request, viva: RunningViva, session: RoundSession, a: int, b: int
) -> HTMLResponse:
    names = tuple(scorer.name for scorer in viva.scorers)
    any_model = viva.settings.judge_endpoint() is not None
    view = side_by_side(session, viva.rubrics, names, (a, b), any_model=any_model)
    fault = viva.not_scored.get(session.id, "")
    return page(request, "scorecards.html", view=view, fault=fault)
