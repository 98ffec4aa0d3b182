"""The wire formats of the model endpoints as bytes, written from the providers' documentation."""

import asyncio
import json
import ssl
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import anthropic
import httpx2
import openai

from interviewer.llm import anthropic_messages, openai_chat
from interviewer.llm.anthropic_messages import AnthropicMessages
from interviewer.llm.openai_chat import Dialect, OpenAIChat
from interviewer.llm.protocol import LLM, Capabilities, Message, Request
from interviewer.llm.upstream import Timeouts
from tests.patience import PATIENCE_S

REQUEST = Request(messages=(Message("system", "You ask."), Message("user", "Go on.")))


def data(payload: dict[str, Any], event: str | None = None) -> bytes:
    name = f"event: {event}\n" if event else ""
    return f"{name}data: {json.dumps(payload)}\n\n".encode()


def openai_chunk(delta: dict[str, Any] | None = None, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta or {}, "finish_reason": finish}
    return data({"object": "chat.completion.chunk", "model": "m-1", "choices": [choice]})


class OpenAIWire:
    """Chat completions as vLLM and OpenAI stream them."""

    name = "openai"

    def llm(self, http_client: httpx2.AsyncClient | None, base_url: str, timeouts: Timeouts) -> LLM:
        if http_client is None:
            client = openai_chat.connect(f"{base_url}/v1", "key")
        else:
            client = openai.AsyncOpenAI(
                base_url=f"{base_url}/v1", api_key="key", http_client=http_client, max_retries=0
            )
        return OpenAIChat(
            client,
            "m-1",
            capabilities=Capabilities(priority=True, cache_salt=True),
            dialect=Dialect(strict_tools=True),
            cache_salt="salt",
            timeouts=timeouts,
        )

    def start(self) -> list[bytes]:
        return [openai_chunk({"role": "assistant", "content": ""})]

    def text(self, *deltas: str) -> list[bytes]:
        return [openai_chunk({"content": delta}) for delta in deltas]

    def thinking(self, text: str) -> list[bytes]:
        return [openai_chunk({"reasoning": text}), openai_chunk({"reasoning_content": text})]

    def tool_calls(self, *calls: tuple[str, str, Sequence[str]]) -> list[bytes]:
        chunks = []
        for index, (call_id, name, parts) in enumerate(calls):
            head = {"index": index, "id": call_id, "type": "function"}
            function = {"name": name, "arguments": ""}
            chunks.append(openai_chunk({"tool_calls": [head | {"function": function}]}))
            for part in parts:
                piece = {"index": index, "function": {"arguments": part}}
                chunks.append(openai_chunk({"tool_calls": [piece]}))
        return chunks

    def end(self, why: str = "stop") -> list[bytes]:
        finish = {"stop": "stop", "tools": "tool_calls", "length": "length"}
        finish["refused"] = "content_filter"
        usage = {
            "prompt_tokens": 12,
            "completion_tokens": 5,
            "prompt_tokens_details": {"cached_tokens": 8},
        }
        return [
            openai_chunk({}, finish[why]),
            data({"model": "m-1", "choices": [], "usage": usage}),
            b"data: [DONE]\n\n",
        ]

    def error(self, message: str) -> bytes:
        return data({"error": {"message": message, "type": "InternalServerError", "code": 500}})

    def structured(self, *parts: str) -> list[bytes]:
        return self.text(*parts)

    def refusal_body(self, message: str) -> dict[str, Any]:
        return {"error": {"message": message, "type": "invalid_request_error"}}


class AnthropicWire:
    """The Messages API's events."""

    name = "anthropic"

    def llm(self, http_client: httpx2.AsyncClient | None, base_url: str, timeouts: Timeouts) -> LLM:
        if http_client is None:
            client = anthropic_messages.connect(base_url, "key")
        else:
            client = anthropic.AsyncAnthropic(
                base_url=base_url, api_key="key", http_client=http_client, max_retries=0
            )
        return AnthropicMessages(client, "m-1", timeouts=timeouts)

    def start(self) -> list[bytes]:
        usage = {"input_tokens": 3, "cache_read_input_tokens": 8, "cache_creation_input_tokens": 1}
        message = {"id": "msg_1", "role": "assistant", "model": "m-1", "usage": usage}
        return [
            data({"type": "message_start", "message": message}, "message_start"),
            data({"type": "ping"}, "ping"),
        ]

    def _block(
        self, index: int, block: dict[str, Any], deltas: list[dict[str, Any]]
    ) -> list[bytes]:
        start = {"type": "content_block_start", "index": index, "content_block": block}
        steps = [{"type": "content_block_delta", "index": index, "delta": d} for d in deltas]
        stop = {"type": "content_block_stop", "index": index}
        return [data(event, str(event["type"])) for event in (start, *steps, stop)]

    def text(self, *deltas: str) -> list[bytes]:
        pieces = [{"type": "text_delta", "text": delta} for delta in deltas]
        return self._block(0, {"type": "text", "text": ""}, pieces)

    def thinking(self, text: str) -> list[bytes]:
        piece = {"type": "thinking_delta", "thinking": text}
        return self._block(9, {"type": "thinking", "thinking": ""}, [piece])

    def tool_calls(self, *calls: tuple[str, str, Sequence[str]]) -> list[bytes]:
        chunks = []
        for index, (call_id, name, parts) in enumerate(calls, start=1):
            block = {"type": "tool_use", "id": call_id, "name": name, "input": {}}
            pieces = [{"type": "input_json_delta", "partial_json": part} for part in parts]
            chunks += self._block(index, block, pieces)
        return chunks

    def end(self, why: str = "stop") -> list[bytes]:
        stop = {"stop": "end_turn", "tools": "tool_use", "length": "max_tokens"}
        stop["refused"] = "refusal"
        delta = {"stop_reason": stop[why], "stop_sequence": None}
        return [
            data(
                {"type": "message_delta", "delta": delta, "usage": {"output_tokens": 5}},
                "message_delta",
            ),
            data({"type": "message_stop"}, "message_stop"),
        ]

    def error(self, message: str) -> bytes:
        error = {"type": "overloaded_error", "message": message}
        return data({"type": "error", "error": error}, "error")

    def structured(self, *parts: str) -> list[bytes]:
        return self.tool_calls(("toolu_1", "give_reply", parts))

    def refusal_body(self, message: str) -> dict[str, Any]:
        return {"type": "error", "error": {"type": "invalid_request_error", "message": message}}


Wire = OpenAIWire | AnthropicWire
WIRES: tuple[Wire, ...] = (OpenAIWire(), AnthropicWire())
PATIENT = Timeouts(connect_s=PATIENCE_S, first_token_s=PATIENCE_S, gap_s=PATIENCE_S)


@dataclass
class Played:
    """An adapter on a mock transport that answers each request with the next answer."""

    llm: LLM
    requests: list[dict[str, Any]]


def play(wire: Wire, *answers: httpx2.Response | Exception, timeouts: Timeouts = PATIENT) -> Played:
    requests: list[dict[str, Any]] = []
    waiting = list(answers)

    def handler(request: httpx2.Request) -> httpx2.Response:
        requests.append(json.loads(request.content))
        answer = waiting.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    http_client = httpx2.AsyncClient(transport=httpx2.MockTransport(handler))
    return Played(wire.llm(http_client, "http://endpoint", timeouts), requests)


class Chunked(httpx2.AsyncByteStream):
    """A body that comes in the given pieces, then may fail."""

    def __init__(self, chunks: Sequence[bytes], then: Exception | None = None) -> None:
        self.chunks, self.then, self.closed = chunks, then, False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for chunk in self.chunks:
            yield chunk
        if self.then:
            raise self.then

    async def aclose(self) -> None:
        self.closed = True


def stream_of(*chunks: bytes, then: Exception | None = None) -> httpx2.Response:
    headers = {"content-type": "text/event-stream; charset=utf-8"}
    return httpx2.Response(200, headers=headers, stream=Chunked(chunks, then))


@dataclass
class Endpoint:
    """A real HTTP server that plays `behave` on every request and notes what its peers do."""

    url: str = ""
    requests: int = 0
    left: asyncio.Event = field(default_factory=asyncio.Event)
    """Set when a peer closes its connection."""


Behaviour = Callable[[asyncio.StreamWriter], Any]
HEAD = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def framed(payload: bytes) -> bytes:
    return b"%x\r\n%b\r\n" % (len(payload), payload)


@asynccontextmanager
async def endpoint(behave: Behaviour, tls: ssl.SSLContext | None = None) -> AsyncIterator[Endpoint]:
    served = Endpoint()

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                )
                await reader.readexactly(length)
                served.requests += 1
                answering = asyncio.ensure_future(behave(writer))
                leaving = asyncio.ensure_future(reader.read(1))
                await asyncio.wait([answering, leaving], return_when=asyncio.FIRST_COMPLETED)
                if leaving.done() or answering.result() == "close":
                    answering.cancel()
                    leaving.cancel()
                    return
                leaving.cancel()
                await asyncio.wait([leaving])
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            served.left.set()
            writer.close()

    server = await asyncio.start_server(connected, "127.0.0.1", 0, ssl=tls)
    port = server.sockets[0].getsockname()[1]
    served.url = f"{'https' if tls else 'http'}://127.0.0.1:{port}"
    try:
        yield served
    finally:
        server.close()
        await server.wait_closed()


@asynccontextmanager
async def connected(
    wire: Wire,
    behave: Behaviour,
    timeouts: Timeouts = PATIENT,
    tls: ssl.SSLContext | None = None,
) -> AsyncIterator[tuple[LLM, Endpoint]]:
    """An adapter on its own transport, and the endpoint that it talks to."""
    async with endpoint(behave, tls) as served:
        llm = wire.llm(None, served.url, timeouts)
        try:
            yield llm, served
        finally:
            await llm.aclose()  # type: ignore[attr-defined]
