"""A run of forty slow calls, four at once, that a test kills and starts again."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

from evals.cases import Case
from evals.runner import Plan, run
from interviewer.llm.protocol import Reply, Request, TextDelta, ToolCall, complete
from tests.evals.replies import CountingLLM, ask, calls_in


class SlowLLM(CountingLLM):
    """Writes down what it is asked before it takes its time."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self._file = file

    async def stream(self, request: Request) -> AsyncGenerator[TextDelta | ToolCall | Reply, None]:
        with self._file.open("a") as file:
            file.write(f"{request.messages[-1].text}\n")
            file.flush()
            os.fsync(file.fileno())
        await asyncio.sleep(0.02)
        async for item in super().stream(request):
            yield item


def main(folder: Path) -> None:
    calls, llm = calls_in(folder, resume=True), SlowLLM(folder / "asked.txt")

    async def evaluate(case: Case, repeat: int) -> dict[str, Any]:
        model = calls.model(llm, "judge", "slow@here", f"{case.id}#{repeat}")
        return {"text": (await complete(model, ask(case.id))).text}

    cases = [Case(id=f"case-{n}", card="X") for n in range(40)]
    asyncio.run(run(Plan(cases, evaluate, workers=4)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
