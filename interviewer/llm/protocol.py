"""What Viva asks of a model: one method that streams deltas and ends with exactly one reply."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

import msgspec

from interviewer.events import Usage


@dataclass(frozen=True, slots=True)
class Capabilities:
    """What an endpoint can do: flags, so that nobody asks which provider it is."""

    tools: bool = True
    json_schema: bool = True
    priority: bool = False
    cache_salt: bool = False


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as a model sees it: name, description, JSON schema of its arguments."""

    name: str
    description: str
    schema: dict[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """The model's request for a tool. `arguments` is raw text: it may not be valid JSON."""

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class Message:
    """One message of the conversation. A tool's result has role 'tool' and names its call."""

    role: Literal["system", "user", "assistant", "tool"]
    text: str
    tool_calls: tuple[ToolCall, ...] = ()
    call: str | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One model call.
    The prefix (system, tools, card) comes first and stays byte-identical through a round."""

    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str = "auto"
    """'auto', 'none', or the name of the tool that must be called."""
    response_schema: dict[str, Any] | None = None
    max_tokens: int = 600
    """Of the visible reply, which is truncated if it ends there; save at 1, which is a probe."""
    temperature: float = 0.3
    priority: int = 0
    """Lower goes first, where the endpoint can: interactive turns 0, judging 10."""


class TextDelta(msgspec.Struct, frozen=True):
    """More of the reply's text."""

    text: str


@dataclass(frozen=True, slots=True)
class Reply:
    """The finished reply: the deltas concatenated, the tool calls, and why it stopped."""

    text: str
    model: str
    finish: Literal["stop", "tool_calls"] = "stop"
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)


class LLM(Protocol):
    """A language model. Failures are `LLMError`; closing the generator cancels the request."""

    name: str
    capabilities: Capabilities

    def stream(self, request: Request) -> AsyncGenerator[TextDelta | ToolCall | Reply, None]:
        """Yield deltas as they come and end with exactly one Reply.

        A stream that breaks off, or ends at `max_tokens`, raises LLMError('truncated').
        """
        ...


async def complete(llm: LLM, request: Request) -> Reply:
    """The whole reply of a call; streamed and plain callers share one path."""
    async with aclosing(llm.stream(request)) as items:
        async for item in items:
            if isinstance(item, Reply):
                return item
    raise AssertionError(f"{llm.name} ended its stream without a Reply")
