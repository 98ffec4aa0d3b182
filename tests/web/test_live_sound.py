"""Spoken answers over a round's socket: what is taken, acknowledged, resumed and refused."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from blockbuster import blockbuster_ctx
from websockets.asyncio.client import ClientConnection

from interviewer.dictations import Dictations
from interviewer.heard import Heard
from interviewer.store import EventStore
from interviewer.takes.shelf import Shelf
from interviewer.takes.wav import FRAME_BYTES
from interviewer.voice.recogniser import Tell
from interviewer.voice.scripted import Script, ScriptedRecogniser
from tests.web.rig import Rig, closed, receive, rig, say, send, until
from web.audio_desk import FRAMES_AT_ONCE
from web.wire import CloseCode

SOUND = b"\x01\x02" * (FRAME_BYTES // 2)
HEARD = "I would um batch them, because 70 GB over 4.8 TB/s is 14.6 ms."


@asynccontextmanager
async def speaking(store: EventStore, folder: Path, *script: Script) -> AsyncIterator[Rig]:
    async with rig(store) as made:
        recogniser = ScriptedRecogniser(*(script or (HEARD,)))
        dictations = Dictations(Shelf(folder / "audio", 30), recogniser)
        made.app.state.viva = replace(made.viva, dictations=dictations)
        yield made
        await dictations.aclose()


@pytest.fixture
async def microphone(store: EventStore, tmp_path: Path) -> AsyncIterator[Rig]:
    async with speaking(store, tmp_path) as made:
        yield made


async def frames(socket: ClientConnection, first: int, after: int) -> None:
    for number in range(first, after):
        await socket.send(number.to_bytes(4, "big") + SOUND)


async def take(socket: ClientConnection, state: str) -> dict[str, Any]:
    return (await until(socket, type="take", state=state))[-1]


async def test_an_answer_is_spoken_heard_and_sent(microphone: Rig) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        assert (await take(socket, "recording")).get("next", 0) == 0
        await frames(socket, 0, 12)
        await until(socket, type="kept", next=12)
        await send(socket, type="done", id="a1", frames=12)
        review = (await take(socket, "heard"))["review"]
        assert review["text"] == HEARD
        numbers = [HEARD[m["start"] : m["end"]] for m in review["marks"] if m["kind"] == "number"]
        assert numbers == ["70 GB", "4.8 TB/s", "14.6 ms"]
        await send(socket, type="say", id="a1", text="As corrected.", mode="spoken")
        await until(socket, type="ack", id="a1")
    answer = session.state.answers[-1].answer
    assert answer
    assert answer.heard
    assert (answer.text, answer.heard.text) == ("As corrected.", HEARD)


async def test_fault_12_a_cut_socket_goes_on_where_the_sound_was_stored(microphone: Rig) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 7)
        await until(socket, type="kept", next=7)
    async with microphone.live(session.id) as socket:
        assert (await take(socket, "recording"))["next"] == 7
        await frames(socket, 5, 9)
        await until(socket, type="kept", next=9)
        await send(socket, type="done", id="a1", frames=9)
        assert (await take(socket, "heard"))["review"]["seconds"] == pytest.approx(0.9)


async def test_a_second_tab_takes_the_recording_over(microphone: Rig) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as first:
        await send(first, type="record", id="a1")
        await frames(first, 0, 3)
        await until(first, type="kept", next=3)
        async with microphone.live(session.id) as second:
            assert await closed(first) == CloseCode.TAKEN_OVER
            assert (await take(second, "recording"))["next"] == 3
            await frames(second, 3, 5)
            await until(second, type="kept", next=5)


async def test_minutes_kept_back_by_a_cut_are_taken_at_twenty_times_the_speed(
    microphone: Rig,
) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 600)
        await until(socket, type="kept", next=600)


WRONG_SIZES = {"none": 0, "a number only": 4, "one byte short": 3203, "one too many": 3205}


@pytest.mark.parametrize("size", WRONG_SIZES.values(), ids=WRONG_SIZES)
async def test_a_frame_of_the_wrong_size_is_refused_and_the_recording_goes_on(
    microphone: Rig, size: int
) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 2)
        await socket.send(b"\0" * size)
        assert "3204 bytes" in (await until(socket, type="problem"))[-1]["message"]
        await frames(socket, 2, 3)
        await until(socket, type="kept", next=3)


@pytest.mark.parametrize("number", [1, 5, 2**32 - 1])
async def test_a_frame_out_of_order_is_dropped_and_the_wanted_one_is_named(
    microphone: Rig, number: int
) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await take(socket, "recording")
        await socket.send(number.to_bytes(4, "big") + SOUND)
        assert (await until(socket, type="kept"))[-1]["next"] == 0
        await frames(socket, 0, 1)
        await until(socket, type="kept", next=1)


async def test_sound_before_any_answer_is_begun_is_refused(microphone: Rig) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await frames(socket, 0, 1)
        assert (await until(socket, type="problem"))[-1]["code"] == "take_refused"
        assert (await say(socket, "Still here."))["type"] == "ack"


async def test_a_flood_of_sound_is_cut_off_and_what_came_is_kept(
    microphone: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    # On a disk that takes less a second than a page may send, a flood would wait and not be cut.
    monkeypatch.setattr("web.audio_desk.FRAMES_PER_S", 1.0)
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id, ping_interval=None) as socket:
        await send(socket, type="record", id="a1")
        await take(socket, "recording")
        flood = asyncio.create_task(frames(socket, 0, int(FRAMES_AT_ONCE) * 4))
        assert await closed(socket) == CloseCode.TOO_MANY
        await asyncio.gather(flood, return_exceptions=True)
    async with microphone.live(session.id) as socket:
        assert (await take(socket, "recording"))["next"] >= FRAMES_AT_ONCE


@pytest.mark.parametrize("take_id", ["../x", "a/b", "a.wav", "", "x" * 65, "a\\u0000"])
async def test_an_id_that_could_name_another_file_is_no_frame(
    microphone: Rig, take_id: str
) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await socket.send(f'{{"type":"record","id":"{take_id}"}}')
        assert (await until(socket, type="problem"))[-1]["code"] == "bad_frame"


async def test_done_with_frames_that_never_came_asks_for_them(microphone: Rig) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 2)
        await until(socket, type="kept", next=2)
        await send(socket, type="done", id="a1", frames=4)
        assert (await take(socket, "recording"))["next"] == 2


async def test_a_discarded_answer_is_gone_and_the_next_one_begins(microphone: Rig) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 2)
        await send(socket, type="discard", id="a1")
        await take(socket, "gone")
        await send(socket, type="record", id="a2")
        await take(socket, "recording")


async def test_the_clock_on_the_socket_stands_still_while_the_answer_is_checked(
    microphone: Rig,
) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 2)
        await send(socket, type="done", id="a1", frames=2)
        await take(socket, "heard")
        one, two = session.clock(), session.clock()
        assert one
        assert one == two


async def test_without_a_recogniser_recording_is_refused_with_where_to_read(running: Rig) -> None:
    session = await running.start()
    await session.settle()
    async with running.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        problem = (await until(socket, type="problem"))[-1]
        assert "docs/voice.md" in problem["message"]
        assert (await receive_until_ack(socket))["type"] == "ack"


async def receive_until_ack(socket: ClientConnection) -> dict[str, Any]:
    await send(socket, type="say", id="s1", text="Typed.", mode="spoken")
    while (frame := await receive(socket))["type"] != "ack":
        pass
    return frame


async def test_what_was_said_before_a_pause_is_captioned_while_the_person_speaks(
    store: EventStore, tmp_path: Path
) -> None:
    async with speaking(store, tmp_path, "forty tokens", HEARD) as microphone:
        session = await microphone.start()
        await session.settle()
        async with microphone.live(session.id) as socket:
            await send(socket, type="record", id="a1")
            await frames(socket, 0, 20)
            for number in range(20, 40):
                await socket.send(number.to_bytes(4, "big") + b"\0" * FRAME_BYTES)
            assert (await until(socket, type="caption"))[-1]["text"] == "forty tokens"
            await send(socket, type="done", id="a1", frames=40)
            assert (await take(socket, "heard"))["review"]["text"] == HEARD


async def test_no_step_of_a_spoken_answer_holds_up_the_loop(
    microphone: Rig, tmp_path: Path
) -> None:
    session = await microphone.start()
    await session.settle()
    with blockbuster_ctx():
        async with microphone.live(session.id) as socket:
            await send(socket, type="record", id="a1", keep=True)
            await frames(socket, 0, 12)
            await until(socket, type="kept", next=12)
            await send(socket, type="done", id="a1", frames=12)
            await take(socket, "heard")
            await send(socket, type="say", id="a1", text=HEARD, mode="spoken")
            await until(socket, type="ack", id="a1")
            await send(socket, type="record", id="a2")
            await send(socket, type="discard", id="a2")
            await take(socket, "gone")
    assert session.state.answers[-1].text == HEARD


async def test_other_rounds_are_scored_while_one_answer_is_being_heard(
    store: EventStore, tmp_path: Path
) -> None:
    going, ended = asyncio.Event(), asyncio.Event()

    class Slow(ScriptedRecogniser):
        async def transcribe(
            self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
        ) -> Heard:
            going.set()
            await ended.wait()
            return await super().transcribe(pcm, prompt, tell=tell, caption=caption)

    async with speaking(store, tmp_path) as microphone:
        microphone.app.state.viva.dictations.recogniser = Slow(HEARD)
        session, other = await microphone.start(), await microphone.start()
        await asyncio.gather(session.settle(), other.settle())
        async with microphone.live(session.id) as socket:
            await send(socket, type="record", id="a1")
            await frames(socket, 0, 2)
            await send(socket, type="done", id="a1", frames=2)
            await going.wait()
            await other.hear("s1", HEARD)
            await other.settle()
            await other.finish("f1")
            await other.settle()
            assert other.state.scorecards
            ended.set()
            await take(socket, "heard")


async def test_half_an_hour_of_words_is_sent_whole(store: EventStore, tmp_path: Path) -> None:
    text = ("I would batch them, um, and measure it. " * 750)[:30_000].strip()
    async with speaking(store, tmp_path, text) as made:
        session = await made.start()
        await session.settle()
        async with made.live(session.id) as socket:
            await send(socket, type="record", id="a1")
            await frames(socket, 0, 2)
            await send(socket, type="done", id="a1", frames=2)
            assert (await take(socket, "heard"))["review"]["text"] == text
            await send(socket, type="say", id="a1", text=text, mode="spoken")
            await until(socket, type="ack", id="a1")
        assert session.state.answers[-1].text == text


async def test_a_spoken_answer_over_the_limit_is_told_and_stays_until_it_is_shortened(
    microphone: Rig,
) -> None:
    session = await microphone.start()
    await session.settle()
    async with microphone.live(session.id) as socket:
        await send(socket, type="record", id="a1")
        await frames(socket, 0, 2)
        await send(socket, type="done", id="a1", frames=2)
        await take(socket, "heard")
        await send(socket, type="say", id="a1", text="a" * 40_001, mode="spoken")
        problem = (await until(socket, type="problem"))[-1]
        assert "40,001 characters; shorten it to 40,000" in problem["message"]
        await send(socket, type="say", id="a1", text="a" * 40_000, mode="spoken")
        await until(socket, type="ack", id="a1")
    assert len(session.state.answers[-1].text) == 40_000
