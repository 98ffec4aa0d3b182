"""What holds for every adapter, whatever its wire format."""

import json
from typing import Any

import httpx2
import pytest

from interviewer.errors import LLMError
from interviewer.events import Usage
from interviewer.llm.protocol import (
    LLM,
    Message,
    Request,
    ToolCall,
    ToolSpec,
)
from tests.interviewer.wires import REQUEST, WIRES, Chunked, Wire, play, stream_of

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name),
]


async def failure(llm: LLM, request: Request = REQUEST) -> LLMError:
    with pytest.raises(LLMError) as caught:
        await llm.reply(request)
    return caught.value


async def test_a_reply_is_heard_piece_by_piece_and_whole_at_the_end(wire: Wire) -> None:
    chunks = [*wire.start(), *wire.text("Which ", "term", " is softest?"), *wire.end()]
    heard: list[str] = []
    reply = await play(wire, stream_of(*chunks)).llm.reply(REQUEST, heard.append)
    assert heard == ["Which ", "term", " is softest?"]
    assert reply.text == "Which term is softest?"


async def test_one_byte_at_a_time_gives_the_same_reply(wire: Wire) -> None:
    whole = b"".join([*wire.start(), *wire.text("Zähl ", "die 🦆 – 320 KiB?"), *wire.end()])
    single = [whole[i : i + 1] for i in range(len(whole))]
    reply = await play(wire, stream_of(*single)).llm.reply(REQUEST)
    assert reply.text == "Zähl die 🦆 – 320 KiB?"


async def test_crlf_line_ends_are_read_too(wire: Wire) -> None:
    whole = b"".join([*wire.start(), *wire.text("Go."), *wire.end()]).replace(b"\n", b"\r\n")
    assert (await play(wire, stream_of(whole)).llm.reply(REQUEST)).text == "Go."


async def test_usage_counts_prompt_completion_and_cached_tokens(wire: Wire) -> None:
    chunks = [*wire.start(), *wire.text("Go."), *wire.end()]
    reply = await play(wire, stream_of(*chunks)).llm.reply(REQUEST)
    times = {"first_token_s", "total_s"}
    counted = Usage(prompt_tokens=12, completion_tokens=5, cached_tokens=8)
    assert reply.usage.model_dump(exclude=times) == counted.model_dump(exclude=times)
    assert reply.usage.first_token_s is not None
    assert reply.usage.total_s is not None
    assert 0 <= reply.usage.first_token_s <= reply.usage.total_s
    assert reply.model == "m-1"


async def test_tool_calls_are_put_together_from_fragments(wire: Wire) -> None:
    calls = wire.tool_calls(
        ("c1", "kv_cache", ['{"lay', 'ers": 80', "}"]), ("c2", "stats", ['{"n": 5}'])
    )
    played = play(wire, stream_of(*wire.start(), *calls, *wire.end("tools")))
    reply = await played.llm.reply(REQUEST)
    expected = (ToolCall("c1", "kv_cache", '{"layers": 80}'), ToolCall("c2", "stats", '{"n": 5}'))
    assert (reply.tool_calls, reply.finish) == (expected, "tool_calls")


async def test_reasoning_never_reaches_the_reply(wire: Wire) -> None:
    chunks = [*wire.start(), *wire.thinking("secret"), *wire.text("Why?"), *wire.end()]
    assert (await play(wire, stream_of(*chunks)).llm.reply(REQUEST)).text == "Why?"


async def test_a_response_schema_gives_json_as_the_text(wire: Wire) -> None:
    parts = ['{"met"', ": true}"]
    why = "stop" if wire.name == "openai" else "tools"
    played = play(wire, stream_of(*wire.start(), *wire.structured(*parts), *wire.end(why)))
    schema = {"type": "object", "properties": {"met": {"type": "boolean"}}}
    request = Request(messages=REQUEST.messages, response_schema=schema)
    reply = await played.llm.reply(request)
    assert json.loads(reply.text) == {"met": True}
    assert reply.tool_calls == ()
    assert '"met"' in json.dumps(played.requests[0])


async def test_fault_09_a_stream_without_an_end_is_truncated_not_done(wire: Wire) -> None:
    error = await failure(play(wire, stream_of(*wire.start(), *wire.text("Which t"))).llm)
    assert (error.kind, error.retryable) == ("truncated", False)


async def test_fault_09_a_connection_that_breaks_off_is_truncated(wire: Wire) -> None:
    broken = httpx2.ReadError("reset")
    error = await failure(play(wire, stream_of(*wire.start(), *wire.text("W"), then=broken)).llm)
    assert error.kind == "truncated"


async def test_fault_09_a_stream_that_dies_before_its_first_delta_may_be_tried_again(
    wire: Wire,
) -> None:
    error = await failure(play(wire, stream_of(*wire.start())).llm)
    assert (error.kind, error.retryable) == ("truncated", True)


async def test_a_reply_at_its_token_bound_is_truncated(wire: Wire) -> None:
    chunks = [*wire.start(), *wire.text("Which"), *wire.end("length")]
    assert (await failure(play(wire, stream_of(*chunks)).llm)).kind == "truncated"


async def test_a_probe_of_one_token_may_end_at_its_bound(wire: Wire) -> None:
    chunks = [*wire.start(), *wire.text("Which"), *wire.end("length")]
    request = Request(messages=REQUEST.messages, max_tokens=1)
    assert (await play(wire, stream_of(*chunks)).llm.reply(request)).text == "Which"


async def test_a_refusal_is_an_error_that_says_so(wire: Wire) -> None:
    error = await failure(play(wire, stream_of(*wire.start(), *wire.end("refused"))).llm)
    assert (error.kind, error.retryable) == ("refused", False)


async def test_fault_27_an_error_event_before_the_first_delta_may_be_tried_again(
    wire: Wire,
) -> None:
    error = await failure(play(wire, stream_of(*wire.start(), wire.error("overloaded"))).llm)
    assert (error.kind, error.retryable) == ("server", True)
    assert "overloaded" in str(error)


async def test_fault_27_an_error_event_after_the_first_delta_may_not(wire: Wire) -> None:
    chunks = [*wire.start(), *wire.text("Which"), wire.error("overloaded")]
    error = await failure(play(wire, stream_of(*chunks)).llm)
    assert (error.kind, error.retryable) == ("server", False)


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, "bad_request", False),
        (401, "auth", False),
        (403, "auth", False),
        (404, "bad_request", False),
        (413, "bad_request", False),
        (429, "rate_limited", True),
        (500, "server", True),
        (503, "server", True),
        (529, "server", True),
        (302, "protocol", False),
    ],
)
async def test_each_http_status_has_its_kind(
    wire: Wire, status: int, kind: str, retryable: bool
) -> None:
    played = play(wire, httpx2.Response(status, json=wire.refusal_body("because of that")))
    error = await failure(played.llm)
    assert (error.kind, error.retryable) == (kind, retryable)
    assert len(played.requests) == 1


async def test_an_error_repeats_the_endpoints_own_words(wire: Wire) -> None:
    played = play(wire, httpx2.Response(400, json=wire.refusal_body("context is too long")))
    assert "context is too long" in str(await failure(played.llm))


async def test_a_refused_key_is_not_repeated(wire: Wire) -> None:
    played = play(wire, httpx2.Response(401, json=wire.refusal_body("bad key sk-secret")))
    assert "sk-secret" not in str(await failure(played.llm))


async def test_the_endpoints_wish_to_wait_is_kept(wire: Wire) -> None:
    answer = httpx2.Response(429, headers={"retry-after": "7"}, json=wire.refusal_body("slow"))
    assert (await failure(play(wire, answer).llm)).retry_after_s == 7.0


async def test_an_error_page_in_html_is_no_traceback(wire: Wire) -> None:
    played = play(wire, httpx2.Response(502, html="<h1>Bad gateway</h1>"))
    assert (await failure(played.llm)).kind == "server"


async def test_a_refused_connection_is_unreachable(wire: Wire) -> None:
    error = await failure(play(wire, httpx2.ConnectError("refused")).llm)
    assert (error.kind, error.retryable) == ("unreachable", True)


@pytest.mark.parametrize("kind", ["text/html", "application/json", ""])
async def test_another_content_type_is_a_protocol_error(wire: Wire, kind: str) -> None:
    answer = httpx2.Response(200, headers={"content-type": kind}, stream=Chunked([b"{}"]))
    error = await failure(play(wire, answer).llm)
    assert error.kind == "protocol"
    assert "base URL" in str(error)


@pytest.mark.parametrize(
    "payload",
    [
        b'data: {"type": "content_block_delta", "delta": {"text": "\xff\xfe"}, '
        b'"choices": [{"delta": {"content": "\xff\xfe"}}]}\n\n',
        b"data: {not json}\n\n",
        b"data: []\n\n",
        b'data: {"type": 5, "choices": 5}\n\n',
        b'data: {"type": "x", "x": ' + b"[" * 100_000 + b"}\n\n",
        b'data: {"type": "ping", "pad": "' + b"x" * (1 << 20),
    ],
    ids=["invalid UTF-8", "no JSON", "an array", "wrong types", "deep nesting", "endless event"],
)
async def test_hostile_bytes_are_a_protocol_error(wire: Wire, payload: bytes) -> None:
    error = await failure(play(wire, stream_of(*wire.start(), payload)).llm)
    assert (error.kind, error.retryable) == ("protocol", False)


async def test_a_reply_without_end_is_cut_off(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("interviewer.llm.upstream.LONGEST_STREAM", 20_000)
    chunks = [*wire.start(), *wire.text(*["more "] * 1_000), *wire.end()]
    error = await failure(play(wire, stream_of(*chunks)).llm)
    assert (error.kind, error.retryable) == ("protocol", False)


async def test_unknown_fields_and_events_are_passed_over(wire: Wire) -> None:
    unknown = b': comment\nid: 7\nretry: 5\ndata: {"type": "novelty", "object": "novelty"}\n\n'
    chunks = [*wire.start(), unknown, *wire.text("Go."), *wire.end()]
    assert (await play(wire, stream_of(*chunks)).llm.reply(REQUEST)).text == "Go."


async def test_a_hearer_that_fails_closes_the_response(wire: Wire) -> None:
    answer = stream_of(*wire.start(), *wire.text("One ", "two"), *wire.end())

    def hear(_: str) -> None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await play(wire, answer).llm.reply(REQUEST, hear)
    assert answer.is_closed


async def test_a_tool_turn_goes_out_with_its_call_and_its_result(wire: Wire) -> None:
    call = ToolCall("c1", "kv_cache", '{"layers": 80}')
    request = Request(
        messages=(
            Message("system", "S"),
            Message("user", "U"),
            Message("assistant", "", tool_calls=(call,)),
            Message("tool", '{"value": 1}', call="c1"),
        ),
        tools=(ToolSpec("kv_cache", "Cache size.", {"type": "object", "properties": {}}),),
        tool_choice="kv_cache",
    )
    played = play(wire, stream_of(*wire.start(), *wire.text("Go."), *wire.end()))
    await played.llm.reply(request)
    sent = played.requests[0]
    assert sent["messages"][-2:] == EXPECTED_TOOL_TURN[wire.name]
    assert sent["tool_choice"] == EXPECTED_CHOICE[wire.name]
    assert sent["tools"] == EXPECTED_TOOLS[wire.name]


EXPECTED_CHOICE: dict[str, Any] = {
    "openai": {"type": "function", "function": {"name": "kv_cache"}},
    "anthropic": {"type": "tool", "name": "kv_cache"},
}
EXPECTED_TOOLS: dict[str, Any] = {
    "openai": [
        {
            "type": "function",
            "function": {
                "name": "kv_cache",
                "description": "Cache size.",
                "parameters": {"type": "object", "properties": {}},
                "strict": True,
            },
        }
    ],
    "anthropic": [
        {
            "name": "kv_cache",
            "description": "Cache size.",
            "input_schema": {"type": "object", "properties": {}},
        }
    ],
}
EXPECTED_TOOL_TURN: dict[str, Any] = {
    "openai": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {
                    "id": "c1",
                    "type": "function",
                    "function": {"name": "kv_cache", "arguments": '{"layers": 80}'},
                }
            ],
        },
        {"role": "tool", "tool_call_id": "c1", "content": '{"value": 1}'},
    ],
    "anthropic": [
        {
            "role": "assistant",
            "content": [
                {"type": "tool_use", "id": "c1", "name": "kv_cache", "input": {"layers": 80}}
            ],
        },
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "c1",
                    "content": '{"value": 1}',
                    "cache_control": {"type": "ephemeral"},
                }
            ],
        },
    ],
}
