"""SIGKILL in mid-answer: of what was said at most the last 200 ms are lost, and it goes on."""

import asyncio
import json
import random
from contextlib import suppress
from pathlib import Path

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect

from interviewer.takes.wav import FRAME_BYTES, FRAME_S
from tests.candidate import GONE
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


async def speak(socket: ClientConnection, first: int, said: list[float]) -> None:
    """A frame each 100 ms, as a microphone gives them, until the server is gone."""
    for number in range(first, 10_000):
        await socket.send(frame(number))
        said.append(asyncio.get_running_loop().time())
        await asyncio.sleep(FRAME_S)


async def start(server: VivaServer) -> str:
    async with httpx2.AsyncClient(base_url=server.url) as client:
        made = await client.post("/api/rounds", json={"card": "INF-100"})
    return str(made.raise_for_status().json()["id"])


async def test_a_kill_in_mid_answer_loses_at_most_200_ms(tmp_path: Path) -> None:
    # An endpoint that is never asked: nothing is sent before Done.
    env = {
        "VIVA_VOICE": "endpoint",
        "VIVA_VOICE_BASE_URL": "http://127.0.0.1:9/v1",
        "VIVA_VOICE_MODEL": "none",
    }
    chance, stored = random.Random(7), 0
    with VivaServer(tmp_path, env) as server:
        round_id = await start(server)
        url = f"{server.url.replace('http', 'ws', 1)}/rounds/{round_id}/live"
        for _ in range(KILLS):
            said: list[float] = []
            async with connect(url) as socket:
                await socket.send(json.dumps({"type": "record", "id": "a1"}))
                assert await stands(socket) == stored
                speaking = asyncio.create_task(speak(socket, stored, said))
                await asyncio.sleep(0.2 + chance.random())
                server.kill()
                with suppress(*GONE):
                    await speaking
            sent = stored + len(said)
            await asyncio.to_thread(server.start)
            async with connect(url) as socket:
                stored = await stands(socket)
            assert sent - stored <= LOST_FRAMES
        sound = next((tmp_path / "viva-audio").glob("*/a1.wav")).read_bytes()[44:]
    assert [sound[n * FRAME_BYTES : n * FRAME_BYTES + 2] for n in range(stored)] == [
        n.to_bytes(2, "little") for n in range(stored)
    ]
    assert_is_whole(sound, stored)


def assert_is_whole(sound: bytes, frames: int) -> None:
    assert len(sound) // FRAME_BYTES == frames
