"""What waits to be written to one socket, bounded in bytes. Knows no socket and no frame."""

import asyncio
from collections.abc import Awaitable, Callable

DEFAULT_LIMIT = 1024 * 1024
WRITE_NOW = "viva.write_now"
"""The ASGI extension of our server: `WriteNow` of the socket at hand."""
WriteNow = Callable[[bytes], bool]
"""Writes a frame if the socket takes it without waiting; whether it did."""


def never(_: bytes) -> bool:
    """The `WriteNow` of a server that has none: every frame waits for its turn."""
    return False


class Outbox:
    """Frames in order. A frame counts until its write has returned: a stuck write is seen."""

    def __init__(self, limit: int = DEFAULT_LIMIT, write_now: WriteNow = never) -> None:
        self.size = 0
        self.limit = limit
        self._write_now = write_now
        self._frames: list[bytes] = []
        self._idle: asyncio.Future[None] | None = None
        """Set while all is written and the drain waits for more."""

    def put(self, frame: bytes) -> bool:
        """Write or queue a frame; False where it would break the limit, and then it is neither."""
        idle = self._idle
        if idle is not None and self._write_now(frame):
            return True
        if self.size + len(frame) > self.limit:
            return False
        self.size += len(frame)
        self._frames.append(frame)
        if idle is not None:
            self._idle = None
            if not idle.done():
                idle.set_result(None)
        return True

    async def drain(self, write: Callable[[bytes], Awaitable[None]]) -> None:
        """Write frames as they come, until the write raises or the task is cancelled."""
        while True:
            while self._frames:
                frames, self._frames = self._frames, []
                for frame in frames:
                    await write(frame)
                    self.size -= len(frame)
            self._idle = asyncio.get_running_loop().create_future()
            await self._idle
