"""How many model calls run at once: fewer after a rate limit, one more after a calm stretch."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from interviewer.errors import LLMError

CUT = 0.8
CALM = 20
"""Calls without a complaint after which one more may run."""
PAUSE_S = 1.0
LONGEST_PAUSE_S = 60.0


class Pace:
    """A limit on concurrent calls. A rate limit cuts it once an episode; a fault only pauses."""

    def __init__(
        self,
        limit: int = 8,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.limit = self._most = max(1, limit)
        self._sleep = sleep
        self._running = 0
        self._calm = 0
        self._begun = 0
        self._episode = 0
        self._free = asyncio.Condition()

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[None]:
        """Wait for a place, hold it, and learn from how the call ends."""
        async with self._free:
            await self._free.wait_for(lambda: self._running < self.limit)
            self._running += 1
            self._begun += 1
            number = self._begun
        try:
            yield
        except LLMError as error:
            await self._complaint(number, error)
            raise
        else:
            self._went_well()
        finally:
            async with self._free:
                self._running -= 1
                self._free.notify_all()

    async def _complaint(self, number: int, error: LLMError) -> None:
        self._calm = 0
        if error.kind == "rate_limited" and number > self._episode:
            # Calls that had begun before this cut belong to the same episode.
            self._episode = self._begun
            self.limit = max(1, int(self.limit * CUT))
        if error.kind in ("rate_limited", "server"):
            await self._sleep(min(error.retry_after_s or PAUSE_S, LONGEST_PAUSE_S))

    def _went_well(self) -> None:
        self._calm += 1
        if self._calm >= CALM and self.limit < self._most:
            self.limit, self._calm = self.limit + 1, 0
