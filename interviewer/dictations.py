"""The spoken answers of all live rounds in this process, and the daily deletion of old sound."""

import asyncio
import logging
from weakref import WeakValueDictionary

from interviewer.clock import utc_now
from interviewer.dictation import Dictation
from interviewer.errors import StoreUnavailable
from interviewer.session import RoundSession
from interviewer.takes.shelf import Shelf
from interviewer.takes.take import LONGEST_FRAMES
from interviewer.voice.recogniser import Recogniser

logger = logging.getLogger(__name__)
DAY_S = 24 * 3600


class Dictations:
    """The dictation of each live round in this process."""

    longest = LONGEST_FRAMES

    def __init__(self, shelf: Shelf, recogniser: Recogniser) -> None:
        self.shelf = shelf
        self.recogniser = recogniser
        # Weak: one lives while a connection or a recognition holds it, and is found on disk after.
        self._open: WeakValueDictionary[str, Dictation] = WeakValueDictionary()
        self._tasks: set[asyncio.Task[None]] = set()

    async def of(self, session: RoundSession) -> Dictation | None:
        """The dictation of a round, with what it left on disk; None where the disk refuses."""
        dictation = self._open.get(session.id)
        if dictation is None:
            dictation = self._open[session.id] = Dictation(
                session, self.shelf, self.recogniser, tasks=self._tasks
            )
        try:
            await dictation.load()
        except StoreUnavailable as error:
            # Typed answers need none of this.
            logger.warning("round %s takes no spoken answers: %s", session.id, error)
            return None
        await dictation.settle()
        return dictation

    async def sweep(self) -> None:
        """Delete old sound now, and again every day."""
        await self._sweep()
        self._tasks.add(asyncio.create_task(self._sweep_daily()))

    async def _sweep_daily(self) -> None:
        while True:
            await asyncio.sleep(DAY_S)
            await self._sweep()

    async def _sweep(self) -> None:
        try:
            await self.shelf.sweep(utc_now())
        except StoreUnavailable as error:
            logger.warning("old sound could not be deleted: %s", error)

    async def aclose(self) -> None:
        """End what runs; the next visit of each round goes on from what is on the disk."""
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
