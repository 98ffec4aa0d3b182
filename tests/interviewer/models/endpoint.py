"""Endpoints that accept what they then ignore, one fault at a time. Answers as httpx2 transport."""

import json
from dataclasses import dataclass, field
from typing import Any

import httpx2

PAINTED = '{"colour": "zx41", "coats": 41}'


@dataclass
class Pretender:
    """Does everything as it should; each switch makes one thing accepted and ignored."""

    holds_schema: bool = True
    calls_tools: bool = True
    calls_in_text: bool = False
    tells_cached: bool = True
    heeds_salt: bool = True
    refuses_auto: bool = False
    version: str = "0.32.0"
    seen: set[str] = field(default_factory=set)

    def __call__(self, request: httpx2.Request) -> httpx2.Response:
        path = request.url.path
        if path == "/v1/models":
            return httpx2.Response(200, json={"data": [{"id": "m-1"}]})
        if path == "/version":
            return httpx2.Response(200, json={"version": self.version})
        if path != "/v1/chat/completions":
            return httpx2.Response(404, json={"error": {"message": "no such path"}})
        body = json.loads(request.content)
        return self._streamed() if body.get("stream") else self._whole(body)

    def _streamed(self) -> httpx2.Response:
        chunk = json.dumps({"choices": [{"delta": {"content": "one "}}]})
        return httpx2.Response(200, text=f"data: {chunk}\n\n" * 3 + "data: [DONE]\n\n")

    def _whole(self, body: dict[str, Any]) -> httpx2.Response:
        if body.get("tool_choice") == "auto" and self.refuses_auto:
            return httpx2.Response(400, json={"error": {"message": '"auto" needs a parser'}})
        message = self._message(body)
        usage: dict[str, Any] = {"prompt_tokens": 500}
        if self.tells_cached:
            usage["prompt_tokens_details"] = {"cached_tokens": self._cached(body)}
        return httpx2.Response(200, json={"choices": [{"message": message}], "usage": usage})

    def _message(self, body: dict[str, Any]) -> dict[str, Any]:
        if body.get("response_format"):
            return {"content": PAINTED if self.holds_schema else "hello"}
        if not body.get("tools") or not self.calls_tools:
            return {"content": "Here you are."}
        name = body["tools"][0]["function"]["name"]
        if self.calls_in_text and body["tool_choice"] == "auto":
            return {"content": f'<tool_call>{{"name": "{name}"}}</tool_call>'}
        arguments = PAINTED if self.holds_schema else '"30%"'
        return {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}

    def _cached(self, body: dict[str, Any]) -> int:
        key = body["messages"][0]["content"] + (
            body.get("cache_salt", "") if self.heeds_salt else ""
        )
        cached = 480 if key in self.seen else 0
        self.seen.add(key)
        return cached
