"""The contract of the adapters against the real server: OpenAI's and Anthropic's APIs of vLLM."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing, asynccontextmanager
from typing import Any

import pytest

from interviewer.errors import LLMError
from interviewer.llm.anthropic_messages import AnthropicMessages
from interviewer.llm.anthropic_messages import connect as connect_anthropic
from interviewer.llm.build import build_llm
from interviewer.llm.protocol import (
    LLM,
    Message,
    Reply,
    Request,
    TextDelta,
    ToolCall,
    ToolSpec,
    complete,
)
from interviewer.llm.retries import Retrying
from tests.vllm.server import ENDLESS, ENDLESS_TOKENS, LENGTH, Running, left_running

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("api", ["openai", "anthropic"]),
]
SYSTEM = Message("system", "You interview a candidate. Ask one short question.")
GO = Message("user", "Begin.")
REQUEST = Request((SYSTEM, GO), max_tokens=200, temperature=0.0)
RATE = {
    "type": "object",
    "properties": {
        "successes": {"type": "integer", "minimum": 0, "maximum": 100},
        "trials": {"type": "integer", "minimum": 1, "maximum": 100},
    },
    "required": ["successes", "trials"],
    "additionalProperties": False,
}
TOOL = ToolSpec("stats", "The interval of a rate.", RATE)


@asynccontextmanager
async def connected(api: str, vllm: Running, model: str = "") -> AsyncIterator[LLM]:
    name = model or vllm.model
    llm: Retrying | AnthropicMessages
    if api == "openai":
        llm = build_llm("vllm", vllm.url, name, None, cache_salt="tests", timeout_s=60)
    else:
        llm = AnthropicMessages(connect_anthropic(vllm.root, "none"), name)
    try:
        yield llm
    finally:
        await llm.aclose()


async def failure(llm: LLM, request: Request) -> LLMError:
    with pytest.raises(LLMError) as caught:
        await complete(llm, request)
    return caught.value


async def test_words_come_as_deltas_and_end_with_one_reply(api: str, vllm: Running) -> None:
    async with connected(api, vllm) as llm:
        items = [item async for item in llm.stream(REQUEST)]
    deltas = [item.text for item in items if isinstance(item, TextDelta)]
    reply = items[-1]
    assert isinstance(reply, Reply)
    assert len(deltas) > 3
    assert "".join(deltas) == reply.text
    assert (reply.model, reply.finish) == (vllm.model, "stop")


async def test_tokens_are_counted(api: str, vllm: Running) -> None:
    async with connected(api, vllm) as llm:
        usage = (await complete(llm, REQUEST)).usage
    assert usage.prompt_tokens > 15
    assert usage.completion_tokens > 3
    assert usage.cached_tokens is not None


async def test_a_named_tool_is_called_with_arguments_of_its_schema(api: str, vllm: Running) -> None:
    ask = Message("user", "88 of 100 answers were right. Call the tool.")
    request = Request((SYSTEM, ask), tools=(TOOL,), tool_choice="stats", max_tokens=300)
    async with connected(api, vllm) as llm:
        reply = await complete(llm, request)
    assert [call.name for call in reply.tool_calls] == ["stats"]
    arguments: dict[str, Any] = json.loads(reply.tool_calls[0].arguments)
    assert {"successes", "trials"} == set(arguments)
    assert 0 <= arguments["successes"] <= 100


async def test_a_tools_result_is_taken_and_answered(api: str, vllm: Running) -> None:
    call = ToolCall("t0003c001", "stats", '{"successes": 88, "trials": 100}')
    told = (
        Message("assistant", "", tool_calls=(call,)),
        Message("tool", '{"low": 0.8}', call=call.id),
    )
    request = Request((SYSTEM, GO, *told), tools=(TOOL,), max_tokens=300, temperature=0.0)
    async with connected(api, vllm) as llm:
        assert (await complete(llm, request)).text


async def test_a_schema_shapes_the_reply(api: str, vllm: Running) -> None:
    request = Request((SYSTEM, GO), response_schema=RATE, max_tokens=300, temperature=0.0)
    async with connected(api, vllm) as llm:
        reply = await complete(llm, request)
    assert set(json.loads(reply.text)) == {"successes", "trials"}


async def test_fault_25_leaving_a_stream_ends_the_request_at_the_server(
    api: str, vllm: Running
) -> None:
    async with connected(api, vllm) as llm, left_running(vllm):
        story = Message("user", "Tell a long story.")
        long = Request((SYSTEM, story), response_schema=ENDLESS, max_tokens=ENDLESS_TOKENS)
        async with aclosing(llm.stream(long)) as items:
            assert isinstance(await anext(items), TextDelta)
            # The gauge is set after the step, and a first token may be seen before it.
            assert await asyncio.to_thread(vllm.until, "num_requests_running", 1) == 1


async def test_a_prompt_longer_than_the_context_is_a_bad_request(api: str, vllm: Running) -> None:
    long = Request((Message("user", "word " * (LENGTH + 500)),), max_tokens=10)
    async with connected(api, vllm) as llm:
        error = await failure(llm, long)
    assert (error.kind, error.retryable) == ("bad_request", False)


async def test_an_unknown_model_is_a_bad_request_that_names_the_remedy(
    api: str, vllm: Running
) -> None:
    async with connected(api, vllm, "renamed") as llm:
        error = await failure(llm, REQUEST)
    assert error.kind == "bad_request"
    assert "model's name" in str(error)
