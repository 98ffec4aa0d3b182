"""The worker process: it may crash, hang or be overrun, and the next call finds a fresh one."""

import asyncio
import os
import signal
from collections.abc import AsyncIterator, Callable

import pytest

from interviewer.errors import VoiceError
from interviewer.voice.process import Worker
from interviewer.voice.turns import Turns
from tests.patience import PATIENCE_S, until

CHILD = """
import json, os, sys, time
for line in sys.stdin.buffer:
    request = json.loads(line)
    size = len(sys.stdin.buffer.read(request["bytes"]))
    if request["op"] == "hang":
        time.sleep(60)
    if request["op"] == "crash":
        os.abort()
    for message in ({"done": 0.5}, {"pid": os.getpid(), "size": size}):
        print(json.dumps(message), flush=True)
"""

Start = Callable[..., Worker]


@pytest.fixture
async def start() -> AsyncIterator[Start]:
    started: list[Worker] = []

    def make(patience_s: float = PATIENCE_S) -> Worker:
        started.append(Worker(("-c", CHILD), patience_s=patience_s))
        return started[-1]

    yield make
    for worker in started:
        await worker.aclose()


async def test_a_worker_gets_the_audio_and_tells_its_progress(start: Start) -> None:
    told: list[float] = []
    answer = await start().ask({"op": "work"}, b"\1" * 3_000_000, tell=told.append)
    assert (answer["size"], told) == (3_000_000, [0.5])


async def test_a_crash_is_told_and_the_next_call_gets_a_new_process(start: Start) -> None:
    worker = start()
    before = await worker.ask({"op": "work"})
    with pytest.raises(VoiceError, match="ended by itself") as caught:
        await worker.ask({"op": "crash"})
    assert caught.value.kind == "crashed"
    assert (await worker.ask({"op": "work"}))["pid"] != before["pid"]


async def test_a_process_that_was_killed_between_calls_is_started_anew(start: Start) -> None:
    worker = start()
    before = (await worker.ask({"op": "work"}))["pid"]
    os.kill(before, signal.SIGKILL)
    await until(lambda: worker.pid is None)
    assert (await worker.ask({"op": "work"}))["pid"] != before


async def test_a_hung_worker_is_ended_and_told(start: Start) -> None:
    worker = start(patience_s=0.3)
    with pytest.raises(VoiceError, match="said nothing for") as caught:
        await worker.ask({"op": "hang"})
    assert caught.value.kind == "timeout"
    assert worker.pid is None


async def test_a_system_without_processes_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.executable", "/no/such/python")
    with pytest.raises(VoiceError, match="no process could be started"):
        await Worker(("-c", CHILD)).ask({"op": "work"})


async def test_a_cancelled_call_frees_the_worker(start: Start) -> None:
    worker = start()
    call = asyncio.create_task(worker.ask({"op": "hang"}))
    await until(lambda: worker.pid is not None)
    call.cancel()
    with pytest.raises(asyncio.CancelledError):
        await call
    assert (await worker.ask({"op": "work"}))["size"] == 0


async def test_what_waits_is_bounded_and_an_answer_goes_before_a_caption() -> None:
    turns, order = Turns(most=2), []
    held = asyncio.Event()

    async def wait(name: str, caption: bool = False) -> None:
        async with turns.turn(caption=caption):
            order.append(name)
            await held.wait()

    tasks = [asyncio.create_task(wait("first"))]
    await asyncio.sleep(0)
    tasks += [asyncio.create_task(wait("caption", caption=True)), asyncio.create_task(wait("next"))]
    await asyncio.sleep(0)
    with pytest.raises(VoiceError, match="busy"):
        await wait("another caption", caption=True)
    with pytest.raises(VoiceError, match="busy"):
        await wait("one too many")
    held.set()
    await asyncio.gather(*tasks)
    assert order == ["first", "next", "caption"]


async def test_a_caller_that_gives_up_leaves_the_queue() -> None:
    turns = Turns()
    async with turns.turn():
        waiting = asyncio.create_task(once(turns))
        await asyncio.sleep(0)
        waiting.cancel()
        await asyncio.gather(waiting, return_exceptions=True)
    async with asyncio.timeout(PATIENCE_S), turns.turn():
        pass


async def test_callers_that_gave_up_take_no_place_in_the_queue() -> None:
    turns, order = Turns(most=1), []

    async def wait(name: str, caption: bool = False) -> None:
        async with turns.turn(caption=caption):
            order.append(name)

    async with turns.turn():
        for _ in range(3):
            waiting = asyncio.create_task(wait("given up"))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        tasks = [asyncio.create_task(wait("caption", caption=True))]
        await asyncio.sleep(0)
        tasks[0].cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        tasks = [asyncio.create_task(wait("next"))]
        await asyncio.sleep(0)
    await asyncio.gather(*tasks)
    assert order == ["next"]


async def once(turns: Turns) -> None:
    async with turns.turn():
        pass
