"""One streamed model call: its timers, its end, its errors. The adapters bring the wire format."""

import asyncio
from collections.abc import Awaitable, Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from typing import Protocol, Self

import aiohttp
import httpx2
import msgspec

from interviewer.errors import LLMError
from interviewer.llm.body import Body
from interviewer.llm.failures import from_status, from_transport
from interviewer.llm.patience import Patience
from interviewer.llm.protocol import Hear, Reply
from interviewer.llm.sse import EventDecoder

_UNREADABLE = (msgspec.DecodeError, RecursionError)
LONGEST_STREAM = 32 << 20
"""Bytes of one reply; an honest endpoint stops at the token bound, long before."""
IDENTITY = {"Accept-Encoding": "identity"}
"""Asks for an uncompressed stream: the raw bytes are read."""
_SENT = httpx2.Request("POST", "http://sent.invalid")
"""Stands for what was sent, 20 KB with its tools, which need not live while the answer streams."""


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Seconds: to connect, from the request to the first token, and between two tokens."""

    connect_s: float = 5.0
    first_token_s: float = 30.0
    gap_s: float = 20.0

    @classmethod
    def both(cls, seconds: float) -> Self:
        """The same patience for the first token and for every one after it."""
        return cls(first_token_s=seconds, gap_s=seconds)

    def for_sdk(self) -> httpx2.Timeout:
        """The SDK keeps only the connect timer: its read timer is fed by pings, ours by tokens."""
        return httpx2.Timeout(None, connect=self.connect_s, pool=self.connect_s)


@dataclass(frozen=True, slots=True)
class SdkErrors:
    """The error classes of one SDK: for an HTTP status, and for anything below HTTP."""

    status: type[Exception]
    connection: type[Exception]


class Assembly(Protocol):
    """Puts a reply together from the payloads of one stream."""

    done: bool
    """The stream said that it is over."""
    alive: bool
    """Set by a payload that carries a token, also of hidden reasoning; cleared by the reader."""

    def take(self, payload: bytes) -> str:
        """The text that the payload adds; raises LLMError or msgspec.DecodeError."""
        ...

    def reply(self) -> Reply:
        """The finished reply; raises LLMError('truncated') when the stream broke off."""
        ...


Opening = Awaitable[httpx2.Response]
"""The answer to a request that is sent when this is awaited, its body still unread."""


async def relay(
    opening: Opening, errors: SdkErrors, assembly: Assembly, timeouts: Timeouts, hear: Hear
) -> Reply:
    """The reply, heard as it comes. Cancelling it closes the connection."""
    patience = Patience(timeouts.first_token_s)
    reader = _Reader(assembly, patience, hear, timeouts.gap_s)
    with closing(patience), _faults(reader, patience):
        response = await _answer(opening, errors)
        response.request = _SENT
        try:
            return await reader.read(_stream(response))
        finally:
            await response.aclose()


class _Reader:
    """Decodes a response chunk by chunk for the assembly, and takes the times."""

    def __init__(self, assembly: Assembly, patience: Patience, hear: Hear, gap_s: float) -> None:
        self.begun = False
        """Whether there was any text: from then on no error can be retried."""
        self._assembly, self._decoder = assembly, EventDecoder()
        self._patience, self._gap_s = patience, gap_s
        self._hear = hear
        self._size = 0
        self._now = asyncio.get_running_loop().time
        self._sent_at = self._first_at = self._now()

    async def read(self, body: Body) -> Reply:
        """The reply, once the stream says that it is over."""
        await body.pour(self._take)
        self._patience.close()
        await body.drain()
        return self._reply()

    def _take(self, chunk: bytes) -> bool:
        """Let what the chunk adds to the reply be heard; a token in it renews the patience.

        Says whether the reply is over.
        """
        self._size += len(chunk)
        if self._size > LONGEST_STREAM:
            raise LLMError("protocol", f"the reply is over {LONGEST_STREAM} bytes")
        for payload in self._decoder.feed(chunk):
            try:
                text = self._assembly.take(payload)
            except _UNREADABLE as error:
                raise LLMError("protocol", f"an event is unreadable: {error}") from error
            if text and not self.begun:
                self.begun, self._first_at = True, self._now()
            if text:
                self._hear(text)
        if self._assembly.alive:
            self._assembly.alive = False
            self._patience.renew("next token", self._gap_s)
        return self._assembly.done

    def _reply(self) -> Reply:
        """The finished reply with its times."""
        reply, now = self._assembly.reply(), self._now()
        first_s = (self._first_at if self.begun else now) - self._sent_at
        times = {"first_token_s": round(first_s, 3), "total_s": round(now - self._sent_at, 3)}
        return replace(reply, usage=reply.usage.model_copy(update=times))


@contextmanager
def _faults(reader: _Reader, patience: Patience) -> Iterator[None]:
    """What goes wrong with a stream, as LLMError; not to be retried once there was text."""
    try:
        yield
    except LLMError as error:
        error.retryable = error.retryable and not reader.begun
        raise
    except asyncio.CancelledError as error:
        if not patience.has_run_out():
            raise
        message = f"the endpoint sent no {patience.waits_for} in time"
        raise LLMError("timeout", message) from error
    except httpx2.HTTPError as error:
        retryable = not reader.begun
        raise LLMError(
            "truncated", f"the stream broke off: {error}", retryable=retryable
        ) from error


async def _answer(opening: Opening, errors: SdkErrors) -> httpx2.Response:
    try:
        return await opening
    except errors.status as error:
        answer: httpx2.Response = error.response  # type: ignore[attr-defined]
        body: object = error.body  # type: ignore[attr-defined]
        raise from_status(answer.status_code, body, answer.headers) from error
    except errors.connection as error:
        raise from_transport(error) from error
    except aiohttp.ClientError as error:
        # The SDKs let through what their aiohttp transport does not map: an answer that is no HTTP.
        raise LLMError("protocol", f"the endpoint does not speak HTTP: {error}"[:300]) from error


def _stream(response: httpx2.Response) -> Body:
    kind = response.headers.get("content-type", "nothing")
    if not kind.lower().startswith("text/event-stream"):
        raise LLMError(
            "protocol",
            f"the endpoint answered with {kind[:80]!r} where an event stream was expected; "
            "check the base URL (it usually ends in /v1)",
        )
    return Body(response)
