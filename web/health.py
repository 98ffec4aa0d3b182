"""Whether the server lives, and whether it can do its work. Knows no page."""

import asyncio
import time
from collections.abc import Awaitable, Callable

from fastapi import APIRouter, Request, Response
from pydantic import BaseModel

from web.dependencies import RunningViva

router = APIRouter(tags=["health"])

FRESH_S = 15.0
"""How long an answer of /readyz stands: each try costs a completion."""
PATIENCE_S = 20.0


class Alive(BaseModel):
    """The process answers."""

    status: str = "alive"


class Ready(BaseModel):
    """Whether rounds can be played as configured, and what is wrong, a line each."""

    ready: bool
    problems: list[str]


class Readiness:
    """Asks at most once at a time and not more often than every FRESH_S."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._lock = asyncio.Lock()
        self._known: tuple[float, list[str]] | None = None

    async def problems(self, ask: Callable[[], Awaitable[list[str]]]) -> list[str]:
        """What is wrong, as of at most FRESH_S ago."""
        async with self._lock:
            if self._known is None or self._now() - self._known[0] > FRESH_S:
                self._known = self._now(), await within(PATIENCE_S, ask)
            return self._known[1]


async def within(limit_s: float, ask: Callable[[], Awaitable[list[str]]]) -> list[str]:
    """What is wrong, or that there was no answer in time."""
    try:
        async with asyncio.timeout(limit_s):
            return await ask()
    except TimeoutError:
        return [f"no answer within {limit_s:g} s"]


@router.get("/healthz")
async def healthz() -> Alive:
    """The process is alive; says nothing of models."""
    return Alive()


@router.get("/readyz", responses={503: {"model": Ready}})
async def readyz(viva: RunningViva, request: Request, response: Response) -> Ready:
    """Whether the store answers and, where a model is set, completes a real reply."""
    problems = await request.app.state.readiness.problems(viva.ready)
    if problems:
        response.status_code = 503
    return Ready(ready=not problems, problems=problems)
