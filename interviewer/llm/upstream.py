"""One streamed model call: its timers, its end, its errors. The adapters bring the wire format."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import Protocol, Self

import aiohttp
import httpx2
import msgspec

from interviewer.errors import LLMError
from interviewer.llm.failures import from_status, from_transport
from interviewer.llm.protocol import Reply, TextDelta, ToolCall
from interviewer.llm.sse import EventDecoder

_DRAIN_S = 0.2
LONGEST_STREAM = 32 << 20
"""Bytes of one reply; an honest endpoint stops at the token bound, long before."""
IDENTITY = {"Accept-Encoding": "identity"}
"""Asks for an uncompressed stream: the raw bytes are read."""


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
    opening: Opening, errors: SdkErrors, assembly: Assembly, timeouts: Timeouts
) -> AsyncGenerator[TextDelta | ToolCall | Reply, None]:
    """Deltas as they come, the tool calls, then the reply. Closing it closes the connection."""
    heard = False
    try:
        async with aclosing(_texts(opening, errors, assembly, timeouts)) as texts:
            async for text in texts:
                heard = True
                yield TextDelta(text)
        reply = assembly.reply()
    except LLMError as error:
        error.retryable = error.retryable and not heard
        raise
    for call in reply.tool_calls:
        yield call
    yield reply


async def _texts(
    opening: Opening, errors: SdkErrors, assembly: Assembly, timeouts: Timeouts
) -> AsyncGenerator[str, None]:
    timer = _Timer(timeouts)
    try:
        async with (
            _opened(opening, errors, timer) as response,
            aclosing(_read(response, assembly, timer)) as texts,
        ):
            async for text in texts:
                yield text
    except TimeoutError as error:
        raise LLMError("timeout", f"the endpoint sent no {timer.waits_for} in time") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise LLMError("protocol", f"the stream holds an unreadable event: {error}") from error
    except httpx2.HTTPError as error:
        raise LLMError("truncated", f"the stream broke off: {error}", retryable=True) from error


class _Timer:
    """Until when the next token must be there. The time that the reader takes does not count."""

    def __init__(self, timeouts: Timeouts) -> None:
        self.waits_for = "first token"
        self._gap_s = timeouts.gap_s
        self._now = asyncio.get_running_loop().time
        self._deadline = self._now() + timeouts.first_token_s

    def running(self) -> asyncio.Timeout:
        """Raises TimeoutError in its block when the deadline passes."""
        return asyncio.timeout_at(self._deadline)

    def token(self) -> None:
        """A token came, and was read."""
        self.waits_for = "next token"
        self._deadline = self._now() + self._gap_s


async def _read(
    response: httpx2.Response, assembly: Assembly, timer: _Timer
) -> AsyncGenerator[str, None]:
    chunks, decoder, size = _chunks(response), EventDecoder(), 0
    while not assembly.done:
        async with timer.running():
            chunk = await anext(chunks, b"")
        size += len(chunk)
        if size > LONGEST_STREAM:
            raise LLMError("protocol", f"the reply is over {LONGEST_STREAM} bytes")
        if not chunk:
            return
        for text in filter(None, map(assembly.take, decoder.feed(chunk))):
            yield text
        if assembly.alive:
            assembly.alive = False
            timer.token()
    await _drain(chunks)


@asynccontextmanager
async def _opened(
    opening: Opening, errors: SdkErrors, timer: _Timer
) -> AsyncGenerator[httpx2.Response, None]:
    try:
        async with timer.running():
            response = await opening
    except errors.status as error:
        answer: httpx2.Response = error.response  # type: ignore[attr-defined]
        body: object = error.body  # type: ignore[attr-defined]
        raise from_status(answer.status_code, body, answer.headers) from error
    except errors.connection as error:
        raise from_transport(error) from error
    except aiohttp.ClientError as error:
        # The SDKs let through what their aiohttp transport does not map: an answer that is no HTTP.
        raise LLMError("protocol", f"the endpoint does not speak HTTP: {error}"[:300]) from error
    try:
        yield response
    finally:
        await response.aclose()


def _chunks(response: httpx2.Response) -> AsyncGenerator[bytes, None]:
    kind = response.headers.get("content-type", "nothing")
    if not kind.lower().startswith("text/event-stream"):
        raise LLMError(
            "protocol",
            f"the endpoint answered with {kind[:80]!r} where an event stream was expected; "
            "check the base URL (it usually ends in /v1)",
        )
    packed = response.headers.get("content-encoding", "identity") != "identity"
    return response.aiter_bytes() if packed else response.aiter_raw()


async def _drain(chunks: AsyncGenerator[bytes, None]) -> None:
    """Read to the end of the response, so that the connection can be used again."""
    with suppress(TimeoutError, httpx2.HTTPError):
        async with asyncio.timeout(_DRAIN_S):
            async for _ in chunks:
                pass
