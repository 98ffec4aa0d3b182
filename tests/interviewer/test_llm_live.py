"""What only a real socket can show: cancellation that the peer sees, stalls, pools, dead hosts."""

import asyncio
import gc
from collections.abc import AsyncIterator, Callable

import pytest

from interviewer.errors import LLMError
from interviewer.llm.protocol import LLM
from interviewer.llm.retries import Retrying
from interviewer.llm.upstream import Timeouts
from tests.interviewer.wires import (
    HEAD,
    PATIENT,
    REQUEST,
    WIRES,
    Behaviour,
    Wire,
    connected,
    framed,
)
from tests.patience import PATIENCE_S, until
from tests.servers import free_port

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.parametrize("wire", WIRES, ids=lambda wire: wire.name),
]
HASTY = Timeouts(connect_s=PATIENCE_S, first_token_s=0.3, gap_s=PATIENCE_S)
HASTY_BETWEEN = Timeouts(connect_s=PATIENCE_S, first_token_s=PATIENCE_S, gap_s=0.2)


def answer(wire: Wire, *, pause_s: float | None = None, finish: bool = True) -> Behaviour:
    """Start, two deltas with a pause after them (None: for ever unless `finish`), the end."""

    async def behave(writer: asyncio.StreamWriter) -> None:
        chunks = [*wire.start(), *wire.text("One ", "two.")]
        writer.write(HEAD + b"".join(framed(chunk) for chunk in chunks))
        await writer.drain()
        if not finish:
            await asyncio.sleep(60)
        await asyncio.sleep(pause_s or 0)
        writer.write(b"".join(framed(chunk) for chunk in wire.end()) + b"0\r\n\r\n")
        await writer.drain()

    return behave


def passing(monkeypatch: pytest.MonkeyPatch) -> Callable[[float], None]:
    """Lets seconds pass for the event loop, at once."""
    loop, passed_s = asyncio.get_running_loop(), [0.0]
    now = loop.time
    monkeypatch.setattr(loop, "time", lambda: now() + sum(passed_s))
    return passed_s.append


async def left_early(llm: LLM) -> list[str]:
    """What was heard of a reply that was cancelled after its first words."""
    heard: list[str] = []

    def hear(text: str) -> None:
        heard.append(text)
        asking.cancel()

    asking = asyncio.create_task(llm.reply(REQUEST, hear))
    await asyncio.wait([asking])
    assert asking.cancelled()
    return heard


async def failure(llm: LLM) -> LLMError:
    with pytest.raises(LLMError) as caught:
        await llm.reply(REQUEST)
    return caught.value


async def test_a_reply_comes_over_a_real_connection_which_is_kept(wire: Wire) -> None:
    async with connected(wire, answer(wire)) as (llm, served):
        for _ in range(3):
            assert (await llm.reply(REQUEST)).text == "One two."
        assert served.requests == 3
        assert not served.left.is_set()


async def test_fault_25_cancelling_in_mid_reply_is_seen_by_the_endpoint(wire: Wire) -> None:
    async with connected(wire, answer(wire, finish=False)) as (llm, served):
        assert (await left_early(llm))[0] == "One "
        await asyncio.wait_for(served.left.wait(), PATIENCE_S)


async def test_fault_25_cancelling_the_reader_is_seen_by_the_endpoint(wire: Wire) -> None:
    async with connected(wire, answer(wire, finish=False)) as (llm, served):
        reading = asyncio.create_task(llm.reply(REQUEST))
        await until(lambda: served.requests > 0)
        reading.cancel()
        await asyncio.wait([reading])
        await asyncio.wait_for(served.left.wait(), PATIENCE_S)


async def test_fault_26_two_hundred_cancels_leave_a_pool_that_works(wire: Wire) -> None:
    async with connected(wire, answer(wire, pause_s=0.05)) as (llm, _):
        for _ in range(200):
            await left_early(llm)
        assert (await llm.reply(REQUEST)).text == "One two."


async def test_fault_28_a_stall_makes_exactly_one_upstream_request(wire: Wire) -> None:
    async with connected(wire, answer(wire, finish=False), HASTY_BETWEEN) as (llm, served):
        error = await failure(Retrying(llm))
        assert (error.kind, error.retryable) == ("timeout", False)
        assert served.requests == 1


async def test_fault_29_an_endpoint_that_never_answers_runs_into_the_first_token_timer(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    pass_time = passing(monkeypatch)

    async def silent(_: asyncio.StreamWriter) -> None:
        # Not before the request is there, however late that is.
        pass_time(2 * PATIENT.first_token_s)
        await asyncio.Event().wait()

    async with connected(wire, silent) as (llm, served):
        error = await failure(Retrying(llm))
        assert error.kind == "timeout"
        assert "first token" in str(error)
        assert served.requests == 1


async def test_fault_29_pings_without_tokens_do_not_feed_the_timer(wire: Wire) -> None:
    async def pinging(writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + framed(b"".join(wire.start())))
        while True:
            writer.write(framed(b": ping\n\n"))
            await asyncio.sleep(0.02)

    async with connected(wire, pinging, HASTY) as (llm, _):
        assert "first token" in str(await failure(llm))


async def test_the_readers_own_time_is_not_held_against_the_endpoint(
    wire: Wire, monkeypatch: pytest.MonkeyPatch
) -> None:
    pass_time = passing(monkeypatch)

    def hear(_: str) -> None:
        pass_time(10 * PATIENT.gap_s)

    async with connected(wire, answer(wire)) as (llm, _):
        assert (await llm.reply(REQUEST, hear)).text == "One two."


async def test_fault_30_streams_read_or_left_leave_no_task_behind(wire: Wire) -> None:
    async with connected(wire, answer(wire)) as (llm, _):
        await llm.reply(REQUEST)
        baseline = len(asyncio.all_tasks())
        for number in range(200):
            await (left_early(llm) if number % 2 else llm.reply(REQUEST))
            if number % 20 == 0:
                gc.collect()
        await until(lambda: len(asyncio.all_tasks()) <= baseline)


async def test_a_word_is_heard_in_the_call_that_read_it(wire: Wire) -> None:
    first = asyncio.Event()
    heard: list[tuple[str, bool]] = []

    async def in_two_parts(writer: asyncio.StreamWriter) -> None:
        chunks = [*wire.start(), *wire.text("One ")]
        writer.write(HEAD + b"".join(framed(chunk) for chunk in chunks))
        await first.wait()
        chunks = [*wire.text("two."), *wire.end()]
        writer.write(b"".join(framed(chunk) for chunk in chunks) + b"0\r\n\r\n")

    def hear(text: str) -> None:
        heard.append((text, asyncio.current_task() is None))
        first.set()

    async with connected(wire, in_two_parts) as (llm, _):
        await llm.reply(REQUEST, hear)
    assert heard[0][0] == "One "
    assert heard[1] == ("two.", True)


async def test_a_reply_larger_than_what_aiohttp_buffers_is_read_whole(wire: Wire) -> None:
    words = [f"word {number:05} " for number in range(5_000)]

    async def burst(writer: asyncio.StreamWriter) -> None:
        chunks = [*wire.start(), *wire.text(*words), *wire.end()]
        writer.write(HEAD + framed(b"".join(chunks)) + b"0\r\n\r\n")

    async with connected(wire, burst) as (llm, served):
        for _ in range(2):
            assert (await llm.reply(REQUEST)).text == "".join(words)
        assert not served.left.is_set()


@pytest.fixture
async def logged() -> AsyncIterator[list[object]]:
    """What the event loop could only log."""
    loop, found = asyncio.get_running_loop(), list[object]()
    before = loop.get_exception_handler()
    loop.set_exception_handler(lambda _, context: found.append(context))
    yield found
    loop.set_exception_handler(before)


@pytest.mark.parametrize("fault", [ZeroDivisionError, RecursionError])
async def test_a_fault_of_the_hearer_ends_its_reply_and_no_other(
    wire: Wire, fault: type[Exception], logged: list[object]
) -> None:
    more, rest = asyncio.Event(), asyncio.Event()
    heard: dict[str, list[str]] = {"ill": [], "well": []}

    async def in_three_parts(writer: asyncio.StreamWriter) -> None:
        chunks = [*wire.start(), *wire.text("One ")]
        writer.write(HEAD + b"".join(framed(chunk) for chunk in chunks))
        await more.wait()
        writer.write(framed(b"".join(wire.text("two."))))
        await rest.wait()
        writer.write(framed(b"".join(wire.end())) + b"0\r\n\r\n")

    def fail(text: str) -> None:
        heard["ill"].append(text)
        if text == "two.":
            raise fault

    async with connected(wire, in_three_parts) as (llm, served):
        well = asyncio.create_task(llm.reply(REQUEST, heard["well"].append))
        ill = asyncio.create_task(llm.reply(REQUEST, fail))
        await until(lambda: all(heard.values()))
        more.set()
        with pytest.raises(fault):
            await ill
        await asyncio.wait_for(served.left.wait(), PATIENCE_S)
        rest.set()
        assert (await well).text == "One two."
    assert heard == {"ill": ["One ", "two."], "well": ["One ", "two."]}
    assert logged == []


async def test_nobody_listening_is_unreachable(wire: Wire) -> None:
    llm = wire.llm(None, f"http://127.0.0.1:{free_port()}", PATIENT)
    error = await failure(llm)
    await llm.aclose()  # type: ignore[attr-defined]
    assert (error.kind, error.retryable) == ("unreachable", True)


async def test_a_server_that_does_not_speak_http_is_a_named_failure(wire: Wire) -> None:
    async def babble(writer: asyncio.StreamWriter) -> str:
        writer.write(b"SSH-2.0-OpenSSH_9.2\r\n\r\n")
        await writer.drain()
        return "close"

    async with connected(wire, babble) as (llm, _):
        assert (await failure(llm)).kind in ("unreachable", "protocol")


async def test_a_connection_closed_before_the_answer_may_be_tried_again(wire: Wire) -> None:
    async def hang_up(_: asyncio.StreamWriter) -> str:
        return "close"

    async with connected(wire, hang_up) as (llm, _):
        error = await failure(llm)
        assert (error.kind, error.retryable) == ("unreachable", True)


async def test_fault_09_a_connection_cut_in_mid_stream_is_truncated(wire: Wire) -> None:
    async def cut(writer: asyncio.StreamWriter) -> str:
        chunks = [*wire.start(), *wire.text("One ")]
        writer.write(HEAD + b"".join(framed(chunk) for chunk in chunks))
        await writer.drain()
        return "close"

    async with connected(wire, cut) as (llm, _):
        error = await failure(llm)
        assert (error.kind, error.retryable) == ("truncated", False)
