"""The bare relay: asyncio protocols from model to browser, without errors, events or grounding."""

import asyncio
import sys
from urllib.parse import urlsplit

import msgspec

from bench.websocket import Frames, accept, frame


class _Function(msgspec.Struct):
    content: str = ""


class _Choice(msgspec.Struct):
    delta: _Function


class _Chunk(msgspec.Struct):
    choices: list[_Choice]


DECODE = msgspec.json.Decoder(_Chunk).decode
ENCODE = msgspec.json.Encoder().encode


class Upstream(asyncio.Protocol):
    """One streamed completion: each SSE line becomes a frame."""

    def __init__(self, browser: asyncio.Transport, request: bytes) -> None:
        self._browser = browser
        self._request = request
        self._buffer = b""
        self._offset = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the request."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]
        self._transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        """Forward every complete line."""
        *lines, self._buffer = (self._buffer + data).split(b"\n")
        for line in lines:
            if line.startswith(b"data: {"):
                self._forward(line[6:])
            elif line.startswith(b"data: [DONE]"):
                self._browser.write(frame(b'{"type":"status","state":"listening"}', masked=False))
                self._transport.close()

    def _forward(self, body: bytes) -> None:
        chunk = DECODE(body)
        if chunk.choices and (text := chunk.choices[0].delta.content):
            out = ENCODE({"type": "delta", "offset": self._offset, "text": text})
            self._offset += len(text)
            self._browser.write(frame(out, masked=False))


class Browser(asyncio.Protocol):
    """One browser: every frame that it sends starts a completion."""

    def __init__(self, upstream: str) -> None:
        url = urlsplit(upstream)
        self._host, self._port = url.hostname or "127.0.0.1", url.port or 80
        body = b'{"stream":true}'
        head = (
            f"POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._request = head.encode() + body
        self._frames: Frames | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        self._transport: asyncio.Transport = transport  # type: ignore[assignment]

    def data_received(self, data: bytes) -> None:
        """Answer the handshake, then start a completion for each frame."""
        if self._frames is None:
            self._frames = Frames()
            self._transport.write(accept(data))
            self._transport.write(frame(b'{"type":"hello","status":"listening"}', masked=False))
            return
        for opcode, _ in self._frames.feed(data):
            if opcode == 1:
                self._ask()

    def _ask(self) -> None:
        loop = asyncio.get_running_loop()
        make = lambda: Upstream(self._transport, self._request)  # noqa: E731
        self._task = loop.create_task(loop.create_connection(make, self._host, self._port))


async def serve(upstream: str, port: int) -> None:
    """Serve until killed."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Browser(upstream), "127.0.0.1", port)
    await server.serve_forever()


if __name__ == "__main__":
    asyncio.run(serve(sys.argv[1], int(sys.argv[2])))
