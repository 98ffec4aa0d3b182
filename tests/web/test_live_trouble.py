"""When the store or the library fails under a live round: said by name, nothing acknowledged."""

from collections.abc import Iterator
from datetime import datetime

import pytest

from interviewer.errors import ConcurrentWriter, InterviewerError, StoreUnavailable
from interviewer.events import Event, Recorded
from interviewer.settings import Settings
from interviewer.store import EventStore
from questions.library import Library
from tests.interviewer.stage import FakeClock
from tests.web.rig import (
    CARD,
    LIBRARY,
    Script,
    closed,
    listening,
    receive,
    rig,
    say,
    until,
    until_state,
    viva_of,
)
from web.app import create_app
from web.remote import Server
from web.wire import CloseCode


class Failing(EventStore):
    """A store that refuses to write while `trouble` is set."""

    trouble: InterviewerError | None = None

    async def append(
        self, round_id: str, seq: int, *events: Event, at: datetime | None = None
    ) -> list[Recorded]:
        if self.trouble is not None:
            raise self.trouble
        return await super().append(round_id, seq, *events, at=at)


@pytest.fixture
def failing(database: str) -> Iterator[Failing]:
    store = Failing(database)
    yield store
    store.close()


async def test_fault_19_what_the_store_refuses_is_not_acknowledged(failing: Failing) -> None:
    async with rig(failing) as running:
        session = await running.start()
        await session.settle()
        async with running.live(session.id) as socket:
            failing.trouble = StoreUnavailable("the disk is full")
            refused = await say(socket, "An answer.", "a")
            failing.trouble = None
            stored = await say(socket, "An answer.", "a")
    assert (refused["type"], refused["code"]) == ("problem", "store_unavailable")
    assert stored["type"] == "ack"
    assert [turn.text for turn in session.state.answers] == ["An answer."]


async def test_another_writer_of_the_round_takes_it_over(failing: Failing) -> None:
    async with rig(failing) as running:
        session = await running.start()
        await session.settle()
        async with running.live(session.id) as socket:
            failing.trouble = ConcurrentWriter("another process wrote first")
            assert (await say(socket, "An answer."))["code"] == "concurrent_writer"
            assert await closed(socket) == CloseCode.TAKEN_OVER


async def test_a_round_whose_card_is_gone_says_so(store: EventStore) -> None:
    async with rig(store) as running:
        round_id = (await running.start()).id
    settings = Settings()
    without = Library({card.id: card for card in LIBRARY.cards if card.id != CARD})
    app = create_app(settings, viva_of(settings, store, Script(), without))
    async with listening(app) as url, Server(url).live(round_id) as socket:
        problem = await receive(socket)
        assert await closed(socket) == CloseCode.TRY_LATER
    assert problem["code"] == "unknown_card"
    assert CARD in problem["message"]


async def test_a_question_has_its_clock_and_the_warnings_come(store: EventStore) -> None:
    clock = FakeClock()
    async with rig(store, Script(limit_s=1)) as running:
        running.viva.rounds.now = clock
        session = await running.start()
        async with running.live(session.id) as socket:
            await until_state(socket, "listening")
            for passed_s, warning in ((0.6, "half"), (0.5, "over")):
                clock.pass_(passed_s)
                await until(socket, type="clock", warning=warning)
