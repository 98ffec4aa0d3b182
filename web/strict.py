"""Routes that read JSON strictly: no NaN, lone surrogates, bottomless nesting, huge integers."""

import json
from collections.abc import Callable, Coroutine
from typing import Any

import msgspec
from fastapi import Request, Response
from fastapi.routing import APIRoute


class StrictRequest(Request):
    """A request whose body is parsed by a parser that refuses what is not JSON."""

    async def json(self) -> Any:  # noqa: ANN401 - JSON is anything
        """The body; JSONDecodeError for anything that another parser may read differently."""
        if not hasattr(self, "_json"):
            body = await self.body()
            try:
                self._json = msgspec.json.decode(body)
            except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
                raise json.JSONDecodeError(str(error), "", 0) from None
        return self._json


class StrictRoute(APIRoute):
    """A FastAPI route over StrictRequest."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """The usual handler, given a strict request."""
        handler = super().get_route_handler()

        async def strict(request: Request) -> Response:
            return await handler(StrictRequest(request.scope, request.receive))

        return strict
