"""Programs in processes of their own: started off the event loop, ended whatever happens."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from interviewer import child
from interviewer.child import PIPE, Child, start
from tests.patience import PATIENCE_S, until

ECHO = "import sys; sys.stdout.buffer.write(sys.stdin.buffer.read()[::-1])"


async def test_what_goes_in_comes_out_again_however_long_it_is() -> None:
    process = await start("-c", ECHO)
    try:
        out, told = await process.communicate(b"ab" * 1_000_000)
        assert (out, told, process.returncode) == (b"ba" * 1_000_000, b"", 0)
    finally:
        await process.end()


async def test_a_program_that_reads_nothing_still_says_why() -> None:
    process = await start("-c", "import sys; sys.exit('not today')", stderr=PIPE)
    try:
        out, told = await process.communicate(b"\0" * 3_000_000)
        assert (out, told.strip(), process.returncode) == (b"", b"not today", 1)
    finally:
        await process.end()


async def test_a_program_is_ended_with_its_pipes() -> None:
    process = await start("-c", "import time; time.sleep(60)")
    assert process.returncode is None
    await process.end()
    assert process.returncode is not None
    with pytest.raises(ProcessLookupError):
        os.kill(process.pid, 0)


async def test_a_start_that_nobody_waits_for_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    # A program that starts slowly, so that the caller gives up in the middle.
    held, seen = threading.Event(), []
    popen = child._popen

    def slow(*given: object) -> object:
        held.wait(PATIENCE_S)
        seen.append(popen(*given))  # type: ignore[arg-type]
        return seen[-1]

    monkeypatch.setattr(child, "_popen", slow)
    starting = asyncio.create_task(start("-c", "import time; time.sleep(60)"))
    await asyncio.sleep(0)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    held.set()
    await until(lambda: bool(seen) and seen[0].returncode is not None)
    assert seen[0].returncode != 0


async def test_the_loop_is_not_the_thread_that_forks(monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[int] = []
    popen = child._popen

    def noted(*given: object) -> object:
        threads.append(threading.get_ident())
        return popen(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(child, "_popen", noted)
    process = await start("-c", "pass")
    await process.end()
    assert threads != [threading.get_ident()]


async def test_a_child_gets_none_of_vivas_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_PASSWORD", "secret")
    process = await start("-c", "import os; print([n for n in os.environ if 'VIVA' in n])")
    try:
        out, _ = await process.communicate(b"")
    finally:
        await process.end()
    assert out.strip() == b"[]"


async def test_a_program_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(OSError, match="No such file"):
        await start("-c", "pass")


async def test_a_start_that_is_given_up_while_its_pipes_are_joined_leaves_no_process(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    joined, may_go_on, connect = [], asyncio.Event(), Child.connect

    async def held(process: Child, limit: int) -> None:
        joined.append(process)
        await may_go_on.wait()
        await connect(process, limit)

    monkeypatch.setattr(Child, "connect", held)
    starting = asyncio.create_task(start("-c", "import time; time.sleep(60)"))
    await until(lambda: bool(joined))
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    may_go_on.set()
    await until(lambda: joined[0].returncode is not None)
