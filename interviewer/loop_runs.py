"""Beginning a company's loop and going on with it, round by round, stage by stage."""

import asyncio
import secrets
from random import SystemRandom

from interviewer.errors import UnknownLoop, UnknownRound
from interviewer.events import Event, LoopBegun, LoopEnded, LoopRoundBegun, StageBegun
from interviewer.loops import LoopRun, plan, run_of
from interviewer.rounds import Rounds
from interviewer.session import RoundSession
from interviewer.store import EventStore
from questions.faults import UnknownCard
from questions.library import Library
from tools.market.loops import Loop, loops


class LoopRuns:
    """The loops of this installation. Keeps nothing: each is read from its log when asked for."""

    def __init__(self, store: EventStore, rounds: Rounds, library: Library) -> None:
        self._store = store
        self._rounds = rounds
        self._library = library
        self._lock = asyncio.Lock()

    async def begin(self, loop_id: str) -> LoopRun:
        """Begin a loop; its first stage waits for `go`. Raises UnknownLoop."""
        begun = plan(
            loop_named(loop_id), self._library.cards, await self._store.tries(), SystemRandom()
        )
        run_id = secrets.token_hex(8)
        await self._store.append(_log(run_id), 1, begun, at=self._rounds.now())
        return await self.open(run_id)

    async def open(self, run_id: str) -> LoopRun:
        """A loop as it stands. Raises UnknownLoop."""
        try:
            run = run_of(run_id, await self._store.read(_log(run_id)))
        except UnknownRound:
            run = None
        if run is None:
            raise UnknownLoop(f"there is no loop {run_id!r}")
        return run

    async def list(self) -> list[LoopRun]:
        """All loops, the newest first."""
        found = await self._store.of_type(LoopBegun)
        return [await self.open(log.removeprefix("loop-")) for log, _, _ in reversed(found)]

    async def at_hand(self, run: LoopRun) -> RoundSession | None:
        """The loop's newest round where it is still played."""
        if not run.played or run.ended:
            return None
        try:
            session = await self._rounds.open(run.played[-1].round)
        except (UnknownRound, UnknownCard):
            return None  # it was taken away meanwhile
        return None if session.state.ended else session

    async def go(self, run_id: str) -> RoundSession | None:
        """The next round of the loop, begun where none is open.

        None where the loop is over.
        """
        async with self._lock:
            return await self._go(await self.open(run_id))

    async def _go(self, run: LoopRun) -> RoundSession | None:
        if session := await self.at_hand(run):
            return session
        if run.next_card(self._rounds.now()) is None and run.ended is None:
            run = await self._next_stage(run)
        card = run.next_card(self._rounds.now())
        if card is None or run.stage is None:
            return None
        session = await self._rounds.start(card, loop=run.id)
        await self._append(run, LoopRoundBegun(stage=run.stage, card=card, round=session.id))
        return session

    async def leave(self, run_id: str) -> None:
        """End the loop here; what was played is summed up."""
        async with self._lock:
            run = await self.open(run_id)
            if run.ended is None:
                await self._append(run, LoopEnded(reason="left"))

    async def _next_stage(self, run: LoopRun) -> LoopRun:
        stage = run.next_stage()
        event: Event = LoopEnded(reason="finished") if stage is None else StageBegun(stage=stage)
        await self._append(run, event)
        return await self.open(run.id)

    async def _append(self, run: LoopRun, event: Event) -> None:
        await self._store.append(_log(run.id), run.seq + 1, event, at=self._rounds.now())


def loop_named(loop_id: str) -> Loop:
    """A loop of the data file. Raises UnknownLoop."""
    found = next((loop for loop in loops().loops if loop.id == loop_id), None)
    if found is None:
        known = ", ".join(loop.id for loop in loops().loops)
        raise UnknownLoop(f"loop {loop_id!r} is not known; known: {known}")
    return found


def _log(run_id: str) -> str:
    return f"loop-{run_id}"
