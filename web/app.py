"""Puts the web application together: gate, socket, JSON API, pages, health; no rule of a round."""

import gc
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from fastapi import FastAPI
from starlette.types import ASGIApp

from web import pages
from web.gate import Gate
from web.origins import Neighbours

if TYPE_CHECKING:
    from interviewer.assembly import Viva
    from interviewer.settings import Settings

MAX_BODY = 512 * 1024
"""Bytes of a request's body; a longer one is answered with 413."""


class GatedApp(FastAPI):
    """FastAPI with the gate outside everything, its own error pages included."""

    neighbours = Neighbours()

    def build_middleware_stack(self) -> ASGIApp:
        """The usual stack, behind the gate."""
        return Gate(super().build_middleware_stack(), self.neighbours, lambda: self.state.sessions)


def create_app(settings: "Settings", viva: "Viva | None" = None) -> FastAPI:
    """The application. `viva` is handed in by tests; else it is opened when the server starts."""
    app = GatedApp(
        title="Viva",
        lifespan=_lifespan(settings, viva),
        # Swagger's pages load their scripts from a CDN; the schema alone is served.
        docs_url=None,
        redoc_url=None,
        openapi_url="/openapi.json",
        max_body_size=MAX_BODY,
    )
    app.state.viva = viva
    app.state.sessions = None
    pages.mount(app)
    return app


def _lifespan(
    settings: "Settings", viva: "Viva | None"
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            if viva is None:
                from interviewer.assembly import open_viva

                app.state.viva = await stack.enter_async_context(open_viva(settings))
            # What was loaded at start-up lives on: the collector need not look at it again.
            gc.collect()
            gc.freeze()
            yield

    return running
