"""Models and requests for tests of evals."""

from pathlib import Path

from evals.budget import Budget, Meter
from evals.calls import CallLog, Calls, LoggedLLM
from evals.pace import Pace
from interviewer.errors import LLMError
from interviewer.events import Usage
from interviewer.llm.protocol import Capabilities, Hear, Message, Reply, Request, unheard


class CountingLLM:
    """Replies with the last message in capitals, after the errors that it was given."""

    def __init__(self, *errors: LLMError) -> None:
        self.name = "counting"
        self.capabilities = Capabilities()
        self.asked: list[str] = []
        self._errors = list(errors)

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        text = request.messages[-1].text
        self.asked.append(text)
        if self._errors:
            raise self._errors.pop(0)
        hear(text.upper())
        usage = Usage(prompt_tokens=10, completion_tokens=5)
        return Reply(text.upper(), self.name, usage=usage)


def ask(text: str, priority: int = 0) -> Request:
    return Request((Message("user", text),), priority=priority)


def calls_in(folder: Path, *, resume: bool = False, budget: Budget | None = None) -> Calls:
    log = CallLog(folder / "calls.jsonl", resume=resume)
    return Calls(log, Meter(budget), Pace(4))


def logged(calls: Calls, llm: CountingLLM, scope: str = "case#0") -> LoggedLLM:
    return calls.model(llm, "judge", "counting@here", scope)
