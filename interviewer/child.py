"""A Python program in a process of its own, whose pipes the event loop reads and writes.

It is started in a thread, which holds the loop up for less than a millisecond. uvloop's own way
forks in the loop: 15 to 60 ms for a server of 150 MB, and more where the machine is busy.
"""

import asyncio
import os
import subprocess
import sys
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from typing import IO

PIPE, DISCARD = subprocess.PIPE, subprocess.DEVNULL
LONGEST_LINE = 2**16
_LOOK_S = 0.02


class Child:
    """A process that runs until it, or whoever started it, ends it; see `start`."""

    stdin: StreamWriter
    stdout: StreamReader
    stderr: StreamReader
    """Empty unless it was asked for."""
    gone: asyncio.Task[int]
    """Of a child that nobody waits for: it leaves no zombie."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process
        self._pipes: list[asyncio.BaseTransport] = []

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        """How it ended; None while it runs."""
        return self._process.poll()

    async def wait(self) -> int:
        """How it ended, once it has."""
        while (code := self._process.poll()) is None:
            await asyncio.sleep(_LOOK_S)
        return code

    async def communicate(self, content: bytes) -> tuple[bytes, bytes]:
        """Give it this and no more; what it wrote to standard output and error when it ended."""
        _, out, told = await asyncio.gather(
            self._feed(content), self.stdout.read(), self.stderr.read()
        )
        await self.wait()
        return out, told

    async def end(self) -> None:
        """Kill it if it still runs, and give its pipes back."""
        self.kill()
        await self.wait()

    def kill(self) -> None:
        """The same without waiting until it is gone."""
        if self._process.poll() is None:
            self._process.kill()
        for pipe in self._pipes:
            pipe.close()

    async def _feed(self, content: bytes) -> None:
        try:
            self.stdin.write(content)
            await self.stdin.drain()
        except ConnectionError:
            pass  # it has read enough, and says why
        self.stdin.close()

    async def connect(self, limit: int) -> None:
        """Hand the pipes to the event loop; once."""
        loop = asyncio.get_running_loop()
        given, protocol = await loop.connect_write_pipe(
            lambda: StreamReaderProtocol(StreamReader()), self._process.stdin
        )
        self._pipes.append(given)
        self.stdin = StreamWriter(given, protocol, None, loop)
        self.stdout = await self._reader(self._process.stdout, limit)
        self.stderr = await self._reader(self._process.stderr, limit)

    async def _reader(self, stream: IO[bytes] | None, limit: int) -> StreamReader:
        reader = StreamReader(limit)
        if stream is None:
            reader.feed_eof()
            return reader
        pipe, _ = await asyncio.get_running_loop().connect_read_pipe(
            lambda: StreamReaderProtocol(reader), stream
        )
        self._pipes.append(pipe)
        return reader


async def start(*arguments: str, limit: int = LONGEST_LINE, stderr: int | None = None) -> Child:
    """Run Python with these arguments. Raises OSError where the system gives no process."""
    starting = asyncio.create_task(_started(arguments, limit, stderr))
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        starting.add_done_callback(_end)
        raise


async def _started(arguments: tuple[str, ...], limit: int, stderr: int | None) -> Child:
    child = Child(await asyncio.to_thread(_popen, arguments, stderr))
    await child.connect(limit)
    return child


def _popen(arguments: tuple[str, ...], stderr: int | None) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, *arguments],
        stdin=PIPE,
        stdout=PIPE,
        stderr=stderr,
        env=environment(),
    )


def _end(starting: asyncio.Task[Child]) -> None:
    """Nobody waits for it any more."""
    if not starting.cancelled() and starting.exception() is None:
        child = starting.result()
        child.kill()
        child.gone = asyncio.create_task(child.wait())


def environment() -> dict[str, str]:
    """For a child that handles audio: none of Viva's settings, and no model hub to call."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")}
    offline = {"HF_HUB_OFFLINE": "1", "HF_HUB_DISABLE_TELEMETRY": "1"}
    # two arenas: what one thread frees another takes, which saves a tenth of the memory
    return kept | offline | {"PYTHONUTF8": "1", "MALLOC_ARENA_MAX": "2"}
