"""The loop of the web process while answers are recorded, captioned, transcribed and scored."""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

import httpx2
import pytest
from websockets.asyncio.client import ClientConnection, connect

import tests.watched
from evals.voice.voices import Clip
from interviewer.takes.wav import FRAME_BYTES, FRAME_S
from tests.patience import PATIENCE_S
from tests.servers import VivaServer

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not Path("/proc/thread-self/schedstat").is_file(), reason="Linux tells who waited"
    ),
]
LONGEST = 5.0
"""Pieces of work, of 20 ms each."""
TYPED = "I would batch them, because 70 GB over 4.8 TB/s is 14.6 ms, but latency grows. " * 250
PAGES = ("/", "/questions", "/rounds?q=batch", "/progress", "/due", "/openapi.json")


@pytest.fixture
def server(tmp_path: Path, model: str) -> VivaServer:
    seen = tmp_path / "late.txt"
    seen.touch()
    return VivaServer(
        tmp_path,
        {"VIVA_VOICE": "whisper", "VIVA_VOICE_MODEL": model},
        command=(sys.executable, "-P", tests.watched.__file__, str(seen)),
    )


async def start(client: httpx2.AsyncClient) -> str:
    made = await client.post("/api/rounds", json={"card": "INF-001"})
    return str(made.raise_for_status().json()["id"])


async def until(socket: ClientConnection, kind: str, **wanted: str) -> dict[str, Any]:
    async for text in socket:
        frame: dict[str, Any] = json.loads(text)
        if frame["type"] == kind and all(frame.get(name) == v for name, v in wanted.items()):
            return frame
    raise AssertionError(f"the socket closed before {kind} {wanted}")


async def finish(socket: ClientConnection, client: httpx2.AsyncClient, round_id: str) -> None:
    await socket.send(json.dumps({"type": "finish", "id": "end"}))
    await until(socket, "status", state="over")
    page = await client.get(f"/rounds/{round_id}/scorecard")
    assert "article" in page.text


async def spoken_round(server: VivaServer, client: httpx2.AsyncClient, clip: Clip) -> str:
    """Speak a clip as fast as a microphone does; the text as it was heard."""
    round_id = await start(client)
    async with connect(
        f"ws://127.0.0.1:{server.port}/rounds/{round_id}/live", open_timeout=PATIENCE_S
    ) as socket:
        await socket.send(json.dumps({"type": "record", "id": "a1", "keep": True}))
        frames = len(clip.pcm) // FRAME_BYTES
        for number in range(frames):
            sound = clip.pcm[number * FRAME_BYTES : (number + 1) * FRAME_BYTES]
            await socket.send(number.to_bytes(4, "big") + sound)
            await asyncio.sleep(FRAME_S)
        await socket.send(json.dumps({"type": "done", "id": "a1", "frames": frames}))
        heard = await until(socket, "take", state="heard")
        text = str(heard["review"]["text"])
        await socket.send(json.dumps({"type": "say", "id": "a1", "text": text, "mode": "spoken"}))
        await until(socket, "ack", id="a1")
        await finish(socket, client, round_id)
    return text


async def typed_round(server: VivaServer, client: httpx2.AsyncClient) -> None:
    round_id = await start(client)
    async with connect(
        f"ws://127.0.0.1:{server.port}/rounds/{round_id}/live", open_timeout=PATIENCE_S
    ) as socket:
        await until(socket, "event")
        await socket.send(json.dumps({"type": "say", "id": "t1", "text": TYPED[:20_000]}))
        await until(socket, "ack", id="t1")
        await finish(socket, client, round_id)


async def others(server: VivaServer, client: httpx2.AsyncClient) -> None:
    for page in PAGES:
        assert (await client.get(page)).status_code == 200
    for _ in range(3):
        await typed_round(server, client)


async def test_the_loop_is_never_held_up_while_an_answer_is_spoken_and_other_rounds_are_scored(
    server: VivaServer, spoken: Clip
) -> None:
    with server:
        async with httpx2.AsyncClient(base_url=server.url, timeout=60) as client:
            text, _ = await asyncio.gather(
                spoken_round(server, client, spoken), others(server, client)
            )
            await spoken_round(server, client, Clip(spoken.pcm[: 3 * 32_000], ()))
    assert "14.6" in text
    held = [float(line) for line in (server.folder / "late.txt").read_text().split()]
    assert max(held, default=0.0) < LONGEST
