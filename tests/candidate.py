"""A candidate over the real socket, who survives the death of the server."""

import json
from collections.abc import Callable
from typing import Any, cast

import httpx2
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidMessage

from tests.patience import PATIENCE_S
from tests.servers import VivaServer

GONE = (ConnectionClosed, InvalidMessage, OSError, httpx2.TransportError)
"""What a candidate sees of a server that was killed, be it in the middle of the handshake."""


class Candidate:
    """One round on one card. An utterance that was not acknowledged is sent again with its id."""

    def __init__(self, server: VivaServer, card: str, reply: Callable[[int], str]) -> None:
        self.server = server
        self.card = card
        self.reply = reply
        """The text of the n-th utterance, from 0."""
        self.round_id = ""
        self.said: dict[str, str] = {}
        self.acknowledged: set[str] = set()
        self.frames = 0
        """How many were received so far."""
        self._head = 0
        """The last event that the server had when this connection came."""

    async def play(self) -> None:
        """Start the round where it was not, and answer to the end."""
        if not self.round_id:
            await self._start()
        url = f"{self.server.url.replace('http', 'ws', 1)}/rounds/{self.round_id}/live"
        async with connect(url, open_timeout=PATIENCE_S) as socket:
            while await self._next_state(socket) != "over":
                while not await self._say(socket):
                    pass

    async def events(self) -> list[dict[str, Any]]:
        """The round's log as the server has stored it."""
        async with httpx2.AsyncClient(base_url=self.server.url, timeout=PATIENCE_S) as client:
            response = await client.get(f"/api/rounds/{self.round_id}/events")
        events: list[dict[str, Any]] = response.raise_for_status().json()["events"]
        return events

    async def _start(self) -> None:
        async with httpx2.AsyncClient(base_url=self.server.url, timeout=PATIENCE_S) as client:
            response = await client.post("/api/rounds", json={"card": self.card})
        self.round_id = response.raise_for_status().json()["id"]

    async def _next_state(self, socket: ClientConnection) -> str:
        """The next state that matters: the candidate's move, or the end."""
        async for text in socket:
            frame = self._frame(text)
            if frame["type"] == "ack":
                self.acknowledged.add(frame["id"])
            if frame["type"] == "hello":
                self._head = frame["head"]
            state = frame.get("status") if frame["type"] == "hello" else frame.get("state")
            if state in ("listening", "over"):
                return str(state)
        raise ConnectionClosed(None, None)

    def _frame(self, text: str | bytes) -> dict[str, Any]:
        self.frames += 1
        return cast(dict[str, Any], json.loads(text))

    async def _say(self, socket: ClientConnection) -> bool:
        """Whether it is new to the server, which then goes on; else it is still our move."""
        pending = [key for key in self.said if key not in self.acknowledged]
        key = pending[0] if pending else f"say-{len(self.said)}"
        if key not in self.said:
            self.said[key] = self.reply(len(self.said))
        await socket.send(json.dumps({"type": "say", "id": key, "text": self.said[key]}))
        async for text in socket:
            frame = self._frame(text)
            if frame["type"] == "ack" and frame["id"] == key:
                self.acknowledged.add(key)
                return int(frame["seq"]) > self._head
            assert frame["type"] != "problem", frame
        raise ConnectionClosed(None, None)
