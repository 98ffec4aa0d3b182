"""What waits to be written to one socket, bounded in bytes. Knows no socket and no frame."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable

DEFAULT_LIMIT = 1024 * 1024


class Outbox:
    """Frames in order. A frame counts until its write has returned: a stuck write is seen."""

    def __init__(self, limit: int = DEFAULT_LIMIT) -> None:
        self.size = 0
        self.limit = limit
        self._frames: deque[bytes] = deque()
        self._more = asyncio.Event()

    def put(self, frame: bytes) -> bool:
        """Queue a frame; False where it would break the limit, and then it is not queued."""
        if self.size + len(frame) > self.limit:
            return False
        self.size += len(frame)
        self._frames.append(frame)
        self._more.set()
        return True

    async def drain(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Write frames as they come, until the write raises or the task is cancelled."""
        while True:
            while self._frames:
                frame = self._frames.popleft()
                await write(frame)
                self.size -= len(frame)
            self._more.clear()
            await self._more.wait()
