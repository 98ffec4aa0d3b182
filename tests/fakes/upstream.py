"""A model server with the OpenAI chat API: streams words with pauses, calls tools, fills JSON
schemas.
"""

import asyncio
import json
import threading
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

WORDS = "Which assumption behind that would you check first on a real server, and how?"


@dataclass
class Upstream:
    """What the server does, changeable while it runs, and what it was asked."""

    gap_s: float = 0.01
    words: str = WORDS
    calls_tool: bool = True
    fails_with: int | None = None
    cuts_after: int | None = None
    stalls: bool = False
    requests: list[dict[str, Any]] = field(default_factory=list)
    streaming: int = 0
    url: str = ""

    async def chat(self, request: Request) -> Response:
        """POST /v1/chat/completions, streamed."""
        body = json.loads(await request.body())
        self.requests.append(body)
        if self.fails_with is not None:
            return JSONResponse({"error": {"message": "out of order"}}, self.fails_with)
        if body.get("stream") is not True:
            return JSONResponse(self._whole(body))
        return StreamingResponse(self._sse(body), media_type="text/event-stream")

    async def _sse(self, body: dict[str, Any]) -> AsyncIterator[bytes]:
        self.streaming += 1
        try:
            for number, delta in enumerate(self._deltas(body)):
                if self.cuts_after is not None and number >= self.cuts_after:
                    return
                yield _chunk({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]})
                await asyncio.sleep(3600 if self.stalls else self.gap_s)
            finish = "tool_calls" if self._wants_tool(body) else "stop"
            yield _chunk({"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]})
            yield _chunk({"choices": [], "usage": USAGE})
            yield b"data: [DONE]\n\n"
        finally:
            self.streaming -= 1

    def _deltas(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        if self._wants_tool(body):
            return _tool_call()
        return [{"content": word} for word in _pieces(self._text(body))]

    def _wants_tool(self, body: dict[str, Any]) -> bool:
        """One call a turn: the last message is the candidate's or the instruction, not a result."""
        offered = body.get("tools") and body.get("tool_choice") != "none"
        return bool(self.calls_tool and offered and body["messages"][-1]["role"] != "tool")

    def _text(self, body: dict[str, Any]) -> str:
        schema = body.get("response_format", {}).get("json_schema", {}).get("schema")
        return json.dumps(instance(schema, schema)) if schema else self.words

    def _whole(self, body: dict[str, Any]) -> dict[str, Any]:
        message = {"role": "assistant", "content": self._text(body)}
        return {
            "id": "x",
            "object": "chat.completion",
            "model": body["model"],
            "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
            "usage": USAGE,
        }


USAGE = {
    "prompt_tokens": 900,
    "completion_tokens": 20,
    "total_tokens": 920,
    "prompt_tokens_details": {"cached_tokens": 850},
}


def _chunk(part: dict[str, Any]) -> bytes:
    whole = {"id": "x", "object": "chat.completion.chunk", "created": 0, "model": "fake"} | part
    return b"data: " + json.dumps(whole).encode() + b"\n\n"


def _pieces(text: str) -> list[str]:
    return [word + " " for word in text.split(" ")[:-1]] + [text.split(" ")[-1]]


def _tool_call() -> list[dict[str, Any]]:
    arguments = json.dumps({"successes": 88, "trials": 100})
    half = len(arguments) // 2
    function = {"name": "stats", "arguments": arguments[:half]}
    first = {"index": 0, "id": "call-1", "type": "function", "function": function}
    second = {"index": 0, "function": {"arguments": arguments[half:]}}
    return [{"tool_calls": [first]}, {"tool_calls": [second]}]


def instance(schema: dict[str, Any], root: dict[str, Any]) -> Any:
    """The smallest value that a JSON schema accepts, as a constrained decoder might give."""
    if "$ref" in schema:
        return instance(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], root)
    if "const" in schema or "enum" in schema:
        return schema.get("const", schema.get("enum", [None])[-1])
    if "anyOf" in schema:
        return instance(schema["anyOf"][-1], root)
    match schema.get("type"):
        case "object":
            return {name: instance(part, root) for name, part in schema["properties"].items()}
        case "array":
            return [instance(schema["items"], root)] * int(schema.get("minItems", 0))
        case "string":
            return "x" * max(1, int(schema.get("minLength", 1)))
        case "integer" | "number":
            return schema.get("minimum", 1)
        case "boolean":
            return False
    return None


class UpstreamServer:
    """Runs an Upstream on a free port in a thread of its own, as a context manager."""

    def __init__(self, upstream: Upstream | None = None) -> None:
        self.upstream = upstream or Upstream()
        routes = [
            Route("/v1/chat/completions", self.upstream.chat, methods=["POST"]),
            Route("/v1/models", _models),
        ]
        config = uvicorn.Config(
            Starlette(routes=routes), port=0, log_level="warning", lifespan="off"
        )
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, daemon=True)

    def __enter__(self) -> Upstream:
        self._thread.start()
        while not self._server.started:
            self._thread.join(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.upstream.url = f"http://127.0.0.1:{port}/v1"
        return self.upstream

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._server.force_exit = True
        self._thread.join(5)


async def _models(_: Request) -> Response:
    return JSONResponse({"object": "list", "data": [{"id": "fake", "object": "model"}]})
