"""A run of forty calls, four at once, that hangs from one of them on, for a test to kill."""

import asyncio
import os
import sys
from pathlib import Path
from typing import Any

from evals.cases import Case
from evals.runner import Plan, run
from interviewer.llm.protocol import Hear, Reply, Request, unheard
from tests.evals.replies import CountingLLM, ask, calls_in


class HangingLLM(CountingLLM):
    """Writes down what it is asked; answers no more than so many."""

    def __init__(self, file: Path, most: int) -> None:
        super().__init__()
        self._file = file
        self._left = most

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        with self._file.open("a") as file:
            file.write(f"{request.messages[-1].text}\n")
            file.flush()
            os.fsync(file.fileno())
        self._left -= 1
        if self._left < 0:
            await asyncio.Event().wait()
        return await super().reply(request, hear)


def main(folder: Path, most: int) -> None:
    calls, llm = calls_in(folder, resume=True), HangingLLM(folder / "asked.txt", most)

    async def evaluate(case: Case, repeat: int) -> dict[str, Any]:
        model = calls.model(llm, "judge", "slow@here", f"{case.id}#{repeat}")
        return {"text": (await model.reply(ask(case.id))).text}

    cases = [Case(id=f"case-{n}", card="X") for n in range(40)]
    asyncio.run(run(Plan(cases, evaluate, workers=4)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]))
