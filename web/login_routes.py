"""Logging in and out where a password is set. Knows no page but its own."""

from typing import Annotated

from fastapi import APIRouter, Form, Request
from starlette.responses import RedirectResponse, Response

from web.login import COOKIE, MAX_AGE_S, Sessions
from web.rendering import page

router = APIRouter(include_in_schema=False)


@router.get("/login", name="login")
async def ask(request: Request, next: str = "/") -> Response:  # noqa: A002 - the query's name
    """The form; straight on where there is nothing to log in to."""
    if _sessions(request) is None:
        return _onward(request, next)
    return page(request, "login.html", next=_local(next), wrong=False, wait_s=0)


@router.post("/login")
async def log_in(
    request: Request,
    password: Annotated[str, Form(max_length=1024)],
    next: Annotated[str, Form(max_length=2048)] = "/",  # noqa: A002
) -> Response:
    """Set the session cookie, or say that the password is wrong."""
    sessions = _sessions(request)
    if sessions is None:
        return _onward(request, next)
    address = request.client.host if request.client else ""
    wait_s = sessions.throttle.wait(address)
    if wait_s or not sessions.admits(password, address):
        return _denied(request, next, wait_s)
    response = _onward(request, next)
    response.set_cookie(
        COOKIE,
        sessions.issue(),
        max_age=MAX_AGE_S,
        path=_root(request) or "/",
        secure=request.url.scheme == "https",
        httponly=True,
        samesite="lax",
    )
    return response


@router.post("/logout", name="logout")
async def log_out(request: Request) -> Response:
    """Forget the session in this browser."""
    response = RedirectResponse(_root(request) + "/login", 303)
    response.delete_cookie(COOKIE, path=_root(request) or "/")
    return response


def _sessions(request: Request) -> Sessions | None:
    sessions: Sessions | None = request.app.state.sessions
    return sessions


def _denied(request: Request, onward: str, wait_s: float) -> Response:
    status = 429 if wait_s else 401
    wait = int(wait_s) + 1 if wait_s else 0
    response = page(request, "login.html", status, next=_local(onward), wrong=True, wait_s=wait)
    if wait:
        response.headers["retry-after"] = str(wait)
    return response


def _root(request: Request) -> str:
    return str(request.scope.get("root_path", ""))


def _local(path: str) -> str:
    """The path where it is one of ours; else the home page, never another site's."""
    plain = path.isprintable() and path.isascii() and "\\" not in path
    return path if plain and path.startswith("/") and not path.startswith("//") else "/"


def _onward(request: Request, path: str) -> Response:
    return RedirectResponse(_root(request) + _local(path), 303)
