"""How errors are answered over HTTP: JSON for programs, a page for people; no body echoed."""

from collections.abc import Awaitable, Callable
from typing import cast

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tools.result import ToolError
from web import wire
from web.gate import route_path


class Failure(BaseModel):
    """What went wrong: a code for programs, a sentence for people."""

    code: str
    message: str
    field: str | None = None
    """The argument at fault."""
    value: str | None = None
    """What was given for it, shortened."""
    remedy: str | None = None


_IN_OUR_WORDS = ("server_error", "store_unavailable")
"""What a page says better than the error, whose words are of a program or a database."""
CODES = {400: "bad_request", 404: "not_found", 405: "method_not_allowed", 413: "too_big"}


def documented(*statuses: int) -> dict[int | str, dict[str, object]]:
    """The `responses` of a route that may fail so."""
    return {status: {"model": Failure} for status in statuses}


def failed(request: Request, status: int, failure: Failure) -> Response:
    """The answer to a request that failed."""
    if _wants_page(request):
        from web.rendering import error_page

        return error_page(request, status, "" if failure.code in _IN_OUR_WORDS else failure.message)
    return JSONResponse(failure.model_dump(exclude_none=True), status)


def _wants_page(request: Request) -> bool:
    api = route_path(request.scope).startswith("/api/")
    return not api and "text/html" in request.headers.get("accept", "")


async def _refused(request: Request, error: Exception) -> Response:
    answer = wire.answer(error)
    return failed(request, answer.status, Failure(code=answer.code, message=_plain(str(error))))


async def _bad_argument(request: Request, error: Exception) -> Response:
    fault = cast(ToolError, error)
    shown = _plain(repr(fault.value)[:100])
    failure = Failure(
        code="bad_argument",
        message=_plain(f"{fault.field}: {fault.remedy}"),
        field=_plain(fault.field),
        value=shown,
        remedy=_plain(fault.remedy),
    )
    return failed(request, 422, failure)


async def _invalid(request: Request, error: Exception) -> Response:
    first = cast(RequestValidationError, error).errors()[0]
    field = ".".join(str(part) for part in first["loc"][1:]) or str(first["loc"][0])
    message = f"{field}: {first['msg']}"
    failure = Failure(code="invalid", message=_plain(message), field=_plain(field))
    return failed(request, 422, failure)


async def _http(request: Request, error: Exception) -> Response:
    fault = cast(HTTPException, error)
    code = CODES.get(fault.status_code, "refused")
    response = failed(request, fault.status_code, Failure(code=code, message=str(fault.detail)))
    response.headers.update(fault.headers or {})
    return response


async def _broken(request: Request, error: Exception) -> Response:
    message = "Viva made a mistake; the log says which. Nothing that was acknowledged is lost."
    return failed(request, 500, Failure(code="server_error", message=message))


def _plain(text: str) -> str:
    return text.encode("utf-8", "replace").decode()[:500]


_HANDLERS: dict[type[Exception], Callable[[Request, Exception], Awaitable[Response]]] = {
    **dict.fromkeys(wire.REFUSALS, _refused),
    ToolError: _bad_argument,
    RequestValidationError: _invalid,
    HTTPException: _http,
    Exception: _broken,
}


def add_handlers(app: FastAPI) -> None:
    """Answer every error of the application in one of these ways."""
    for kind, handler in _HANDLERS.items():
        app.add_exception_handler(kind, handler)
