"""A model that follows a script: for tests, benches and demonstrations. Knows no network."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Self

from interviewer.errors import LLMError
from interviewer.events import Usage
from interviewer.llm.protocol import Capabilities, Hear, Reply, Request, ToolCall, unheard


@dataclass(frozen=True, slots=True)
class Say:
    """One scripted reply: `deltas`, each after `delay_s`, then the tool calls, then the end.

    With `fails`, that error is raised where the end would be.
    """

    deltas: tuple[str, ...] = ()
    tool_calls: tuple[ToolCall, ...] = ()
    delay_s: float = 0.0
    fails: LLMError | None = None
    usage: Usage = field(default_factory=Usage)

    @classmethod
    def words(cls, text: str, delay_s: float = 0.0) -> Self:
        """A reply that comes word by word."""
        head, *rest = text.split(" ")
        return cls(deltas=(head, *(f" {word}" for word in rest)), delay_s=delay_s)


Line = str | Say | LLMError
Script = Line | Callable[[Request], Line]


class ScriptEnded(Exception):
    """More was asked of a scripted model than its script holds."""


class ScriptedLLM:
    """Replies line by line; a callable line sees the request. `requests` holds what was asked.

    Running out of script raises `ScriptEnded`, which nothing takes for a failing model.
    """

    def __init__(
        self,
        *script: Script,
        name: str = "scripted",
        capabilities: Capabilities | None = None,
    ) -> None:
        self.name = name
        self.capabilities = capabilities or Capabilities()
        self.requests: list[Request] = []
        self.cancelled = 0
        """How many replies were cancelled before their end."""
        self._script = list(script)

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        """Play the next line of the script."""
        self.requests.append(request)
        say = self._next_line(request)
        try:
            for delta in say.deltas:
                await asyncio.sleep(say.delay_s)
                hear(delta)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        if say.fails is not None:
            say.fails.retryable = say.fails.retryable and not say.deltas
            raise say.fails
        return Reply(
            text="".join(say.deltas),
            model=self.name,
            finish="tool_calls" if say.tool_calls else "stop",
            tool_calls=say.tool_calls,
            usage=say.usage,
        )

    def _next_line(self, request: Request) -> Say:
        if not self._script:
            raise ScriptEnded(f"{self.name} was asked {len(self.requests)} times; its script ended")
        line = self._script.pop(0)
        if not isinstance(line, str | Say | LLMError):
            line = line(request)
        if isinstance(line, str):
            return Say(deltas=(line,))
        return Say(fails=line) if isinstance(line, LLMError) else line
