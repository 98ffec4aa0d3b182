"""The contract of the adapters against the real server: OpenAI's and Anthropic's APIs of vLLM."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import pytest

from interviewer.errors import LLMError
from interviewer.llm.anthropic_messages import AnthropicMessages
from interviewer.llm.anthropic_messages import connect as connect_anthropic
from interviewer.llm.build import build_llm
from interviewer.llm.protocol import (
    LLM,
    Message,
    Request,
    ToolCall,
    ToolSpec,
)
from interviewer.llm.retries import Retrying
from interviewer.llm.upstream import Timeouts
from tests.vllm.play import REPLY_S
from tests.vllm.server import ENDLESS, ENDLESS_TOKENS, LENGTH, Running, left_running

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("api", ["openai", "anthropic"]),
]
SYSTEM = Message("system", "You interview a candidate. Ask one short question.")
GO = Message("user", "Begin.")
RATE = {
    "type": "object",
    "properties": {
        "successes": {"type": "integer", "minimum": 0, "maximum": 100},
        "trials": {"type": "integer", "minimum": 1, "maximum": 100},
    },
    "required": ["successes", "trials"],
    "additionalProperties": False,
}
REQUEST = Request((SYSTEM, GO), response_schema=RATE, max_tokens=300, temperature=0.0)
"""Its reply has an end, whatever the model makes of it."""
TOOL = ToolSpec("stats", "The interval of a rate.", RATE)


@asynccontextmanager
async def connected(api: str, vllm: Running, model: str = "") -> AsyncIterator[LLM]:
    name = model or vllm.model
    llm: Retrying | AnthropicMessages
    if api == "openai":
        llm = build_llm("vllm", vllm.url, name, None, cache_salt="tests", timeout_s=REPLY_S)
    else:
        client = connect_anthropic(vllm.root, "none")
        llm = AnthropicMessages(client, name, timeouts=Timeouts.both(REPLY_S))
    try:
        yield llm
    finally:
        await llm.aclose()


async def failure(llm: LLM, request: Request) -> LLMError:
    with pytest.raises(LLMError) as caught:
        await llm.reply(request)
    return caught.value


async def left_after(llm: LLM, request: Request, pieces: int) -> None:
    """Hear so many pieces of a reply, and leave it."""
    left = pieces

    def hear(_: str) -> None:
        nonlocal left
        left -= 1
        if left == 0:
            asking.cancel()

    asking = asyncio.create_task(llm.reply(request, hear))
    await asyncio.wait([asking])
    assert asking.cancelled()


async def test_deltas_add_up_to_one_reply_that_keeps_its_schema(api: str, vllm: Running) -> None:
    async with connected(api, vllm) as llm:
        heard: list[str] = []
        reply = await llm.reply(REQUEST, heard.append)
    assert "".join(heard) == reply.text
    assert set(json.loads(reply.text)) == {"successes", "trials"}
    assert (reply.model, reply.finish) == (vllm.model, "stop")


async def test_words_come_while_the_model_goes_on(api: str, vllm: Running) -> None:
    long = replace(REQUEST, response_schema=ENDLESS, max_tokens=ENDLESS_TOKENS)
    async with connected(api, vllm) as llm:
        await left_after(llm, long, 5)


async def test_plain_words_come_as_deltas(api: str, vllm: Running) -> None:
    async with connected(api, vllm) as llm:
        plain = replace(REQUEST, response_schema=None, max_tokens=ENDLESS_TOKENS)
        await left_after(llm, plain, 1)


async def test_tokens_are_counted(api: str, vllm: Running) -> None:
    async with connected(api, vllm) as llm:
        usage = (await llm.reply(REQUEST)).usage
    assert usage.prompt_tokens > 15
    assert usage.completion_tokens > 3
    assert usage.cached_tokens is not None


async def test_a_named_tool_is_called_with_arguments_of_its_schema(api: str, vllm: Running) -> None:
    ask = Message("user", "88 of 100 answers were right. Call the tool.")
    request = Request((SYSTEM, ask), tools=(TOOL,), tool_choice="stats", max_tokens=300)
    async with connected(api, vllm) as llm:
        reply = await llm.reply(request)
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
    request = replace(REQUEST, messages=(SYSTEM, GO, *told), tools=(TOOL,), tool_choice="none")
    async with connected(api, vllm) as llm:
        assert set(json.loads((await llm.reply(request)).text)) == {"successes", "trials"}


async def test_fault_25_leaving_a_stream_ends_the_request_at_the_server(
    api: str, vllm: Running
) -> None:
    async with connected(api, vllm) as llm, left_running(vllm):
        story = Message("user", "Tell a long story.")
        long = Request((SYSTEM, story), response_schema=ENDLESS, max_tokens=ENDLESS_TOKENS)
        heard: list[str] = []
        asking = asyncio.create_task(llm.reply(long, heard.append))
        while not heard and not asking.done():
            await asyncio.sleep(0.01)
        # The gauge is set after the step, and a first token may be seen before it.
        assert await asyncio.to_thread(vllm.until, "num_requests_running", 1) == 1
        asking.cancel()


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
