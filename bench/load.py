"""The load: a model that streams stamped tokens and browsers that read them, with one clock."""

import asyncio
import json
import random
import re
from dataclasses import dataclass, field

from bench.stamps import ages_ms, stamp
from bench.websocket import Frames, frame, handshake

STATEMENT, RATE, STAMPED = 84, 30, 4
"""Tokens of a sentence, how many of them come in a second, and which one of them has a stamp."""
TOKENS = 2 * STATEMENT
"""Of a reply: two sentences. Its question follows, which the interviewer holds back as a whole."""
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
LIMIT = re.compile(rb'"max_tokens": ?(\d+)')
BEFORE = '{"id":"chatcmpl-0123456789abcdef","object":"chat.completion.chunk","created":1764000000,'
BEFORE += '"model":"bench","system_fingerprint":"fp_bench","choices":[{"index":0,"delta":{'


def chunked(payload: bytes) -> bytes:
    return f"{len(payload):x}\r\n".encode() + payload + b"\r\n"


def sse(delta: str, finish: str = "null") -> bytes:
    body = f'{BEFORE}{delta}}},"logprobs":null,"finish_reason":{finish}}}]}}'
    return chunked(f"data: {body}\n\n".encode())


class Model(asyncio.Protocol):
    """A model server: whatever is asked, it streams TOKENS tokens at RATE a second."""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.buffer = b""

    def data_received(self, data: bytes) -> None:
        self.buffer += data
        head, end, body = self.buffer.partition(b"\r\n\r\n")
        if not end:
            return
        length = next(
            int(line.split(b":")[1])
            for line in head.split(b"\r\n")
            if line.lower().startswith(b"content-length:")
        )
        if len(body) >= length:
            self.buffer = b""
            asked = LIMIT.search(body)
            self._stream(min(TOKENS, int(asked[1])) if asked else TOKENS)

    def _stream(self, tokens: int) -> None:
        self.transport.write(HEAD + sse('"role":"assistant","content":""'))
        self.left = tokens
        self.loop = asyncio.get_running_loop()
        self.due = self.loop.time() + random.random() / RATE
        self.loop.call_at(self.due, self._token)

    def _token(self) -> None:
        if self.transport.is_closing():
            return
        if self.left == 0:
            self._end()
            return
        self.left -= 1
        word = "ba " if self.left % STAMPED else stamp()
        if self.left % STATEMENT == 0:
            word = word.strip() + ". "
        self.transport.write(sse(f'"content":"{word}"'))
        self.due += 1 / RATE
        self.loop.call_at(self.due, self._token)

    def _end(self) -> None:
        usage = b'data: {"choices":[],"usage":{"prompt_tokens":900,"completion_tokens":200,'
        usage += b'"total_tokens":1100}}\n\n'
        asks = sse('"content":"What would change that?"') + sse("", '"stop"')
        end = chunked(usage) + chunked(b"data: [DONE]\n\n") + b"0\r\n\r\n"
        self.transport.write(asks + end)


@dataclass
class Tally:
    """What the browsers saw while `counting`."""

    ages: list[float] = field(default_factory=list)
    counting: bool = False
    ready: int = 0
    problems: list[str] = field(default_factory=list)


class Browser(asyncio.Protocol):
    """One browser: says something when told, and ages the tokens that it reads."""

    def __init__(self, tally: Tally, host: str, path: str) -> None:
        self.tally, self.host, self.path = tally, host, path
        self.frames = Frames()
        self.upgraded = False
        self.said = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport: asyncio.Transport = transport  # type: ignore[assignment]
        self.transport.write(handshake(self.host, self.path))

    def say(self) -> None:
        """Send an answer; the model's reply follows."""
        self.said += 1
        self.tally.ready -= 1
        words = {"type": "say", "id": f"say-{self.said}", "text": "Twenty users fit."}
        self.transport.write(frame(json.dumps(words).encode(), masked=True))

    def data_received(self, data: bytes) -> None:
        if not self.upgraded:
            _, end, data = data.partition(b"\r\n\r\n")
            self.upgraded = bool(end)
        for opcode, payload in self.frames.feed(data):
            if opcode == 1:
                self._read(payload)
            elif opcode == 9:
                self.transport.write(frame(payload, masked=True, opcode=10))

    def _read(self, payload: bytes) -> None:
        if payload.startswith(b'{"type":"delta"'):
            if self.tally.counting:
                self.tally.ages.extend(ages_ms(payload))
            return
        seen = json.loads(payload)
        if seen["type"] == "problem":
            self.tally.problems.append(seen["code"])
        state = seen.get("status") if seen["type"] == "hello" else seen.get("state")
        if state == "listening":
            self.tally.ready += 1
