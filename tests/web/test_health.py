"""/healthz and /readyz."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest
from fastapi.testclient import TestClient

from interviewer.settings import Settings
from interviewer.store import EventStore
from tests.web.rig import LIBRARY, Script, viva_of
from web.app import create_app
from web.health import Readiness, within


class Asking:
    """Counts how often it is asked."""

    def __init__(self, problems: list[str]) -> None:
        self.problems = problems
        self.asked = 0

    async def __call__(self) -> list[str]:
        self.asked += 1
        await asyncio.sleep(0)
        return self.problems


async def test_fault_29_each_answer_stands_for_a_while() -> None:
    times = iter([0.0, 5.0, 40.0, 40.0])
    readiness, ask = Readiness(lambda: next(times)), Asking(["model: no answer"])
    for _ in range(3):
        assert await readiness.problems(ask) == ["model: no answer"]
    assert ask.asked == 2


async def test_a_crowd_of_probes_asks_once() -> None:
    readiness, ask = Readiness(), Asking([])
    await asyncio.gather(*[readiness.problems(ask) for _ in range(50)])
    assert ask.asked == 1


async def test_fault_29_a_model_that_never_answers_is_not_ready() -> None:
    hanging: Callable[[], Awaitable[list[str]]] = asyncio.Event().wait  # type: ignore[assignment]
    assert await within(0.01, hanging) == ["no answer within 0.01 s"]


@pytest.mark.parametrize("problems", [[], ["interviewer: cannot be reached"]])
def test_readyz_lists_what_is_wrong(store: EventStore, problems: list[str]) -> None:
    settings = Settings(hosts=("testserver",))
    app = create_app(settings, viva_of(settings, store, Script(), LIBRARY))

    async def known(_: object) -> list[str]:
        return problems

    app.state.readiness.problems = known
    with TestClient(app) as client:
        answer = client.get("/readyz")
    assert answer.status_code == (503 if problems else 200)
    assert answer.json() == {"ready": not problems, "problems": problems}


def test_a_server_without_a_model_is_ready(store: EventStore) -> None:
    settings = Settings(hosts=("testserver",))
    app = create_app(settings, viva_of(settings, store, Script(), LIBRARY))
    with TestClient(app) as client:
        assert client.get("/readyz").json() == {"ready": True, "problems": []}
        assert client.get("/healthz").json() == {"status": "alive"}
