"""Puts the web application together: gate, socket, JSON API, pages, health; no rule of a round."""

import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from importlib.metadata import version
from threading import Lock
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI, Request
from starlette.responses import JSONResponse
from starlette.routing import Router, WebSocketRoute
from starlette.types import ASGIApp, Receive, Scope, Send

from interviewer.settings import LOOPBACK, Settings, is_loopback
from web import api, health, login_routes, pages, tool_routes
from web.failures import add_handlers
from web.gate import Gate
from web.live import PATH, Live
from web.login import Sessions
from web.origins import Neighbours

if TYPE_CHECKING:
    from interviewer.assembly import Viva

MAX_BODY = 512 * 1024
"""Bytes of a request's body; a longer one is answered with 413."""


class GatedApp(FastAPI):
    """FastAPI with the gate outside everything, its own error pages included."""

    neighbours = Neighbours()

    _describing = Lock()

    def openapi(self) -> dict[str, Any]:
        """The schema, with every calculator's own arguments."""
        with self._describing:
            if self.openapi_schema is None:
                tool_routes.describe_each(super().openapi())
            return super().openapi()

    def build_middleware_stack(self) -> ASGIApp:
        """The usual stack, behind the gate; a round's socket needs none of it, nor its memory."""
        pages = super().build_middleware_stack()
        sockets = Router([route for route in self.routes if isinstance(route, WebSocketRoute)])

        def by_kind(scope: Scope, receive: Receive, send: Send) -> Awaitable[None]:
            return (sockets if scope["type"] == "websocket" else pages)(scope, receive, send)

        return Gate(by_kind, self.neighbours, lambda: self.state.sessions)


def create_app(settings: Settings, viva: "Viva | None" = None) -> GatedApp:
    """The application. A `viva` handed in stays the caller's; else the server opens one."""
    app = GatedApp(
        title="Viva",
        version=version("viva"),
        lifespan=_lifespan(settings, viva),
        # Swagger's pages load their scripts from a CDN; the schema alone is served.
        docs_url=None,
        redoc_url=None,
        # FastAPI's own route makes it in the event loop, which takes 0.2 s the first time.
        openapi_url=None,
        max_body_size=MAX_BODY,
    )
    app.add_api_route("/openapi.json", _schema, include_in_schema=False)
    app.neighbours = neighbours(settings)
    app.state.viva = viva
    app.state.readiness = health.Readiness()
    add_handlers(app)
    app.state.live = Live(lambda: app.state.viva)
    app.router.routes.append(WebSocketRoute(PATH, app.state.live, name="live"))
    for module in (health, api, tool_routes, login_routes):
        app.include_router(module.router)
    pages.mount(app)
    return app


def _schema(request: Request) -> JSONResponse:
    """The API's schema; not a coroutine, so that it is made in a thread."""
    root = request.scope.get("root_path", "").rstrip("/")
    found = request.app.openapi()
    return JSONResponse(found | {"servers": [{"url": root}]} if root else found)


def neighbours(settings: Settings) -> Neighbours:
    """The host names that a server with these settings answers to."""
    own = {*LOOPBACK, settings.host, socket.gethostname(), *settings.hosts}
    return Neighbours(
        hosts=frozenset(name.lower() for name in own),
        any_address=not is_loopback(settings.host),
    )


def _lifespan(
    settings: Settings, viva: "Viva | None"
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def running(app: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            opened = viva or await _open(stack, settings)
            app.state.viva = opened
            app.state.sessions = await _sessions(settings, opened)
            yield

    return running


async def _open(stack: AsyncExitStack, settings: Settings) -> "Viva":
    # It imports the whole application, which a handed-in Viva does without.
    from interviewer.assembly import open_viva

    return await stack.enter_async_context(open_viva(settings))


async def _sessions(settings: Settings, viva: "Viva") -> Sessions | None:
    if settings.password is None:
        return None
    secret = await viva.store.secret("session")
    return Sessions(settings.password.get_secret_value(), secret.encode())
