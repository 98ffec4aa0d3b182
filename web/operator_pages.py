"""Serves the operator's page: load and abilities of the model's server, and its latest turns."""

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse

from interviewer.models.kept import newest
from interviewer.models.load import read_load
from web.dependencies import RunningViva
from web.rendering import page
from web.views.operator import load_rows, spoken_turns

router = APIRouter(include_in_schema=False)
ROUNDS = 10
"""How many rounds are read for their turns."""


@router.get("/operator", name="operator")
async def operator(request: Request, viva: RunningViva) -> HTMLResponse:
    """How the model's server does; without a model, the page says so."""
    endpoint = viva.settings.endpoint()
    load = await read_load(endpoint.base_url) if endpoint else None
    report = None
    if endpoint:
        report = newest(viva.settings.checks, endpoint.base_url.rstrip("/"), endpoint.model)
    logs = [
        (summary.id, await viva.store.read(summary.id))
        for summary in await viva.rounds.list(limit=ROUNDS)
    ]
    return page(
        request,
        "operator.html",
        endpoint=endpoint,
        load=load_rows(load) if load else (),
        report=report,
        turns=spoken_turns(logs),
    )
