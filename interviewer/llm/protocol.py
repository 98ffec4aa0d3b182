"""What Viva asks of a model: one method that replies, and says the words as they come."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

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


@dataclass(frozen=True, slots=True)
class Reply:
    """The finished reply: its whole text, the tool calls, and why it stopped."""

    text: str
    model: str
    finish: Literal["stop", "tool_calls"] = "stop"
    tool_calls: tuple[ToolCall, ...] = ()
    usage: Usage = field(default_factory=Usage)


Hear = Callable[[str], None]
"""Takes more of a reply's text; must not block."""


def unheard(_: str) -> None:
    """The `Hear` of a caller who waits for the whole reply."""


class LLM(Protocol):
    """A language model. Cancelling a call cancels its request."""

    name: str
    capabilities: Capabilities

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        """The reply to one request, heard piece by piece as it comes.

        Raises LLMError: 'truncated' for a reply that breaks off or ends at `max_tokens`; none is
        retryable once a piece was heard. What `hear` raises comes out as it is.
        """
        ...
