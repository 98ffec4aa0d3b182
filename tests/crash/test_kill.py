"""SIGKILL at sixty moments of a round: nothing acknowledged is lost, nothing is there twice."""

import asyncio
import random
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.candidate import GONE, Candidate
from tests.fakes.upstream import Upstream, UpstreamServer
from tests.patience import until
from tests.servers import VivaServer

pytestmark = [pytest.mark.crash, pytest.mark.slow]

KILLS = 60
GAP_S = 0.012
"""Between two words of the model."""
ANSWER = "It is marketing: 70 GB over 4.8 TB/s is 14.6 ms, so about 69 tokens per second at most."


def spoken(events: list[dict[str, Any]]) -> list[tuple[str, str]]:
    said = (item["event"] for item in events if item["event"]["type"] == "CandidateSpoke")
    return [(event["client_id"], event["text"]) for event in said]


def candidate_of(server: VivaServer) -> Candidate:
    return Candidate(server, "INF-100", lambda number: f"{ANSWER} ({number})")


async def frames_of_a_round(server: VivaServer) -> int:
    candidate = candidate_of(server)
    await candidate.play()
    return candidate.frames


async def kill_once(server: VivaServer, frames: int, delay: float) -> list[str]:
    """One round with one kill, so many seconds after so many frames; what the log held then.

    By frames, so that kills fall on all of a round however long the machine takes for it.
    """
    candidate = candidate_of(server)
    playing = asyncio.create_task(candidate.play())
    await until(lambda: candidate.frames >= frames or playing.done())
    await asyncio.sleep(delay)
    server.kill()
    with suppress(*GONE):
        await playing
    acknowledged = set(candidate.acknowledged)
    await asyncio.to_thread(server.start)
    survived = await candidate.events() if candidate.round_id else []
    assert acknowledged <= {key for key, _ in spoken(survived)}
    await candidate.play()
    events = await candidate.events()
    heard = spoken(events)
    assert len(heard) == len(dict(heard))
    assert dict(heard) == candidate.said
    assert [item["seq"] for item in events] == list(range(1, len(events) + 1))
    assert events[-1]["event"]["type"] == "RoundScored"
    return [item["event"]["type"] for item in survived]


async def test_fault_12_and_13_nothing_acknowledged_is_lost_at_sixty_kills(tmp_path: Path) -> None:
    last: set[str] = set()
    chance = random.Random(12)
    with UpstreamServer(Upstream(gap_s=GAP_S)) as upstream:
        env = {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": upstream.url, "VIVA_LLM_MODEL": "fake"}
        with VivaServer(tmp_path, env) as server:
            frames = await frames_of_a_round(server)
            for number in range(KILLS):
                after = round((number + chance.random()) * frames / KILLS)
                survived = await kill_once(server, after, chance.random() * GAP_S)
                last |= set(survived[-1:])
    # The kills fell while hearing, streaming, calling tools and scoring, not all on one moment.
    assert len(last) >= 4
