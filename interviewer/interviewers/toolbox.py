"""Runs the tools that a model asks for; whatever it asks for, the answer is something to read."""

import asyncio
import json
from collections.abc import Mapping
from typing import Any, Protocol

from interviewer.events import ToolCalled, ToolReturned
from interviewer.llm.protocol import ToolCall, ToolSpec
from questions.model import QuestionCard
from tools.result import Result, ToolError

LONGEST_ARGUMENTS = 20_000
"""Characters of a call's arguments; a longer call is not run."""


class Tool(Protocol):
    """What is needed of a tool of the catalog."""

    @property
    def name(self) -> str:
        """As the model calls it."""
        ...

    @property
    def description(self) -> str:
        """What it computes, for the model."""
        ...

    def schema(self) -> dict[str, Any]:
        """JSON schema of the arguments."""
        ...

    def call(self, arguments: Mapping[str, object], /) -> Result:
        """Run it; ToolError for bad arguments."""
        ...


class Toolbox:
    """The tools of a catalog as a model sees and calls them."""

    def __init__(self, catalog: Mapping[str, Tool]) -> None:
        self._catalog = catalog
        self._specs: dict[str, ToolSpec] = {}

    def specs(self, card: QuestionCard) -> tuple[ToolSpec, ...]:
        """The tools behind the card's numbers: all of them would fill a small model's context.

        Sorted, since they stand in the prompt's prefix, which must not change in a round.
        """
        used = {fact.tool for fact in card.facts}
        return tuple(self._spec(name) for name in sorted(self._catalog.keys() & used))

    def _spec(self, name: str) -> ToolSpec:
        if name not in self._specs:
            tool = self._catalog[name]
            self._specs[name] = ToolSpec(tool.name, tool.description, tool.schema())
        return self._specs[name]

    async def run(self, called: ToolCalled) -> ToolReturned:
        """The result as JSON, or `{"error": ...}` that names field, value and remedy."""
        try:
            result = await self._call(called)
        except ToolError as error:
            return ToolReturned(call=called.call, ok=False, result={"error": str(error)})
        # A simulator's trace is large, and the same call gives it again.
        kept = result.model_dump(mode="json", exclude={"trace"})
        return ToolReturned(call=called.call, ok=True, result=kept)

    async def _call(self, called: ToolCalled) -> Result:
        tool = self._catalog.get(called.tool)
        if tool is None:
            raise ToolError("tool", called.tool, f"use one of {', '.join(sorted(self._catalog))}")
        arguments = _object(called.arguments)
        # A simulator can take a while, and other rounds are streaming.
        return await asyncio.to_thread(tool.call, arguments)


def called(call_id: str, call: ToolCall) -> ToolCalled:
    """What is recorded of a call: the model's raw words, but for NUL, and not without end."""
    name, arguments = (text.replace("\0", "\ufffd") for text in (call.name, call.arguments))
    return ToolCalled(call=call_id, tool=name[:100], arguments=arguments[: LONGEST_ARGUMENTS + 1])


def for_model(returned: ToolReturned) -> str:
    """A tool's result as the model reads it: without the rows of its figure."""
    shown = {key: value for key, value in returned.result.items() if key != "table"}
    return json.dumps(shown, ensure_ascii=False)


def _object(arguments: str) -> dict[str, object]:
    if len(arguments) > LONGEST_ARGUMENTS:
        raise ToolError("arguments", f"{len(arguments)} characters", "send a small JSON object")
    try:
        decoded = json.loads(arguments or "{}")
    except (ValueError, RecursionError) as error:
        raise ToolError("arguments", arguments[:200], f"send a JSON object: {error}") from error
    if not isinstance(decoded, dict):
        raise ToolError("arguments", arguments[:200], "send a JSON object, name by name")
    return decoded
