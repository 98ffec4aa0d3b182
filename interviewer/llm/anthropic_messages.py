"""The adapter for Anthropic's Messages API."""

from collections.abc import Coroutine, Iterable
from typing import Any, cast

import anthropic
import httpx2
import msgspec

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
    unheard,
)
from interviewer.llm.upstream import IDENTITY, Opening, SdkErrors, Timeouts, relay

_ERRORS = SdkErrors(anthropic.APIStatusError, anthropic.APIConnectionError)
_REPLY_TOOL = "give_reply"
_CACHED = {"type": "ephemeral"}


def connect(base_url: str | None, api_key: str) -> anthropic.AsyncAnthropic:
    """A client on aiohttp, which reads streams at half the cost; no retries, no redirects."""
    http_client = anthropic.DefaultAioHttpClient(follow_redirects=False)
    return anthropic.AsyncAnthropic(
        base_url=base_url, api_key=api_key, http_client=http_client, max_retries=0
    )


class AnthropicMessages:
    """A model behind /v1/messages. `client` is an AsyncAnthropic with max_retries=0.

    The request's temperature is not sent: current models refuse one. A response schema becomes a
    tool that the model must call; its input, as JSON, is the reply's text.
    """

    def __init__(
        self,
        client: anthropic.AsyncAnthropic,
        model: str,
        *,
        capabilities: Capabilities | None = None,
        timeouts: Timeouts | None = None,
    ) -> None:
        self.name = model
        self.capabilities = capabilities or Capabilities()
        self._client = client
        self._timeouts = timeouts or Timeouts()

    async def aclose(self) -> None:
        """Close the connections to the endpoint."""
        await self._client.close()

    def reply(self, request: Request, hear: Hear = unheard) -> Coroutine[Any, Any, Reply]:
        """One upstream request; see `LLM.reply`."""
        opening = self._client.post(
            "/v1/messages",
            cast_to=httpx2.Response,
            content=_ENCODE(self._body(request)),
            options={"headers": IDENTITY, "timeout": self._timeouts.for_sdk()},
            stream=True,
            stream_cls=anthropic.AsyncStream[Any],
        )
        assembly = _Assembly(self.name, probe=request.max_tokens == 1)
        return relay(cast("Opening", opening), _ERRORS, assembly, self._timeouts, hear)

    def _body(self, request: Request) -> dict[str, Any]:
        system = "\n\n".join(m.text for m in request.messages if m.role == "system")
        turns = _merged(m for m in request.messages if m.role != "system")
        if turns:
            # The cache reaches up to a marked block: here the whole conversation so far.
            turns[-1]["content"][-1]["cache_control"] = _CACHED
        body: dict[str, Any] = {
            "model": self.name,
            "messages": turns,
            "max_tokens": request.max_tokens,
            "stream": True,
        }
        if system:
            body["system"] = [{"type": "text", "text": system, "cache_control": _CACHED}]
        return body | _tools(request)


def _tools(request: Request) -> dict[str, Any]:
    tools = [
        {"name": spec.name, "description": spec.description, "input_schema": spec.schema}
        for spec in request.tools
    ]
    choice = request.tool_choice
    if request.response_schema is not None:
        tools.append(
            {
                "name": _REPLY_TOOL,
                "description": "Give your reply.",
                "input_schema": request.response_schema,
            }
        )
        choice = _REPLY_TOOL
    if not tools:
        return {}
    if choice in ("auto", "none"):
        return {"tools": tools, "tool_choice": {"type": choice}}
    return {"tools": tools, "tool_choice": {"type": "tool", "name": choice}}


def _merged(messages: Iterable[Message]) -> list[dict[str, Any]]:
    """Turns that alternate between user and assistant; tool results belong to the user's."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        role = "assistant" if message.role == "assistant" else "user"
        if not turns or turns[-1]["role"] != role:
            turns.append({"role": role, "content": []})
        turns[-1]["content"].extend(_blocks(message))
    return [turn for turn in turns if turn["content"]]


def _blocks(message: Message) -> list[dict[str, Any]]:
    if message.role == "tool":
        return [{"type": "tool_result", "tool_use_id": message.call, "content": message.text}]
    # An empty or blank text block is refused with 400.
    texts = [{"type": "text", "text": message.text}] if message.text.strip() else []
    calls = [
        {"type": "tool_use", "id": call.id, "name": call.name, "input": _input(call.arguments)}
        for call in message.tool_calls
    ]
    return [*texts, *calls]


def _input(arguments: str) -> dict[str, Any]:
    """The arguments as an object; what is none is passed on as text, so that the model sees it."""
    try:
        decoded = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        decoded = None
    return decoded if isinstance(decoded, dict) else {"invalid": arguments}


class _Counts(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Start(msgspec.Struct):
    model: str = ""
    usage: _Counts | None = None


class _Block(msgspec.Struct):
    type: str
    id: str = ""
    name: str = ""
    text: str = ""


class _Delta(msgspec.Struct):
    type: str | None = None
    text: str | None = None
    partial_json: str | None = None
    thinking: str | None = None
    stop_reason: str | None = None


class _Event(msgspec.Struct):
    type: str
    index: int = 0
    message: _Start | None = None
    content_block: _Block | None = None
    delta: _Delta | None = None
    usage: _Counts | None = None
    error: Any = None


class _ToolCallDraft(msgspec.Struct):
    id: str
    name: str
    arguments: str = ""


_DECODE = msgspec.json.Decoder(_Event).decode
_ENCODE = msgspec.json.Encoder().encode


class _Assembly:
    """A reply in the making; see `upstream.Assembly`."""

    def __init__(self, model: str, *, probe: bool) -> None:
        self.done = False
        self.alive = False
        self._model = model
        self._probe = probe
        self._text = ""
        self._calls: dict[int, _ToolCallDraft] = {}
        self._stop: str | None = None
        self._counts: dict[str, int] = {}

    def take(self, payload: bytes) -> str:
        event = _DECODE(payload)
        match event.type:
            case "content_block_delta" if event.delta:
                return self._delta(event.index, event.delta)
            case "content_block_start" if event.content_block:
                return self._begin(event.index, event.content_block)
            case "message_start" if event.message:
                self._model = event.message.model or self._model
                self._count(event.message.usage)
            case "message_delta":
                self._stop = (event.delta.stop_reason if event.delta else None) or self._stop
                self._count(event.usage)
            case "message_stop":
                self.done = True
            case "error":
                raise from_error_event(event.error)
        return ""

    def _begin(self, index: int, block: _Block) -> str:
        if block.type == "tool_use":
            self._calls[index] = _ToolCallDraft(id=block.id, name=block.name)
        return self._said(block.text) if block.type == "text" else ""

    def _delta(self, index: int, delta: _Delta) -> str:
        self.alive = True
        if delta.partial_json is None:
            return self._said(delta.text or "")
        draft = self._calls.get(index)
        if draft is None:
            raise LLMError("protocol", f"the stream adds to block {index}, which is no tool call")
        if draft.name == _REPLY_TOOL:
            return self._said(delta.partial_json)
        draft.arguments += delta.partial_json
        return ""

    def _said(self, text: str) -> str:
        self._text += text
        return text

    def _count(self, counts: _Counts | None) -> None:
        if counts is not None:
            seen = msgspec.structs.asdict(counts)
            self._counts |= {name: count for name, count in seen.items() if count is not None}

    def _usage(self) -> Usage:
        count = self._counts.get
        read, written = count("cache_read_input_tokens"), count("cache_creation_input_tokens")
        return Usage(
            prompt_tokens=count("input_tokens", 0) + (read or 0) + (written or 0),
            completion_tokens=count("output_tokens", 0),
            cached_tokens=read,
        )

    def reply(self) -> Reply:
        match self._stop:
            case None:
                message = "the stream ended without a stop reason"
                raise LLMError("truncated", message, retryable=True)
            case "max_tokens" | "model_context_window_exceeded" if not self._probe:
                raise TokenBoundReached
            case "refusal":
                raise LLMError("refused", "the model refused")
        calls = tuple(
            ToolCall(id=draft.id, name=draft.name, arguments=draft.arguments or "{}")
            for _, draft in sorted(self._calls.items())
            if draft.name != _REPLY_TOOL
        )
        return Reply(
            text=self._text,
            model=self._model,
            finish="tool_calls" if calls else "stop",
            tool_calls=calls,
            usage=self._usage(),
        )
