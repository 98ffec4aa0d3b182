"""Who goes next at a worker that does one thing at a time: whole answers before captions."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from heapq import heapify, heappop, heappush
from itertools import count

from interviewer.errors import VoiceError

MOST = 16
"""Calls that may wait."""


class Turns:
    """A bounded queue with one place at the front. A caption never waits behind another call."""

    def __init__(self, most: int = MOST) -> None:
        self._most = most
        self._taken = False
        self._waiting: list[tuple[bool, int, asyncio.Future[None]]] = []
        self._numbers = count()

    @asynccontextmanager
    async def turn(self, *, caption: bool = False) -> AsyncIterator[None]:
        """Wait for the place and hold it. Raises VoiceError('busy') where too many wait."""
        await self._enter(caption)
        try:
            yield
        finally:
            self._leave()

    async def _enter(self, caption: bool) -> None:
        if not self._taken:
            self._taken = True
            return
        if len(self._waiting) >= (1 if caption else self._most):
            raise VoiceError("busy", "the recogniser is busy with others; try again in a moment")
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        entry = caption, next(self._numbers), place
        heappush(self._waiting, entry)
        try:
            await place
        except asyncio.CancelledError:
            if entry in self._waiting:
                self._waiting.remove(entry)
                heapify(self._waiting)
            elif not place.cancelled():
                self._leave()  # it was given the place in the moment it was cancelled
            raise

    def _leave(self) -> None:
        while self._waiting:
            _, _, place = heappop(self._waiting)
            if not place.done():
                place.set_result(None)
                return
        self._taken = False
