"""Reloads, resends, takeovers: what a person sees when the line breaks."""

import asyncio
from random import Random
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from interviewer.store import EventStore
from tests.patience import PATIENCE_S
from tests.patience import until as until_true
from tests.web.rig import Rig, Script, closed, receive, rig, say, send, until, until_state
from web.remote import Server, ServerError
from web.wire import CloseCode

LONG = "one two three four five six seven eight nine ten eleven twelve"


def spoken(frames: list[dict[str, Any]]) -> str:
    """The turn that the deltas of these frames add up to."""
    text = ""
    for frame in frames:
        if frame["type"] == "delta":
            text = text[: frame["offset"]] + frame["text"]
    return text


async def test_fault_01_a_resend_is_acknowledged_alike_and_stored_once(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        first = await say(socket, "An answer.", "same")
        second = await say(socket, "An answer.", "same")
    assert first == second
    assert sum(item.event.type == "CandidateSpoke" for item in session.log) == 1


async def test_fault_01_a_resend_on_another_socket_is_the_same(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        first = await say(socket, "An answer.", "same")
    async with running.live(session.id) as socket:
        assert await say(socket, "An answer.", "same") == first


async def test_fault_01_a_resend_after_a_restart_is_the_same(database: str) -> None:
    store = EventStore(database)
    async with rig(store) as before:
        session = await before.start()
        async with before.live(session.id) as socket:
            await until_state(socket, "listening")
            first = await say(socket, "An answer.", "same")
    store.close()
    store = EventStore(database)
    async with rig(store) as after, after.live(session.id) as socket:
        assert await say(socket, "An answer.", "same") == first
    store.close()


async def test_fault_02_an_id_with_another_text_is_a_conflict(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        await until_state(socket, "listening")
        await say(socket, "An answer.", "same")
        answer = await say(socket, "Another answer.", "same")
    assert (answer["type"], answer["code"]) == ("problem", "conflicting_resend")


async def test_fault_03_fifty_cuts_give_each_event_once_and_in_order(running: Rig) -> None:
    session = await running.start()
    await session.settle()
    for number in range(30):
        await session.pause(f"p{number}")
    head, random = session.log[-1].seq, Random(3)
    for _ in range(50):
        after = random.randint(0, head)
        async with running.live(session.id, f"?after={after}") as socket:
            frames = await until_events(socket, head - after)
        assert [frame["seq"] for frame in frames] == list(range(after + 1, head + 1))


async def until_events(socket: Any, number: int) -> list[dict[str, Any]]:
    """The events up to the answer to a ping, which comes after all that was missed."""
    await send(socket, type="ping")
    frames = await until(socket, type="pong")
    return [frame for frame in frames if frame["type"] == "event"]


async def test_fault_04_a_cursor_ahead_of_the_log_starts_over(running: Rig) -> None:
    session = await running.start()
    await session.settle()
    async with running.live(session.id, "?after=99") as socket:
        hello = await receive(socket)
        first = await receive(socket)
    assert hello["resync"] is True
    assert first["seq"] == 1


@pytest.mark.parametrize("cursor", ["-1", "x", "9" * 5000, "1.5", "%00"])
async def test_fault_04_a_malformed_cursor_starts_over(running: Rig, cursor: str) -> None:
    session = await running.start()
    async with running.live(session.id, f"?after={cursor}") as socket:
        assert (await receive(socket))["resync"] is True


async def test_fault_04_an_event_written_at_another_time_is_not_ours(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id, "?after=1&at=2020-01-01T00:00:00Z") as socket:
        assert (await receive(socket))["resync"] is True


async def test_an_event_that_the_client_has_seen_is_known_by_its_time(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as socket:
        event = (await until(socket, type="event"))[-1]
    async with running.live(session.id, f"?after={event['seq']}&at={event['at']}") as socket:
        assert (await receive(socket))["resync"] is False


async def test_fault_05_the_newest_connection_wins(running: Rig) -> None:
    session = await running.start()
    async with running.live(session.id) as old, running.live(session.id) as new:
        assert await closed(old) == CloseCode.TAKEN_OVER
        await until_state(new, "listening")
        assert (await say(new, "From the new one."))["type"] == "ack"


async def test_fault_05_the_old_connection_gets_nothing_after_the_new_one_came(
    running: Rig,
) -> None:
    session = await running.start()
    await session.settle()
    async with running.live(session.id) as old, running.live(session.id) as new:
        await closed(old)
        await say(new, "Only the new one hears of this.")
        with pytest.raises(ConnectionClosed):
            await old.recv()


async def test_fault_06_of_two_answers_at_once_one_counts(store: EventStore) -> None:
    async with rig(store, Script(hold=asyncio.Event(), hold_before=0)) as running:
        assert running.script.hold is not None
        running.script.hold.set()
        session = await running.start()
        await session.settle()
        running.script.hold.clear()
        server, path = Server(running.url), f"/api/rounds/{session.id}/say"
        posts = [
            asyncio.to_thread(server.post, path, {"id": f"tab{tab}", "text": f"Tab {tab}."})
            for tab in (1, 2)
        ]
        results = await asyncio.gather(*posts, return_exceptions=True)
        running.script.hold.set()
        await session.settle()
    refused = [result for result in results if isinstance(result, ServerError)]
    assert len(refused) == 1
    assert "interviewer has the floor" in str(refused[0])
    assert len(session.state.answers) == 1


async def test_fault_07_an_event_between_page_and_socket_is_shown_once(running: Rig) -> None:
    session = await running.start()
    await session.settle()
    page_shows = session.log[-1].seq
    await session.hear("u", "Said after the page was made, before its socket came.")
    await session.settle()
    async with running.live(session.id, f"?after={page_shows}") as socket:
        frames = await until_events(socket, 0)
    assert [frame["seq"] for frame in frames] == list(range(page_shows + 1, session.state.seq + 1))


@pytest.mark.parametrize("words", range(1, 11))
async def test_fault_08_a_reload_while_words_stream_loses_none(
    store: EventStore, words: int
) -> None:
    script = Script(turns=(LONG,), hold=asyncio.Event(), hold_before=words)
    async with rig(store, script) as running:
        session = await running.start()
        async with running.live(session.id) as socket:
            heard = ""
            while len(heard.split()) < words:
                frame = await receive(socket)
                heard += frame["text"] if frame["type"] == "delta" else ""
        async with running.live(session.id) as socket:
            await receive(socket)
            assert script.hold is not None
            script.hold.set()
            frames = await until_state(socket, "listening")
    assert spoken(frames) == LONG


async def test_fault_10_a_log_beyond_the_budget_arrives_whole(running: Rig) -> None:
    session = await running.start()
    session.cast.card_interviewer.turns = ("Go on.",) * 70  # type: ignore[attr-defined]
    await session.settle()
    for number in range(60):
        await session.hear(f"u{number}", "a" * 20_000)
        await session.settle()
    async with running.live(session.id) as socket:
        frames = await until_events(socket, 0)
    assert [frame["seq"] for frame in frames] == list(range(1, session.state.seq + 1))


async def test_fault_11_fifty_dropped_sockets_all_come_back(running: Rig) -> None:
    sessions = [await running.start() for _ in range(50)]
    for session in sessions:
        socket = await running.live(session.id)
        await receive(socket)
        socket.transport.abort()

    async def back(round_id: str) -> str:
        async with running.live(round_id) as socket:
            return str((await receive(socket))["type"])

    assert await asyncio.gather(*[back(session.id) for session in sessions]) == ["hello"] * 50


async def test_fault_25_nobody_listens_so_the_words_are_cancelled(store: EventStore) -> None:
    script = Script(turns=(LONG,), hold=asyncio.Event())
    async with rig(store, script) as running:
        session = await running.start()
        async with running.live(session.id) as socket:
            await until(socket, type="delta")
        async with asyncio.timeout(PATIENCE_S):
            await session.settle()
        assert script.cancelled == 1


async def test_fault_25_who_comes_back_while_the_turn_is_taken_down_is_asked_again(
    store: EventStore,
) -> None:
    script = Script(turns=(LONG,), hold=asyncio.Event(), slow_to_stop=asyncio.Event())
    async with rig(store, script) as running:
        session = await running.start()
        async with running.live(session.id) as socket:
            await until(socket, type="delta")
        await until_true(lambda: script.cancelled > 0)
        async with running.live(session.id) as socket:
            await receive(socket)
            assert script.hold is not None
            assert script.slow_to_stop is not None
            script.hold.set()
            script.slow_to_stop.set()
            await until_state(socket, "listening")
    assert session.state.turns[0].text == LONG


async def test_stop_is_heard_while_words_stream(store: EventStore) -> None:
    script = Script(turns=(LONG,), hold=asyncio.Event())
    async with rig(store, script) as running:
        session = await running.start()
        async with running.live(session.id) as socket:
            await until(socket, type="delta")
            await send(socket, type="stop")
            frames = await until_state(socket, "listening")
    last = [frame["event"] for frame in frames if frame["type"] == "event"][-1]
    assert last["type"] == "SpeechInterrupted"
