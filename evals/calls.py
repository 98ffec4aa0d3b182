"""Model calls that are paid once: an append-only log addressed by what was asked.

A killed run is taken up from it; a failure is never kept, so it is asked again.
"""

import json
import os
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path
from typing import Any

from evals.budget import Meter
from evals.pace import Pace
from interviewer.events import Usage
from interviewer.llm.protocol import LLM, Hear, Reply, Request, ToolCall, unheard


class CallLog:
    """Replies by key in a file of JSON lines. A line that was torn by a kill is cut off."""

    def __init__(self, file: Path, *, resume: bool = False) -> None:
        self._file = file
        file.parent.mkdir(parents=True, exist_ok=True)
        self._replies: dict[str, Reply] = _read(file) if resume else {}
        if not resume:
            file.write_bytes(b"")

    def get(self, key: str) -> Reply | None:
        """The reply that was given before, or None."""
        return self._replies.get(key)

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; it is on the disk when this returns."""
        kept = {**asdict(reply), "usage": reply.usage.model_dump()}
        line = json.dumps({"key": key, "reply": kept}, ensure_ascii=False)
        with self._file.open("a", encoding="utf-8") as file:
            file.write(f"{line}\n")
            file.flush()
            os.fsync(file.fileno())
        self._replies[key] = reply

    def __len__(self) -> int:
        return len(self._replies)


def call_key(identity: str, scope: str, request: Request) -> str:
    """The address of a call: who is asked, for which case and repetition, and every word of it."""
    asked: dict[str, Any] = {"identity": identity, "scope": scope, **asdict(request)}
    del asked["priority"]  # says when, not what
    canonical = json.dumps(asked, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()


class Calls:
    """What all models of a run share: the log, the meter and the pace."""

    def __init__(self, log: CallLog, meter: Meter, pace: Pace) -> None:
        self.log, self.meter, self.pace = log, meter, pace

    def model(self, llm: LLM, role: str, identity: str, scope: str) -> "LoggedLLM":
        """A model whose calls are logged for one case and repetition."""
        return LoggedLLM(llm, self, role, identity, scope)


class LoggedLLM:
    """An LLM whose whole replies are taken from the log where they are in it.

    Raises BudgetSpent before a call that would go over the budget.
    """

    def __init__(self, llm: LLM, calls: Calls, role: str, identity: str, scope: str) -> None:
        self.name = llm.name
        self.capabilities = llm.capabilities
        self._llm, self._calls = llm, calls
        self._role, self._identity, self._scope = role, identity, scope

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        """See `LLM.reply`; a reply is whole, and logged, before its first word is heard."""
        key = call_key(self._identity, self._scope, request)
        reply = self._calls.log.get(key)
        if reply is None:
            reply = await self._ask(request)
            self._calls.log.put(key, reply)
        else:
            self._calls.meter.recall(self._role)
        for word in _words(reply.text):
            hear(word)
        return reply

    async def _ask(self, request: Request) -> Reply:
        async with self._calls.pace.slot():
            self._calls.meter.begin(self._role)
            reply = await self._llm.reply(request)
        self._calls.meter.spend(self._role, reply.usage)
        return reply


def _words(text: str) -> list[str]:
    """The text in pieces of a word each, so that what is read while streaming is read here too."""
    head, *rest = text.split(" ")
    return [piece for piece in (head, *(f" {word}" for word in rest)) if piece]


def _read(file: Path) -> dict[str, Reply]:
    if not file.exists():
        return {}
    content = file.read_bytes()
    whole = content[: content.rfind(b"\n") + 1]
    if len(whole) < len(content):
        with file.open("r+b") as torn:
            torn.truncate(len(whole))
    replies: dict[str, Reply] = {}
    for line in whole.splitlines():
        row = json.loads(line)
        replies[row["key"]] = _reply(row["reply"])
    return replies


def _reply(row: dict[str, Any]) -> Reply:
    return Reply(
        text=row["text"],
        model=row["model"],
        finish=row["finish"],
        tool_calls=tuple(ToolCall(**call) for call in row["tool_calls"]),
        usage=Usage.model_validate(row["usage"]),
    )
