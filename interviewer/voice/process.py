"""A worker process with a bounded queue: started when first asked, and again after it ended."""

import asyncio
import json
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Any, Protocol

from interviewer.child import LONGEST_LINE, Child, start
from interviewer.errors import VoiceError, VoiceErrorKind
from interviewer.voice.recogniser import Tell
from interviewer.voice.turns import Turns

PATIENCE_S = 120.0
"""Without a word from the worker, after which it is taken for hung."""
_LONGEST_LINE = 1024 * 1024


class Ask(Protocol):
    """One call of a worker."""

    async def __call__(
        self, request: dict[str, Any], payload: bytes = b"", *, tell: Tell | None = None
    ) -> dict[str, Any]:
        """The answer. A call that fails or is cancelled ends the process; the next starts anew."""
        ...


class Worker:
    """Asks a child one thing at a time: a JSON line and bytes go in, JSON lines come back.

    A line with `done` is progress, one with `error` a failure; any other is the answer.
    """

    def __init__(self, arguments: Sequence[str], *, patience_s: float = PATIENCE_S) -> None:
        self._arguments = tuple(arguments)
        self._patience_s = patience_s
        self._process: Child | None = None
        self._turns = Turns()

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process is not None and alive else None

    @asynccontextmanager
    async def turn(self, *, caption: bool = False) -> AsyncIterator[Ask]:
        """As many calls in a row as belong together; everybody else waits."""
        async with self._turns.turn(caption=caption):
            yield self._ask

    async def ask(
        self, request: dict[str, Any], payload: bytes = b"", *, tell: Tell | None = None
    ) -> dict[str, Any]:
        """One call in a turn of its own."""
        async with self.turn() as ask:
            return await ask(request, payload, tell=tell)

    async def aclose(self) -> None:
        """End the process."""
        await self._end()

    async def _ask(
        self, request: dict[str, Any], payload: bytes = b"", *, tell: Tell | None = None
    ) -> dict[str, Any]:
        process = await self._running()
        answer = None
        try:
            await _send(process, request, payload)
            answer = await self._receive(process, tell)
        except (ConnectionError, ValueError, asyncio.IncompleteReadError):
            raise await self._crashed(process) from None
        except TimeoutError:
            message = f"the recogniser said nothing for {self._patience_s:g} s and was ended"
            raise VoiceError("timeout", f"{message}; the audio is kept, try again") from None
        finally:
            if answer is None:
                await self._end()
        if "error" in answer:
            kind: VoiceErrorKind = answer.get("kind", "crashed")
            raise VoiceError(kind, answer["error"])
        return answer

    async def _running(self) -> Child:
        if self._process is not None and self._process.returncode is not None:
            await self._end()
        if self._process is None:
            self._process = await started(*self._arguments, limit=_LONGEST_LINE)
        return self._process

    async def _receive(self, process: Child, tell: Tell | None) -> dict[str, Any]:
        while True:
            async with asyncio.timeout(self._patience_s):
                line = await process.stdout.readuntil(b"\n")
            message: dict[str, Any] = json.loads(line)
            if "done" not in message:
                return message
            if tell is not None:
                tell(message["done"])

    async def _crashed(self, process: Child) -> VoiceError:
        with suppress(TimeoutError):
            async with asyncio.timeout(2):
                await process.wait()
        return VoiceError(
            "crashed",
            f"the recogniser's process ended by itself ({process.returncode}); the audio is kept, "
            "try again. If that repeats: is there enough memory? `viva voice check` tells",
        )

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            await process.end()


async def started(*arguments: str, limit: int = LONGEST_LINE, stderr: int | None = None) -> Child:
    """A Python process with these arguments. Raises VoiceError where the system gives none."""
    try:
        return await start(*arguments, limit=limit, stderr=stderr)
    except OSError as error:
        raise VoiceError(
            "unavailable", f"no process could be started ({error}); the audio is kept, try again"
        ) from error


async def _send(process: Child, request: dict[str, Any], payload: bytes) -> None:
    line = json.dumps(request | {"bytes": len(payload)})
    process.stdin.write(line.encode() + b"\n")
    process.stdin.write(payload)
    await process.stdin.drain()
