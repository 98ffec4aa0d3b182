"""A socket in front of the real server that breaks its replies in one way at a time.

Only the chat requests of a turn are broken; the probe of one token passes, and so does the rest.
"""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from urllib.parse import urlsplit

Fault = Callable[["Reply", asyncio.StreamWriter], Awaitable[None]]
SSE_HEAD = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream; charset=utf-8\r\n"
    b"connection: close\r\n\r\n"
)


@dataclass
class Reply:
    """The real server's answer, event by event."""

    reader: asyncio.StreamReader

    async def events(self, most: int = 10_000) -> AsyncIterator[bytes]:
        """The first `most` events as the server sent them, without the framing of chunks."""
        await self.reader.readuntil(b"\r\n\r\n")
        buffer, seen = b"", 0
        while seen < most and (size := int(await self.reader.readline(), 16)):
            buffer += (await self.reader.readexactly(size + 2))[:-2]
            *whole, buffer = buffer.split(b"\n\n")
            for event in whole[: most - seen]:
                seen += 1
                yield event + b"\n\n"


@dataclass
class Breaker:
    """The proxy; `fault` None lets everything pass."""

    upstream: str
    fault: Fault | None = None
    times: int = 10_000
    """How many turns are broken before it passes them on."""
    broken: int = 0
    url: str = ""
    tasks: set["asyncio.Task[None]"] = field(default_factory=set)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """One request a connection."""
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        try:
            await self._relay(reader, writer)
        except (OSError, EOFError):
            pass
        finally:
            self.tasks.discard(task)
            writer.close()

    async def _relay(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        fields = dict(
            line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:] if b": " in line
        )
        body = await reader.readexactly(int(fields.get(b"content-length", b"0")))
        target = urlsplit(self.upstream)
        back, forth = await asyncio.open_connection(target.hostname, target.port)
        try:
            lines = [line for line in head.split(b"\r\n") if not line.lower().startswith(b"conn")]
            lines.insert(1, b"Connection: close")
            forth.write(b"\r\n".join(lines) + body)
            if self.fault is not None and self._is_turn(body) and self.broken < self.times:
                self.broken += 1
                await self.fault(Reply(back), writer)
            else:
                while data := await back.read(65_536):
                    writer.write(data)
                    await writer.drain()
        finally:
            forth.close()

    def _is_turn(self, body: bytes) -> bool:
        return bool(body) and json.loads(body).get("max_tokens", 0) > 1


@asynccontextmanager
async def breaking(
    upstream: str, fault: Fault | None, times: int = 10_000
) -> AsyncIterator[Breaker]:
    """The proxy on a free port; its URL ends in /v1."""
    breaker = Breaker(upstream, fault, times)
    server = await asyncio.start_server(breaker.serve, "127.0.0.1", 0)
    breaker.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    yield breaker
    server.close()
    for task in list(breaker.tasks):
        task.cancel()
    with suppress(asyncio.CancelledError):
        await asyncio.gather(*breaker.tasks, return_exceptions=True)


def answering(status: str, headers: str = "", body: str = "{}") -> Fault:
    """An answer that is no stream."""

    async def answer(_: Reply, writer: asyncio.StreamWriter) -> None:
        length = f"content-length: {len(body)}\r\nconnection: close\r\n"
        writer.write(f"HTTP/1.1 {status}\r\n{headers}{length}\r\n{body}".encode())
        await writer.drain()

    return answer


async def killed(reply: Reply, writer: asyncio.StreamWriter) -> None:
    """The connection is reset after three events."""
    writer.write(SSE_HEAD)
    async for event in reply.events(3):
        writer.write(event)
        await writer.drain()
    writer.transport.abort()


async def stalls(reply: Reply, writer: asyncio.StreamWriter) -> None:
    """Ten events, then silence on an open connection."""
    writer.write(SSE_HEAD)
    async for event in reply.events(10):
        writer.write(event)
    await writer.drain()
    await asyncio.sleep(3_600)


async def silent(_: Reply, writer: asyncio.StreamWriter) -> None:
    """Not even a status line."""
    await asyncio.sleep(3_600)


async def truncates(reply: Reply, writer: asyncio.StreamWriter) -> None:
    """The stream ends in the midst of its fourth event."""
    writer.write(SSE_HEAD)
    number = 0
    async for event in reply.events(4):
        number += 1
        writer.write(event if number < 4 else event[: len(event) // 2])
    await writer.drain()


async def garbles(reply: Reply, writer: asyncio.StreamWriter) -> None:
    """An event that is not UTF-8."""
    writer.write(SSE_HEAD)
    async for event in reply.events(2):
        writer.write(event)
    writer.write(b'data: {"choices": [{"index": 0, "delta": {"content": "\xff\xfe\xc3("}}]}\n\n')
    await writer.drain()


def swells(size: int) -> Fault:
    """One delta of `size` characters, and a proper end."""

    async def swell(_: Reply, writer: asyncio.StreamWriter) -> None:
        delta = json.dumps({"choices": [{"index": 0, "delta": {"content": "a" * size}}]})
        end = json.dumps({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
        writer.write(SSE_HEAD + f"data: {delta}\n\ndata: {end}\n\ndata: [DONE]\n\n".encode())
        await writer.drain()

    return swell
