"""A model without a network that answers as the judge's and the interviewer's prompts ask.

It shows that the mechanism works; what it says about answers means nothing.
"""

import json
from collections.abc import Callable
from typing import Any

from interviewer.llm.protocol import Capabilities, Hear, Reply, Request, unheard


class ReplyingLLM:
    """Replies with what a function makes of the request."""

    def __init__(self, reply: Callable[[Request], str], name: str = "scripted") -> None:
        self.name = name
        self.capabilities = Capabilities(tools=False)
        self._reply = reply

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        """The reply in one piece."""
        text = self._reply(request)
        hear(text)
        return Reply(text=text, model=self.name)


def scripted() -> ReplyingLLM:
    """Fills in the judge's schema where one is asked for; else it asks a plain question."""
    return ReplyingLLM(_reply)


def _reply(request: Request) -> str:
    if request.response_schema is None:
        return "Which figure would you put on that?"
    return json.dumps(_filled(request.response_schema, _words_of(request)))


def _words_of(request: Request) -> str:
    """The first words of the candidate's first turn, as the judge's message holds it."""
    asked = json.loads(next(m.text for m in request.messages if m.role == "user"))
    return " ".join(str(asked["answer"][0]["candidate"]).split()[:12])


def _filled(schema: dict[str, Any], words: str) -> object:
    """The simplest value that a schema allows, with the candidate's words where quotes go."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        return {
            name: [words] if name == "quotes" else _filled(part, words)
            for name, part in schema["properties"].items()
        }
    return {"array": [], "string": "As the words show.", "boolean": True}.get(str(kind), 0)
