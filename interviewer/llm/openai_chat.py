"""The adapter for OpenAI's chat completions: vLLM, OpenAI, and whatever speaks like them."""

from collections.abc import Coroutine
from dataclasses import dataclass
from typing import Any, Self, cast

import httpx2
import msgspec
import openai

from interviewer.errors import LLMError, TokenBoundReached
from interviewer.events import Usage
from interviewer.llm.failures import from_error_event
from interviewer.llm.protocol import (
    Capabilities,
    Hear,
    Message,
    Reply,
    Request,
    ToolCall,
    ToolSpec,
    unheard,
)
from interviewer.llm.thinking import ThinkingFilter
from interviewer.llm.upstream import IDENTITY, Opening, SdkErrors, Timeouts, relay

_ERRORS = SdkErrors(openai.APIStatusError, openai.APIConnectionError)
_LENGTHS = ("minLength", "maxLength")


@dataclass(frozen=True, slots=True)
class Dialect:
    """In what the endpoints that speak this protocol differ."""

    limit_field: str = "max_tokens"
    temperature: bool = True
    """Reasoning models refuse the request that has one."""
    strict_tools: bool = False
    """Ask that tool arguments be held to their schema."""
    string_bounds: bool = False
    """Send the lengths of strings in a schema; OpenAI's strict mode refuses them."""
    reasoning_tokens: int = 0
    """Added to the token bound where hidden reasoning counts against it."""


def connect(base_url: str | None, api_key: str) -> openai.AsyncOpenAI:
    """A client on aiohttp, which reads streams at half the cost; no retries, no redirects."""
    http_client = openai.DefaultAioHttpClient(follow_redirects=False)
    return openai.AsyncOpenAI(
        base_url=base_url, api_key=api_key, http_client=http_client, max_retries=0
    )


class OpenAIChat:
    """A model behind /v1/chat/completions. `client` is an AsyncOpenAI with max_retries=0."""

    def __init__(
        self,
        client: openai.AsyncOpenAI,
        model: str,
        *,
        capabilities: Capabilities | None = None,
        dialect: Dialect | None = None,
        cache_salt: str | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.name = model
        self.capabilities = capabilities or Capabilities()
        self._client = client
        self._dialect = dialect or Dialect()
        self._cache_salt = cache_salt
        self._timeouts = timeouts or Timeouts()

    async def aclose(self) -> None:
        """Close the connections to the endpoint."""
        await self._client.close()

    def reply(self, request: Request, hear: Hear = unheard) -> Coroutine[Any, Any, Reply]:
        """One upstream request; see `LLM.reply`."""
        # Not `chat.completions.create`: it walks the whole body by type hints, milliseconds of CPU.
        opening = self._client.post(
            "/chat/completions",
            cast_to=httpx2.Response,
            content=_ENCODE(self._body(request)),
            options={"headers": IDENTITY, "timeout": self._timeouts.for_sdk()},
            stream=True,
            stream_cls=openai.AsyncStream[Any],
        )
        assembly = _Assembly(self.name, probe=request.max_tokens == 1)
        return relay(cast("Opening", opening), _ERRORS, assembly, self._timeouts, hear)

    def _body(self, request: Request) -> dict[str, Any]:
        dialect = self._dialect
        body: dict[str, Any] = {
            "model": self.name,
            "messages": [_message(message) for message in request.messages],
            "stream": True,
            "stream_options": {"include_usage": True},
            dialect.limit_field: request.max_tokens + dialect.reasoning_tokens,
        }
        if dialect.temperature:
            body["temperature"] = request.temperature
        if request.tools:
            body["tools"] = [_tool(spec, dialect.strict_tools) for spec in request.tools]
            body["tool_choice"] = _tool_choice(request.tool_choice)
        if request.response_schema is not None:
            schema = request.response_schema
            bounded = schema if dialect.string_bounds else _unbounded(schema)
            body["response_format"] = _response_format(bounded)
        return body | self._of_vllm(request)

    def _of_vllm(self, request: Request) -> dict[str, Any]:
        fields: dict[str, Any] = {}
        if self.capabilities.priority:
            fields["priority"] = request.priority
        if self.capabilities.cache_salt and self._cache_salt:
            fields["cache_salt"] = self._cache_salt
        return fields


def _message(message: Message) -> dict[str, Any]:
    if message.role == "tool":
        return {"role": "tool", "tool_call_id": message.call, "content": message.text}
    if not message.tool_calls:
        return {"role": message.role, "content": message.text}
    calls = [
        {
            "id": call.id,
            "type": "function",
            "function": {"name": call.name, "arguments": call.arguments},
        }
        for call in message.tool_calls
    ]
    return {"role": "assistant", "content": message.text or None, "tool_calls": calls}


def _tool(spec: ToolSpec, strict: bool) -> dict[str, Any]:
    function: dict[str, Any] = {
        "name": spec.name,
        "description": spec.description,
        "parameters": spec.schema,
    }
    if strict:
        function["strict"] = True
    return {"type": "function", "function": function}


def _tool_choice(choice: str) -> object:
    if choice in ("auto", "none"):
        return choice
    return {"type": "function", "function": {"name": choice}}


def _response_format(schema: object) -> dict[str, Any]:
    return {
        "type": "json_schema",
        "json_schema": {"name": "reply", "schema": schema, "strict": _is_closed(schema)},
    }


def _unbounded(schema: object) -> object:
    """The schema without lengths of strings."""
    if isinstance(schema, list):
        return [_unbounded(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    is_string = schema.get("type") == "string"
    return {k: _unbounded(v) for k, v in schema.items() if not (is_string and k in _LENGTHS)}


def _is_closed(schema: object) -> bool:
    """Whether OpenAI takes the schema as strict: every object closed, every property required."""
    if isinstance(schema, list):
        return all(_is_closed(item) for item in schema)
    if not isinstance(schema, dict):
        return True
    properties = schema.get("properties")
    if isinstance(properties, dict):
        closed = schema.get("additionalProperties") is False
        if not closed or set(schema.get("required", ())) != set(properties):
            return False
        return all(_is_closed(item) for item in properties.values())
    return all(_is_closed(value) for value in schema.values())


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | None = None


class _Fragment(msgspec.Struct):
    index: int = 0
    id: str | None = None
    function: _Function | None = None


class _Delta(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    reasoning: str | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Fragment] | None = None


class _Choice(msgspec.Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None


class _PromptDetails(msgspec.Struct):
    cached_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _PromptDetails | None = None

    def counted(self) -> Usage:
        details = self.prompt_tokens_details
        return Usage(
            prompt_tokens=self.prompt_tokens or 0,
            completion_tokens=self.completion_tokens or 0,
            cached_tokens=details.cached_tokens if details else None,
        )


class _Chunk(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: _Usage | None = None
    model: str | None = None
    error: Any = None


class _ToolCallDraft(msgspec.Struct):
    id: str = ""
    name: str = ""
    arguments: str = ""

    def add(self, fragment: _Fragment) -> Self:
        self.id = fragment.id or self.id
        if fragment.function:
            self.name = fragment.function.name or self.name
            self.arguments += fragment.function.arguments or ""
        return self


_DECODE = msgspec.json.Decoder(_Chunk).decode
_ENCODE = msgspec.json.Encoder().encode


class _Assembly:
    """A reply in the making; see `upstream.Assembly`."""

    def __init__(self, model: str, *, probe: bool) -> None:
        self.done = False
        self.alive = False
        self._model = model
        self._probe = probe
        self._text = ""
        self._thinking = ThinkingFilter()
        self._calls: dict[int, _ToolCallDraft] = {}
        self._finish: str | None = None
        self._usage = Usage()

    def take(self, payload: bytes) -> str:
        if payload == b"[DONE]":
            self.done = True
            return ""
        chunk = _DECODE(payload)
        if chunk.error:
            raise from_error_event(chunk.error)
        if chunk.usage:
            self._usage = chunk.usage.counted()
        self._model = chunk.model or self._model
        return self._choice(chunk.choices[0]) if chunk.choices else ""

    def _choice(self, choice: _Choice) -> str:
        text = self._delta(choice.delta) if choice.delta else ""
        if choice.finish_reason and self._finish is None:
            self._finish = choice.finish_reason
            text += self._thinking.close()
        self._text += text
        return text

    def _delta(self, delta: _Delta) -> str:
        if delta.refusal:
            raise LLMError("refused", f"the model refused: {delta.refusal[:200]}")
        for fragment in delta.tool_calls or ():
            self._calls.setdefault(fragment.index, _ToolCallDraft()).add(fragment)
        if delta.content or delta.tool_calls or delta.reasoning or delta.reasoning_content:
            self.alive = True
        return self._thinking.feed(delta.content) if delta.content else ""

    def reply(self) -> Reply:
        match self._finish:
            case None:
                message = "the stream ended without a finish reason"
                raise LLMError("truncated", message, retryable=True)
            case "length" if not self._probe:
                raise TokenBoundReached
            case "content_filter":
                raise LLMError("refused", "the endpoint's content filter stopped the reply")
        calls = tuple(
            ToolCall(id=draft.id or f"call{index}", name=draft.name, arguments=draft.arguments)
            for index, draft in sorted(self._calls.items())
        )
        return Reply(
            text=self._text,
            model=self._model,
            finish="tool_calls" if calls else "stop",
            tool_calls=calls,
            usage=self._usage,
        )
