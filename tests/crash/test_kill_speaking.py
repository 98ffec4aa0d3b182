"""SIGKILL in mid-answer: at most the last 200 ms of what was said are lost, and it goes on."""

import asyncio
import json
import random
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect

from interviewer.takes.wav import FRAME_BYTES, FRAME_S
from tests.candidate import GONE
from tests.patience import PATIENCE_S, until
from tests.servers import VivaServer

pytestmark = [pytest.mark.crash, pytest.mark.slow]

KILLS = 12
LOST_FRAMES = round(0.2 / FRAME_S)


def frame(number: int) -> bytes:
    """Sound that says which frame it is."""
    return number.to_bytes(4, "big") + number.to_bytes(2, "little") * (FRAME_BYTES // 2)


async def stands(socket: ClientConnection) -> int:
    """The number of the frame that the server wants."""
    async for text in socket:
        told = json.loads(text)
        if told["type"] == "take":
            return int(told.get("next", 0))
    raise AssertionError("the socket closed")


@dataclass
class Speaker:
    """Sends a frame each 100 ms, as a microphone gives them, but never with more than 200 ms on
    their way: that a busy server has not read its socket is no loss of the server's.
    """

    sent: int
    kept: int

    async def speak(self, socket: ClientConnection) -> None:
        """Until the server is gone. A server that keeps nothing before more has come hangs here."""
        while True:
            if self.sent - self.kept < LOST_FRAMES:
                await socket.send(frame(self.sent))
                self.sent += 1
                await asyncio.sleep(FRAME_S)
            else:
                await self._hear(socket)

    async def _hear(self, socket: ClientConnection) -> None:
        told = json.loads(await socket.recv())
        if told["type"] == "kept":
            self.kept = told["next"]


async def start(server: VivaServer) -> str:
    async with httpx2.AsyncClient(base_url=server.url, timeout=PATIENCE_S) as client:
        made = await client.post("/api/rounds", json={"card": "INF-100"})
    return str(made.raise_for_status().json()["id"])


async def kill_once(server: VivaServer, url: str, stored: int, delay: float) -> int:
    """Speak on from so many stored frames, and kill; what is stored then."""
    speaker = Speaker(sent=stored, kept=stored)
    async with connect(url, open_timeout=PATIENCE_S) as socket:
        await socket.send(json.dumps({"type": "record", "id": "a1"}))
        assert await stands(socket) == stored
        speaking = asyncio.create_task(speaker.speak(socket))
        await until(lambda: speaker.kept > stored)
        await asyncio.sleep(delay)
        server.kill()
        with suppress(*GONE):
            await speaking
    await asyncio.to_thread(server.start)
    async with connect(url, open_timeout=PATIENCE_S) as socket:
        now_stored = await stands(socket)
    assert speaker.kept <= now_stored <= speaker.sent
    assert speaker.sent - now_stored <= LOST_FRAMES
    return now_stored


async def test_a_kill_in_mid_answer_loses_at_most_200_ms(tmp_path: Path) -> None:
    # An endpoint that is never asked: nothing is sent before Done.
    env = {
        "VIVA_VOICE": "endpoint",
        "VIVA_VOICE_BASE_URL": "http://127.0.0.1:9/v1",
        "VIVA_VOICE_MODEL": "none",
    }
    chance, stored = random.Random(7), 0
    with VivaServer(tmp_path, env) as server:
        url = f"{server.url.replace('http', 'ws', 1)}/rounds/{await start(server)}/live"
        for _ in range(KILLS):
            stored = await kill_once(server, url, stored, chance.random())
        sound = next((tmp_path / "viva-audio").glob("*/a1.wav")).read_bytes()[44:]
    assert [sound[n * FRAME_BYTES : n * FRAME_BYTES + 2] for n in range(stored)] == [
        n.to_bytes(2, "little") for n in range(stored)
    ]
    assert_is_whole(sound, stored)


def assert_is_whole(sound: bytes, frames: int) -> None:
    assert len(sound) // FRAME_BYTES == frames
