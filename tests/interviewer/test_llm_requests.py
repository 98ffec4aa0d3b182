"""What each adapter sends."""

from typing import Any

import anthropic
import httpx2
import openai
import pytest

from interviewer.llm.anthropic_messages import AnthropicMessages
from interviewer.llm.openai_chat import Dialect, OpenAIChat
from interviewer.llm.protocol import Message, Request, ToolCall
from tests.interviewer.wires import (
    WIRES,
    AnthropicWire,
    OpenAIWire,
    play,
    stream_of,
)

pytestmark = pytest.mark.anyio
CLOSED = {
    "type": "object",
    "properties": {"met": {"type": "boolean"}},
    "required": ["met"],
    "additionalProperties": False,
}


async def sent(wire: OpenAIWire | AnthropicWire, request: Request) -> dict[str, Any]:
    played = play(wire, stream_of(*wire.start(), *wire.text("Go."), *wire.end()))
    await played.llm.reply(request)
    return played.requests[0]


async def test_vllm_gets_priority_cache_salt_and_a_usage_report() -> None:
    body = await sent(OpenAIWire(), Request((Message("user", "Hi"),), priority=10))
    assert (body["priority"], body["cache_salt"]) == (10, "salt")
    assert body["stream_options"] == {"include_usage": True}
    assert (body["max_tokens"], body["temperature"]) == (600, 0.3)


async def test_plain_openai_gets_neither_priority_nor_temperature() -> None:
    bodies: list[bytes] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        bodies.append(request.content)
        wire = OpenAIWire()
        return stream_of(*wire.start(), *wire.text("Go."), *wire.end())

    http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    client = openai.AsyncOpenAI(
        base_url="http://endpoint/v1", api_key="k", http_client=http_client, max_retries=0
    )
    dialect = Dialect(
        limit_field="max_completion_tokens", temperature=False, reasoning_tokens=4_000
    )
    llm = OpenAIChat(client, "m-1", dialect=dialect, cache_salt="salt")
    await llm.reply(Request((Message("user", "Hi"),), priority=10))
    for word in (b"priority", b"cache_salt", b"temperature", b"max_tokens"):
        assert word not in bodies[0]
    assert b'"max_completion_tokens":4600' in bodies[0]


@pytest.mark.parametrize(
    ("schema", "strict"),
    [
        (CLOSED, True),
        (CLOSED | {"required": []}, False),
        (CLOSED | {"additionalProperties": True}, False),
        ({"type": "array", "items": CLOSED | {"required": []}}, False),
    ],
)
async def test_a_schema_is_strict_only_where_it_is_closed(
    schema: dict[str, Any], strict: bool
) -> None:
    body = await sent(OpenAIWire(), Request((Message("user", "Hi"),), response_schema=schema))
    assert body["response_format"]["json_schema"]["strict"] is strict


async def test_anthropic_gets_the_system_apart_and_marks_for_its_cache() -> None:
    messages = (
        Message("system", "Rules."),
        Message("user", "One."),
        Message("user", "Two."),
        Message("assistant", " "),
        Message("user", "Three."),
    )
    body = await sent(AnthropicWire(), Request(messages))
    cached = {"cache_control": {"type": "ephemeral"}}
    assert body["system"] == [{"type": "text", "text": "Rules.", **cached}]
    texts = [block["text"] for message in body["messages"] for block in message["content"]]
    assert texts == ["One.", "Two.", "Three."]
    assert body["messages"][-1]["content"][-1]["cache_control"] == {"type": "ephemeral"}
    assert "temperature" not in body


async def test_arguments_that_are_no_object_still_reach_anthropic_as_one() -> None:
    call = ToolCall("c1", "stats", "{broken")
    messages = (
        Message("user", "One."),
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", "error", call="c1"),
    )
    body = await sent(AnthropicWire(), Request(messages))
    assert body["messages"][1]["content"][0]["input"] == {"invalid": "{broken"}


@pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name)
async def test_the_stream_is_asked_for_uncompressed(wire: OpenAIWire | AnthropicWire) -> None:
    seen: list[str] = []

    def answer(request: httpx2.Request) -> httpx2.Response:
        seen.append(request.headers["accept-encoding"])
        return stream_of(*wire.start(), *wire.text("Go."), *wire.end())

    http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(answer))
    llm: OpenAIChat | AnthropicMessages
    if isinstance(wire, OpenAIWire):
        llm = OpenAIChat(openai.AsyncOpenAI(api_key="k", http_client=http_client), "m-1")
    else:
        llm = AnthropicMessages(anthropic.AsyncAnthropic(api_key="k", http_client=http_client), "m")
    await llm.reply(Request((Message("user", "Hi"),)))
    assert seen == ["identity"]
