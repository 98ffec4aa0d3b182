"""SIGKILL at sixty moments of a round: nothing acknowledged is lost, nothing is there twice."""

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from tests.fakes.upstream import Upstream, UpstreamServer
from tests.servers import VivaServer

pytestmark = [pytest.mark.crash, pytest.mark.slow]

CARD = "INF-100"
KILLS = 60
LONGEST_S = 1.6
"""A whole round against the stand-in takes about this long, so that kills fall on every part of it.
"""
ANSWER = "It is marketing: 70 GB over 4.8 TB/s is 14.6 ms, so about 69 tokens per second at most."


class Candidate:
    """Plays a round over the socket and remembers what was acknowledged; survives the server's
    death.
    """

    def __init__(self, server: VivaServer) -> None:
        self.server = server
        self.round_id = ""
        self.said: dict[str, str] = {}
        self.acknowledged: set[str] = set()

    async def play(self) -> None:
        """Start a round and answer whatever is asked, until the end or the crash."""
        try:
            await self._start()
            await self._answer_all()
        except (ConnectionClosed, OSError, httpx2.TransportError):
            return

    async def finish(self) -> list[dict[str, Any]]:
        """After the restart: send again what was not acknowledged, play to the end; the log."""
        if not self.round_id:
            await self._start()
        await self._answer_all()
        async with httpx2.AsyncClient(base_url=self.server.url) as client:
            response = await client.get(f"/api/rounds/{self.round_id}/events")
        events: list[dict[str, Any]] = response.raise_for_status().json()["events"]
        return events

    async def _start(self) -> None:
        async with httpx2.AsyncClient(base_url=self.server.url) as client:
            response = await client.post("/api/rounds", json={"card": CARD})
        self.round_id = response.raise_for_status().json()["id"]

    async def _answer_all(self) -> None:
        url = f"{self.server.url.replace('http', 'ws', 1)}/rounds/{self.round_id}/live"
        async with connect(url) as socket:
            while (state := await self._next_state(socket)) != "over":
                if state == "listening":
                    await self._say(socket)

    async def _next_state(self, socket: ClientConnection) -> str:
        """The next state that matters: the candidate's move, or the end."""
        async for text in socket:
            frame = json.loads(text)
            if frame["type"] == "ack":
                self.acknowledged.add(frame["id"])
            state = frame.get("status") if frame["type"] == "hello" else frame.get("state")
            if state in ("listening", "over"):
                return str(state)
        raise ConnectionClosed(None, None)

    async def _say(self, socket: ClientConnection) -> None:
        """An utterance that was not acknowledged is sent again with its id; else a new one."""
        pending = [key for key in self.said if key not in self.acknowledged]
        key = pending[0] if pending else f"say-{len(self.said)}"
        self.said.setdefault(key, f"{ANSWER} ({key})")
        await socket.send(json.dumps({"type": "say", "id": key, "text": self.said[key]}))
        async for text in socket:
            frame = json.loads(text)
            if frame["type"] == "ack" and frame["id"] == key:
                self.acknowledged.add(key)
                return
            assert frame["type"] != "problem", frame
        raise ConnectionClosed(None, None)


def spoken(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    said = (item["event"] for item in events if item["event"]["type"] == "CandidateSpoke")
    return [(event["client_id"], event["text"]) for event in said]


async def kill_once(server: VivaServer, delay: float) -> set[str]:
    """One round with one kill; the types of the events that the kill interrupted between."""
    candidate = Candidate(server)
    playing = asyncio.create_task(candidate.play())
    await asyncio.sleep(delay)
    server.kill()
    await playing
    before = set(candidate.acknowledged)
    await asyncio.to_thread(server.start)
    events = await candidate.finish()
    heard = spoken(events)
    assert len(heard) == len(set(heard))
    assert {key for key, _ in heard} >= before
    assert dict(heard) == candidate.said
    assert [item["seq"] for item in events] == list(range(1, len(events) + 1))
    assert events[-1]["event"]["type"] == "RoundScored"
    return {item["event"]["type"] for item in events}


async def test_fault_12_and_13_nothing_acknowledged_is_lost_at_sixty_kills(tmp_path: Path) -> None:
    seen: set[str] = set()
    chance = random.Random(12)
    with UpstreamServer(Upstream(gap_s=0.012)) as upstream:
        env = {
            "VIVA_LLM": "vllm",
            "VIVA_LLM_BASE_URL": upstream.url,
            "VIVA_LLM_MODEL": "fake",
        }
        with VivaServer(tmp_path, env) as server:
            for number in range(KILLS):
                seen |= await kill_once(server, (number + chance.random()) * LONGEST_S / KILLS)
    assert {"ToolCalled", "ToolReturned", "InterviewerSpoke", "RoundScored"} <= seen
