"""A worker process with a bounded queue: started when first asked, and again after it ended."""

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from interviewer.errors import VoiceError, VoiceErrorKind
from interviewer.voice.recogniser import Tell
from interviewer.voice.turns import Turns

PATIENCE_S = 120.0
"""Without a word from the worker, after which it is taken for hung."""
_LONGEST_LINE = 64 * 1024 * 1024
_CHUNK = 1024 * 1024


class Worker:
    """Asks a child one thing at a time: a JSON line and bytes go in, JSON lines come back.

    A line with `done` is progress, one with `error` a failure; any other is the answer.
    """

    def __init__(self, arguments: Sequence[str], *, patience_s: float = PATIENCE_S) -> None:
        self._arguments = tuple(arguments)
        self._patience_s = patience_s
        self._process: asyncio.subprocess.Process | None = None
        self._turns = Turns()

    @property
    def pid(self) -> int | None:
        """Of the process that runs now."""
        alive = self._process is not None and self._process.returncode is None
        return self._process.pid if self._process is not None and alive else None

    async def ask(
        self,
        request: dict[str, Any],
        payload: bytes = b"",
        *,
        tell: Tell | None = None,
        caption: bool = False,
    ) -> dict[str, Any]:
        """The answer. A call that fails or is cancelled ends the process; the next starts anew."""
        async with self._turns.turn(caption=caption):
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

    async def aclose(self) -> None:
        """End the process."""
        await self._end()

    async def _running(self) -> asyncio.subprocess.Process:
        if self._process is None or self._process.returncode is not None:
            self._process = await started(*self._arguments, limit=_LONGEST_LINE)
        return self._process

    async def _receive(
        self, process: asyncio.subprocess.Process, tell: Tell | None
    ) -> dict[str, Any]:
        assert process.stdout is not None
        while True:
            async with asyncio.timeout(self._patience_s):
                line = await process.stdout.readuntil(b"\n")
            message: dict[str, Any] = json.loads(line)
            if "done" not in message:
                return message
            if tell is not None:
                tell(message["done"])

    async def _crashed(self, process: asyncio.subprocess.Process) -> VoiceError:
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
        if process is None:
            return
        with suppress(ProcessLookupError):
            process.kill()
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def started(
    *arguments: str, limit: int = 2**16, stderr: int | None = None
) -> asyncio.subprocess.Process:
    """A Python process with these arguments. Raises VoiceError where the system gives none."""
    try:
        return await asyncio.create_subprocess_exec(
            sys.executable,
            *arguments,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            env=child_environment(),
            limit=limit,
            stderr=stderr,
        )
    except OSError as error:
        raise VoiceError(
            "unavailable", f"no process could be started ({error}); the audio is kept, try again"
        ) from error


def child_environment() -> dict[str, str]:
    """For a child that handles audio: none of Viva's settings, and no model hub to call."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")}
    offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    # two arenas: what one thread frees another takes, which saves a tenth of the memory
    return kept | offline | {"PYTHONUTF8": "1", "MALLOC_ARENA_MAX": "2"}


async def _send(
    process: asyncio.subprocess.Process, request: dict[str, Any], payload: bytes
) -> None:
    assert process.stdin is not None
    line = json.dumps(request | {"bytes": len(payload)})
    process.stdin.write(line.encode() + b"\n")
    for start in range(0, len(payload), _CHUNK):
        process.stdin.write(payload[start : start + _CHUNK])
        await process.stdin.drain()
    await process.stdin.drain()
