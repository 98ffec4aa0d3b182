"""The body of a streamed answer, handed on in the very call that read it. Knows no wire format."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import cast

import aiohttp
import httpx2

Take = Callable[[bytes], bool]
"""Takes a piece of a body; whether it has enough. Must not block."""
_DRAIN_S = 0.2


class Body:
    """What is still unread of a response.

    To be awaited, each piece would wake a task and go through five iterators and coroutines of
    aiohttp, httpx2 and the SDK, a fifth of what relaying a word costs. A `_Tap` needs none.
    """

    def __init__(self, response: httpx2.Response) -> None:
        packed = response.headers.get("content-encoding", "identity") != "identity"
        stream = cast(httpx2.AsyncByteStream, response.stream)
        # Not `aiter_raw`: another generator a chunk, which cuts nothing here.
        self._pieces: AsyncIterator[bytes] = response.aiter_bytes() if packed else aiter(stream)
        self._source = None if packed else _source(stream)

    async def pour(self, take: Take) -> None:
        """Hand on every piece, to the end or until `take` has enough.

        Raises httpx2.HTTPError where the body breaks off, and whatever `take` raises.
        """
        if self._source and await _Tap(*self._source, take).poured():
            return
        # All that is left behind a tap is how the body broke off, which is raised here.
        async for piece in self._pieces:
            if take(piece):
                return

    async def drain(self) -> None:
        """Read to the end, so that the connection can be used again; not for long."""
        with suppress(TimeoutError, httpx2.HTTPError):
            async with asyncio.timeout(_DRAIN_S):
                async for _ in self._pieces:
                    pass


class _Tap(asyncio.Protocol):
    """Stands before aiohttp's protocol on a connection; passes on what that cut out of a read."""

    def __init__(
        self, content: aiohttp.StreamReader, transport: asyncio.Transport, take: Take
    ) -> None:
        self._content, self._transport, self._take = content, transport, take
        self._passed = 0
        self._behind = cast(asyncio.Protocol, transport.get_protocol())
        self._over: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._faults = _RaisedIn(self._over)

    async def poured(self) -> bool:
        """Whether `take` had enough before the body was over; raises what it raised."""
        self._transport.set_protocol(self)
        try:
            self._pass_on()
            return await self._over
        finally:
            self._step_aside()

    def data_received(self, data: bytes) -> None:
        self._behind.data_received(data)
        with self._faults:
            self._pass_on()

    def eof_received(self) -> bool | None:
        return self._behind.eof_received()

    def connection_lost(self, error: Exception | None) -> None:
        self._behind.connection_lost(error)
        with self._faults:
            self._pass_on()
        self._end(enough=False)

    def pause_writing(self) -> None:
        self._behind.pause_writing()

    def resume_writing(self) -> None:
        self._behind.resume_writing()

    def _pass_on(self) -> None:
        content = self._content
        try:
            # Done where the waiting task was cancelled: nothing more may be heard.
            while content.total_bytes > self._passed and not self._over.done():
                piece = content.read_nowait()
                self._passed += len(piece)
                if self._take(piece):
                    self._end(enough=True)
        except aiohttp.ClientError:
            self._end(enough=False)
        if content.is_eof():
            self._end(enough=False)

    def _end(self, *, enough: bool) -> None:
        if not self._over.done():
            self._over.set_result(enough)
        self._step_aside()

    def _step_aside(self) -> None:
        if self._transport.get_protocol() is self:
            self._transport.set_protocol(self._behind)


class _RaisedIn:
    """Raises a block's fault where the future is awaited. The event loop, whose call the block is,
    could only log it and end the connection; it does where nobody awaits any more.
    """

    def __init__(self, future: asyncio.Future[bool]) -> None:
        self._future = future

    def __enter__(self) -> None: ...

    def __exit__(self, _: object, fault: BaseException | None, __: object) -> bool:
        if not isinstance(fault, Exception) or self._future.done():
            return False
        self._future.set_exception(fault)
        return True


def _source(stream: object) -> tuple[aiohttp.StreamReader, asyncio.Transport] | None:
    """aiohttp's side of a body that is still being received, under the wrappers of SDK and httpx2.

    They have no public way to it. None behind another transport, as a test's.
    """
    while (inner := getattr(stream, "_stream", None)) is not None:
        stream = inner
    response = getattr(stream, "_aiohttp_response", None)
    connection = getattr(response, "connection", None)
    if not isinstance(response, aiohttp.ClientResponse) or not connection:
        return None
    return (response.content, connection.transport) if connection.transport else None
