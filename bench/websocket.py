"""The least WebSocket that a load generator and a bare relay need: text frames."""

import base64
import hashlib
import struct

GUID = b"258EAFA5-E914-47DA-95CA-C5AB0DC85B11"


def handshake(host: str, path: str) -> bytes:
    """A client's upgrade request."""
    return (
        f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n\r\n"
    ).encode()


def accept(head: bytes) -> bytes:
    """A server's answer to an upgrade request."""
    line = next(x for x in head.split(b"\r\n") if x.lower().startswith(b"sec-websocket-key:"))
    key = line.split(b":", 1)[1].strip()
    token = base64.b64encode(hashlib.sha1(key + GUID).digest())
    return (
        b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        b"Sec-WebSocket-Accept: " + token + b"\r\n\r\n"
    )


def frame(payload: bytes, *, masked: bool, opcode: int = 1) -> bytes:
    """A whole frame, of text; a client's is masked, here with zeros, which changes nothing."""
    first, bit = 0x80 | opcode, 0x80 if masked else 0
    size = len(payload)
    if size < 126:
        head = struct.pack("!BB", first, bit | size)
    elif size < 65536:
        head = struct.pack("!BBH", first, bit | 126, size)
    else:
        head = struct.pack("!BBQ", first, bit | 127, size)
    return head + (b"\0\0\0\0" if masked else b"") + payload


class Frames:
    """Cuts a byte stream into frames: (opcode, payload)."""

    def __init__(self) -> None:
        self._buffer = bytearray()

    def feed(self, data: bytes) -> list[tuple[int, bytes]]:
        """The frames that `data` completes."""
        self._buffer += data
        frames = []
        while (taken := self._next()) is not None:
            frames.append(taken)
        return frames

    def _next(self) -> tuple[int, bytes] | None:
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        size, start = buffer[1] & 0x7F, 2
        if size == 126:
            size, start = int.from_bytes(buffer[2:4], "big"), 4
        elif size == 127:
            size, start = int.from_bytes(buffer[2:10], "big"), 10
        mask = bytes(buffer[start : start + 4]) if buffer[1] & 0x80 else b""
        start += len(mask)
        if len(buffer) < start + size:
            return None
        opcode, payload = buffer[0] & 0x0F, bytes(buffer[start : start + size])
        del buffer[: start + size]
        return opcode, _unmask(payload, mask) if mask else payload


def _unmask(payload: bytes, mask: bytes) -> bytes:
    if mask == b"\0\0\0\0":
        return payload
    return bytes(byte ^ mask[i % 4] for i, byte in enumerate(payload))
