"""One streamed model call: its timers, its end, its errors. The adapters bring the wire format."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Iterator
from contextlib import aclosing, asynccontextmanager, closing, contextmanager, suppress
from dataclasses import dataclass, replace
from typing import Protocol, Self

import aiohttp
import httpx2
import msgspec

from interviewer.errors import LLMError
from interviewer.llm.failures import from_status, from_transport
from interviewer.llm.patience import Patience
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
    now = asyncio.get_running_loop().time
    begun, first = now(), None
    try:
        async with aclosing(_deltas(opening, errors, assembly, timeouts)) as deltas:
            async for delta in deltas:
                first = first or now()
                yield delta
        reply = _timed(assembly.reply(), (first or now()) - begun, now() - begun)
    except LLMError as error:
        error.retryable = error.retryable and first is None
        raise
    for call in reply.tool_calls:
        yield call
    yield reply


def _timed(reply: Reply, first_s: float, total_s: float) -> Reply:
    times = {"first_token_s": round(first_s, 3), "total_s": round(total_s, 3)}
    return replace(reply, usage=reply.usage.model_copy(update=times))


async def _deltas(
    opening: Opening, errors: SdkErrors, assembly: Assembly, timeouts: Timeouts
) -> AsyncGenerator[TextDelta, None]:
    patience = Patience(timeouts.first_token_s)
    async with _opened(opening, errors, patience) as response:
        reader = _Reader(response, assembly, patience)
        while not assembly.done and await reader.more():
            for text in reader.texts():
                yield TextDelta(text)
            if assembly.alive:
                assembly.alive = False
                patience.renew("next token", timeouts.gap_s)
        await reader.drain()


@contextmanager
def _faults(patience: Patience) -> Iterator[None]:
    """What goes wrong with a stream that has begun, as LLMError."""
    try:
        yield
    except TimeoutError as error:
        raise LLMError("timeout", f"the endpoint sent no {patience.waits_for} in time") from error
    except (msgspec.DecodeError, RecursionError) as error:
        raise LLMError("protocol", f"the stream holds an unreadable event: {error}") from error
    except httpx2.HTTPError as error:
        raise LLMError("truncated", f"the stream broke off: {error}", retryable=True) from error


class _Reader:
    """A response chunk by chunk: waits with patience, decodes, hands to the assembly."""

    def __init__(self, response: httpx2.Response, assembly: Assembly, patience: Patience) -> None:
        self._chunks, self._decoder = _chunks(response), EventDecoder()
        self._assembly, self._patience = assembly, patience
        self._chunk, self._size = b"", 0

    async def more(self) -> bool:
        """Read another chunk; False at the end of the response."""
        self._chunk = await self._patience.wait(anext(self._chunks, b""))
        self._size += len(self._chunk)
        if self._size > LONGEST_STREAM:
            raise LLMError("protocol", f"the reply is over {LONGEST_STREAM} bytes")
        return bool(self._chunk)

    def texts(self) -> Iterator[str]:
        """What the chunk adds to the reply."""
        return filter(None, map(self._assembly.take, self._decoder.feed(self._chunk)))

    async def drain(self) -> None:
        """Read to the end of the response, so that the connection can be used again."""
        with suppress(TimeoutError, httpx2.HTTPError):
            async with asyncio.timeout(_DRAIN_S):
                async for _ in self._chunks:
                    pass


@asynccontextmanager
async def _opened(
    opening: Opening, errors: SdkErrors, patience: Patience
) -> AsyncGenerator[httpx2.Response, None]:
    with closing(patience), _faults(patience):
        response = await _answer(opening, errors, patience)
        try:
            yield response
        finally:
            await response.aclose()


async def _answer(opening: Opening, errors: SdkErrors, patience: Patience) -> httpx2.Response:
    try:
        return await patience.wait(opening)
    except errors.status as error:
        answer: httpx2.Response = error.response  # type: ignore[attr-defined]
        body: object = error.body  # type: ignore[attr-defined]
        raise from_status(answer.status_code, body, answer.headers) from error
    except errors.connection as error:
        raise from_transport(error) from error
    except aiohttp.ClientError as error:
        # The SDKs let through what their aiohttp transport does not map: an answer that is no HTTP.
        raise LLMError("protocol", f"the endpoint does not speak HTTP: {error}"[:300]) from error


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
