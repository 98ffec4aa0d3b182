"""Lengths of strings in a schema: vLLM keeps within them, OpenAI's strict mode refuses them."""

import json

import httpx2
import openai
import pytest

from interviewer.llm.openai_chat import Dialect, OpenAIChat
from interviewer.llm.protocol import Message, Request
from interviewer.scoring.verdicts import LONGEST_REASONING, reply_schema
from tests.interviewer.wires import OpenAIWire, stream_of

pytestmark = pytest.mark.anyio


@pytest.mark.parametrize("bounds", [True, False])
async def test_only_a_dialect_with_bounds_sends_them(bounds: bool) -> None:
    sent: list[bytes] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        sent.append(request.content)
        wire = OpenAIWire()
        return stream_of(*wire.start(), *wire.text("{}"), *wire.end())

    client = openai.AsyncOpenAI(
        base_url="http://x/v1",
        api_key="k",
        http_client=httpx2.AsyncClient(transport=httpx2.MockTransport(answer)),
    )
    llm = OpenAIChat(client, "m-1", dialect=Dialect(string_bounds=bounds))
    schema = reply_schema(("claim_direct",), ("n1",), ("x",))
    await llm.reply(Request((Message("user", "Judge."),), response_schema=schema))
    await llm.aclose()
    told = json.loads(sent[0])["response_format"]["json_schema"]
    assert (f'"maxLength": {LONGEST_REASONING}' in json.dumps(told)) is bounds
    assert told["strict"] is True
