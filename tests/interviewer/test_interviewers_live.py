"""The model interviewer over each adapter's real wire format."""

import asyncio
import json

import pytest

from interviewer.events import InterviewerSpoke, ToolCalled, ToolReturned
from interviewer.interviewers.model import ModelInterviewer
from interviewer.prompts.library import PromptLibrary
from questions.model import Fact
from tests.interviewer.floor import Minutes, turn_of
from tests.interviewer.scenes import PROBES, asked, card, said, scene
from tests.interviewer.wires import HEAD, PATIENT, WIRES, Wire, endpoint, framed, play, stream_of
from tests.patience import PATIENCE_S, until
from tools.catalog import CATALOG

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name),
]
N = '{"successes": 8, "trials": 10}'
FACT = Fact(id="rate", label="rate", unit="%", tool="stats", arguments=json.loads(N), scale=100)
CARD = card(probes=(PROBES[-1],) * 4, facts=(FACT,))
AT = scene(asked(limit_s=180), said("It fits, and 160 KiB each."), of=CARD)


async def test_a_turn_with_a_tool_call_goes_over_the_wire_and_back(wire: Wire) -> None:
    call = wire.tool_calls(("toolu_1", "stats", [N[:7], N[7:]]))
    played = play(
        wire,
        stream_of(*wire.start(), *call, *wire.end("tools")),
        stream_of(*wire.start(), *wire.text("Who ", "waits ", "longest?"), *wire.end()),
    )
    interviewer = ModelInterviewer(played.llm, PromptLibrary(), CATALOG)
    called, returned, spoke = (await turn_of(interviewer, AT)).events
    assert isinstance(called, ToolCalled)
    assert isinstance(returned, ToolReturned)
    assert returned.ok
    assert isinstance(spoke, InterviewerSpoke)
    assert spoke.text == "Who waits longest?"
    assert spoke.usage is not None
    assert spoke.usage.completion_tokens == 10
    assert "t0003c001" in json.dumps(played.requests[1]["messages"])
    assert played.requests[0]["tools"] == played.requests[1]["tools"]


async def test_fault_25_a_stopped_turn_ends_the_upstream_request(wire: Wire) -> None:
    async def slow(writer: asyncio.StreamWriter) -> None:
        chunks = [*wire.start(), *wire.text("Which of your users ")]
        writer.write(HEAD + b"".join(framed(chunk) for chunk in chunks))
        await writer.drain()
        await asyncio.sleep(60)

    async with endpoint(slow) as served:
        llm = wire.llm(None, served.url, PATIENT)
        minutes = Minutes()
        speaking = asyncio.create_task(
            ModelInterviewer(llm, PromptLibrary(), {}).speak(AT, minutes)
        )
        await until(lambda: bool(minutes.text))
        speaking.cancel()
        await asyncio.wait([speaking])
        await asyncio.wait_for(served.left.wait(), PATIENCE_S)
        await llm.aclose()  # type: ignore[attr-defined]


async def test_fault_25_a_cancelled_turn_ends_the_upstream_request(wire: Wire) -> None:
    async def silent(_: asyncio.StreamWriter) -> None:
        await asyncio.sleep(60)

    async with endpoint(silent) as served:
        llm = wire.llm(None, served.url, PATIENT)
        turn = turn_of(ModelInterviewer(llm, PromptLibrary(), {}), AT)
        speaking = asyncio.create_task(turn)
        await until(lambda: served.requests > 0)
        speaking.cancel()
        await asyncio.wait([speaking])
        await asyncio.wait_for(served.left.wait(), PATIENCE_S)
        await llm.aclose()  # type: ignore[attr-defined]
