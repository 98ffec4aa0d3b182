"""A program's side of a running Viva: its HTTP API and the frames of a round's socket."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import quote, urlencode
from urllib.request import Request, urlopen

import msgspec
from websockets.asyncio.client import ClientConnection, connect

from web import wire

PATIENCE_S = 30
"""For an answer of the server, and for its socket to open."""


class ServerError(Exception):
    """The server refused, or cannot be reached; the message is for people."""


@dataclass(frozen=True, slots=True)
class Server:
    """Where a Viva answers, and the password where it asks for one."""

    url: str
    password: str | None = None

    def get(self, path: str) -> Any:  # noqa: ANN401 - JSON is anything
        """The JSON at a path of the API."""
        return self._ask(Request(self._address(path), headers=self._headers()))

    def post(self, path: str, body: dict[str, object]) -> Any:  # noqa: ANN401
        """Post JSON and return the answer's JSON."""
        headers = {**self._headers(), "content-type": "application/json"}
        data = json.dumps(body).encode()
        return self._ask(Request(self._address(path), data, headers, method="POST"))

    def live(self, round_id: str, after: int = 0, at: str = "") -> connect:
        """The socket of a round, from event `after` on."""
        query = urlencode({"after": after, "at": at} if after else {})
        url = self._address(f"/rounds/{quote(round_id)}/live?{query}")
        return connect(
            url.replace("http", "ws", 1),
            additional_headers=self._headers(),
            max_size=None,
            compression=None,
            proxy=None,
            open_timeout=PATIENCE_S,
        )

    def _address(self, path: str) -> str:
        return self.url.rstrip("/") + path

    def _headers(self) -> dict[str, str]:
        return {"authorization": f"Bearer {self.password}"} if self.password else {}

    def _ask(self, request: Request) -> Any:  # noqa: ANN401
        try:
            with urlopen(request, timeout=PATIENCE_S) as response:
                return json.load(response)
        except HTTPError as error:
            raise ServerError(_message(error)) from error
        except (URLError, TimeoutError, ValueError) as error:
            raise ServerError(f"{self.url} cannot be reached: {error}") from error


def _message(error: HTTPError) -> str:
    if error.code == 401:
        return "the server asks for a password: set VIVA_PASSWORD"
    try:
        return str(json.load(error)["message"])
    except (ValueError, KeyError, TypeError):
        return f"the server answered {error.code}"


async def frames(socket: ClientConnection) -> AsyncIterator[dict[str, Any]]:
    """The server's frames, decoded, until the socket ends; raises as the socket does."""
    async for text in socket:
        yield msgspec.json.decode(text)


def encode(frame: wire.ClientFrame) -> str:
    """A client's frame as the server reads it."""
    return msgspec.json.encode(frame).decode()
