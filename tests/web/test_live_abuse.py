"""What a hostile or broken client sends: each gets its named answer, and nobody else notices."""

import asyncio
import gc
import logging
import socket as sockets
from collections.abc import Iterator
from contextlib import suppress
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import ConnectionClosed

from interviewer.store import EventStore
from tests.patience import until as until_true
from tests.web.rig import (
    Rig,
    Script,
    closed,
    receive,
    rig,
    say,
    send,
    until,
    until_state,
)
from web.wire import CloseCode

BAD_FRAMES = {
    "empty": "",
    "not JSON": "{",
    "an array": "[]",
    "null": "null",
    "no type": "{}",
    "an unknown type": '{"type":"sing"}',
    "a type that is no string": '{"type":["say"]}',
    "no text": '{"type":"say","id":"a"}',
    "a text that is no string": '{"type":"say","id":"a","text":1}',
    "an unknown mode": '{"type":"say","id":"a","text":"t","mode":"sung"}',
    "an empty id": '{"type":"say","id":"","text":"t"}',
    "a long id": f'{{"type":"say","id":"{"a" * 65}","text":"t"}}',
    "a line break in the id": '{"type":"say","id":"a\\n","text":"t"}',
    "NaN": '{"type":"ping","x":NaN}',
    "a number out of range for an id": '{"type":"say","id":1e999,"text":"t"}',
    "a lone surrogate": '{"type":"say","id":"a","text":"\\ud800"}',
    "an integer of 5,000 digits": f'{{"type":"think","id":{"1" * 5000}}}',
    "100,000 levels": '{"type":"ping","x":' + "[" * 100_000 + "]" * 100_000 + "}",
}


@pytest.mark.parametrize("frame", BAD_FRAMES.values(), ids=BAD_FRAMES)
async def test_fault_18_a_bad_frame_is_answered_and_the_socket_lives(
    running: Rig, frame: str
) -> None:
    session = await running.start()
    await session.settle()
    async with running.live(session.id) as socket:
        await socket.send(frame)
        assert (await until(socket, type="problem"))[-1]["code"] == "bad_frame"
        assert (await say(socket, "Still here."))["type"] == "ack"


async def test_fault_18_a_nul_in_an_answer_is_refused_by_name(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        problem = await say(socket, "a\0b")
    assert (problem["code"], problem["id"]) == ("invalid_text", "u1")


async def test_an_answer_over_the_limit_is_refused_whole(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        problem = await say(socket, "a" * 20_001)
    assert problem["code"] == "too_long"
    assert "20,000" in problem["message"]
    assert not session.state.answers


async def test_twenty_thousand_escaped_emoji_fit_into_a_frame(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        assert (await say(socket, "\N{WATER WAVE}" * 20_000))["type"] == "ack"


async def test_fault_32_an_oversize_frame_closes_its_socket_alone(running: Rig) -> None:
    one, other = await running.start(), await running.start()
    async with running.live(one.id) as bad, running.live(other.id) as good:
        with suppress(ConnectionClosed):
            await bad.send("a" * 15 * 1024 * 1024)
        assert await closed(bad) == CloseCode.TOO_BIG
        await until_state(good, "listening")
        assert (await say(good, "Nothing happened here."))["type"] == "ack"


async def test_fault_32_endless_fragments_are_cut_off(running: Rig) -> None:
    def fragments() -> Iterator[str]:
        while True:
            yield "a" * 1000

    session = await running.start()
    async with running.live(session.id) as socket:
        sending = asyncio.create_task(socket.send(fragments()))
        assert await closed(socket) == CloseCode.TOO_BIG
        await asyncio.gather(sending, return_exceptions=True)


async def test_fault_32_hundreds_of_frames_at_once_are_too_many(running: Rig) -> None:
    one, other = await running.start(), await running.start()
    async with running.live(one.id) as bad, running.live(other.id) as good:
        with suppress(ConnectionClosed):  # So many that no machine is too slow for it.
            for _ in range(3000):
                await send(bad, type="ping")
        assert await closed(bad) == CloseCode.TOO_MANY
        await send(good, type="ping")
        await until(good, type="pong")


async def test_fault_32_compression_is_never_agreed(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id, compression="deflate") as socket:
        assert socket.protocol.extensions == []


async def test_fault_33_a_binary_frame_closes_by_name(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await socket.send(b"\x00\x01")
        assert await closed(socket) == CloseCode.BINARY


async def test_fault_33_invalid_utf8_closes_by_name(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await socket.send(b"\xff\xfe", text=True)
        assert await closed(socket) == CloseCode.BAD_UTF8


async def test_fault_34_a_peer_that_leaves_while_we_send_is_no_error(
    store: EventStore, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    async with rig(store, Script(turns=("word " * 3000,))) as running:
        for _ in range(5):
            session = await running.start()
            socket = await running.live(session.id)
            await until(socket, type="delta")
            socket.transport.abort()
            await session.settle()
    assert [record.message for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.mark.parametrize("name", ["nope", "%00", "a%20b", "%F0%9F%8C%8A", "x" * 500])
async def test_an_unknown_round_is_named(running: Rig, name: str) -> None:
    async with running.live(name) as socket:
        assert (await receive(socket))["code"] == "unknown_round"
        assert await closed(socket) == CloseCode.UNKNOWN_ROUND


def deaf(running: Rig) -> sockets.socket:
    """A connected TCP socket with a small receive buffer."""
    peer = sockets.socket()
    peer.setsockopt(sockets.SOL_SOCKET, sockets.SO_RCVBUF, 4096)
    parts = urlsplit(running.url)
    peer.connect((parts.hostname, parts.port))
    return peer


async def test_fault_31_a_client_that_never_reads_is_cut_off_and_catches_up(
    store: EventStore,
) -> None:
    text = ("b" * 20_000 + " ") * 150
    async with rig(store, Script(turns=(text,))) as running:
        session = await running.start()
        async with running.live(session.id, sock=deaf(running), max_queue=1) as socket:
            seen = (await until(socket, type="event"))[-1]["seq"]
            await until_true(lambda: not running.connections)
            assert await closed(socket) == CloseCode.TOO_SLOW
        await session.settle()
        async with running.live(session.id, f"?after={seen}") as socket:
            caught_up = (await until(socket, type="event"))[-1]
    assert caught_up["event"]["text"] == text


async def test_fault_31_what_waits_for_a_deaf_client_stays_within_its_budget(
    store: EventStore,
) -> None:
    text = ("b" * 20_000 + " ") * 150
    most = 0
    async with rig(store, Script(turns=(text,))) as running:
        session = await running.start()
        peer = deaf(running)
        async with running.live(session.id, sock=peer, max_queue=1, close_timeout=0.1):
            while session.state.phase == "asking":
                most = max(most, *(c.waiting for c in running.connections), 0)
                await asyncio.sleep(0)
    assert 0 < most <= 1024 * 1024


async def test_fault_30_no_task_outlives_its_socket(running: Rig) -> None:
    await asyncio.sleep(0.2)
    baseline = len(asyncio.all_tasks())
    for _ in range(40):
        session = await running.start()
        async with running.live(session.id) as socket:
            await until_state(socket, "listening")
    gc.collect()
    await until_true(lambda: len(asyncio.all_tasks()) <= baseline)
    assert running.connections == ()


async def test_fault_20_clients_that_vanish_while_we_store_leave_the_store_well(
    running: Rig,
) -> None:
    for _ in range(50):
        session = await running.start()
        await session.settle()
        socket = await running.live(session.id)
        await send(socket, type="say", id="u", text="Gone before the ack.")
        socket.transport.abort()
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        assert (await say(socket, "The store still takes answers."))["type"] == "ack"
