"""CPU and delay of a relayed token: Viva with grounding on, beside the bare relay, in one run.

Both servers run at once and their windows alternate: the machine's other work falls on both.
"""

import asyncio
import atexit
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from statistics import quantiles

import httpx2
import uvloop

from bench.load import RATE, STAMPED, Browser, Model, Tally

SPREAD_S, LEAD_S, WINDOW_S, UTTERANCES = 3.0, 0.6, 1.8, 3
"""All replies begin within SPREAD_S; a reply's sentences before the question last 5.6 s."""
WARM = 5
CARD = "INF-010"
ENOUGH = 0.95
"""The least share of the tokens due that must be read, lest a slow load hide a slow relay."""


@dataclass(frozen=True)
class Reading:
    """One relay at one load: CPU time of a token, delay, share of a core, KB of a connection."""

    relay: str
    streams: int
    cpu_us: float
    p50_ms: float
    p99_ms: float
    core: float
    complete: float
    """Share of the tokens that were due in the windows and were read in them."""
    idle_kb: float
    streaming_kb: float
    problems: int


def free_port() -> int:
    """A port that nobody takes before its server does: a socket that never listens keeps it."""
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    atexit.register(keeper.close)
    return int(keeper.getsockname()[1])


def cpu_s(pid: int) -> float:
    """User and system time of a process's threads so far, as the scheduler counts it: exactly."""
    threads = Path(f"/proc/{pid}/task").glob("*/schedstat")
    return sum(int(thread.read_text().split()[0]) for thread in threads) / 1e9


def rss_kb(pid: int) -> int:
    """Resident memory of a process."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmRSS")).split()[1])


@contextmanager
def process(command: list[str], port: int, env: dict[str, str] | None = None) -> Iterator[int]:
    """A server in a process of its own, once its port answers; its pid."""
    child = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        for _ in range(400):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield child.pid
    finally:
        child.kill()
        child.wait()


@contextmanager
def viva(upstream: str, llm: bool = True, folder: str = "") -> Iterator[tuple[int, int]]:
    """A Viva server on the database of a folder, or on one of its own: port and pid."""
    port = free_port()
    with tempfile.TemporaryDirectory() as own:
        folder = folder or own
        # With its bytecode written, as everybody's: compiling leaves a heap free to grow into.
        left_out = ("VIVA_", "PYTHONDONTWRITEBYTECODE")
        env = {k: v for k, v in os.environ.items() if not k.startswith(left_out)}
        env |= {"VIVA_PORT": str(port), "VIVA_DATABASE_URL": f"sqlite:///{folder}/viva.db"}
        if llm:
            env |= {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": f"{upstream}/v1"}
            env |= {"VIVA_LLM_MODEL": "bench", "VIVA_JUDGE": "rule"}
        command = [str(Path(sys.executable).parent / "viva"), "serve"]
        with process(command, port, env) as pid:
            yield port, pid


@contextmanager
def bare(upstream: str) -> Iterator[tuple[int, int]]:
    """The bare relay: port and pid."""
    port = free_port()
    with process([sys.executable, "-m", "bench.bare_relay", upstream, str(port)], port) as pid:
        yield port, pid


Path_ = Callable[[], Awaitable[str]]


class Load:
    """Browsers on one relay, and what they read of it.

    In a window every stream is in the sentences before its question, so that what is measured is
    the relay and not the choice of a follow-up or a score.
    """

    def __init__(self, relay: str, port: int, pid: int, path: Path_) -> None:
        self.relay, self._port, self._pid, self._path = relay, port, pid, path
        self._tally, self._browsers = Tally(), list[Browser]()
        self._spent = self._wall = self._due = 0.0
        self._before_kb = self._idle_kb = self._streaming_kb = 0.0

    async def open(self, streams: int) -> None:
        """Connect so many browsers, once no earlier ones are left."""
        self._before_kb = rss_kb(self._pid)
        for _ in range(streams):
            await self._connect()
        self._idle_kb = (rss_kb(self._pid) - self._before_kb) / streams
        await self.rest()

    async def say(self, spread_s: float) -> None:
        """Let every browser say something, one after the other."""
        for browser in self._browsers:
            browser.say()
            await asyncio.sleep(spread_s / len(self._browsers))

    async def window(self, spread_s: float = SPREAD_S, window_s: float = WINDOW_S) -> None:
        """Let every browser say something, and count while all are in mid-reply."""
        await self.say(spread_s)
        await asyncio.sleep(LEAD_S)
        self._tally.counting, cpu, at = True, cpu_s(self._pid), time.monotonic()
        await asyncio.sleep(window_s)
        self._tally.counting, wall = False, time.monotonic() - at
        self._spent, self._wall = self._spent + cpu_s(self._pid) - cpu, self._wall + wall
        self._due += len(self._browsers) * RATE * wall
        self._streaming_kb = (rss_kb(self._pid) - self._before_kb) / len(self._browsers)

    async def rest(self) -> None:
        """Wait until every browser may speak."""
        async with asyncio.timeout(90):
            while self._tally.ready < len(self._browsers):
                await asyncio.sleep(0.01)

    def close(self) -> None:
        """Disconnect all browsers and forget what they read."""
        for browser in self._browsers:
            browser.transport.close()
        self._browsers, self._tally = [], Tally()
        self._spent = self._wall = self._due = 0.0

    def reading(self) -> Reading:
        """What the windows since `open` gave."""
        ages = self._tally.ages
        cuts = quantiles(ages if len(ages) > 1 else [float("inf")] * 2, n=100)
        return Reading(
            self.relay,
            len(self._browsers),
            cpu_us=self._spent * 1e6 / max(1, STAMPED * len(ages)),
            p50_ms=cuts[49],
            p99_ms=cuts[98],
            core=self._spent / self._wall,
            complete=STAMPED * len(ages) / self._due,
            idle_kb=self._idle_kb,
            streaming_kb=self._streaming_kb,
            problems=len(self._tally.problems),
        )

    async def _connect(self) -> None:
        host, path = f"127.0.0.1:{self._port}", await self._path()
        connecting = asyncio.get_running_loop().create_connection(
            lambda: Browser(self._tally, host, path), "127.0.0.1", self._port
        )
        self._browsers.append((await connecting)[1])


async def warmed(load: Load) -> Load:
    """The load after a few whole replies: what is made once is not a connection's memory."""
    await load.open(WARM)
    await load.say(spread_s=0)
    await load.rest()
    load.close()
    return load


async def _fixed() -> str:
    return "/"


def new_round(client: httpx2.AsyncClient) -> Path_:
    """Starts a round and gives the path of its socket."""

    async def path() -> str:
        response = await client.post("/api/rounds", json={"card": CARD})
        return f"/rounds/{response.raise_for_status().json()['id']}/live"

    return path


@asynccontextmanager
async def model() -> AsyncGenerator[str, None]:
    """The model server in this process; its URL."""
    loop = asyncio.get_running_loop()
    server = await loop.create_server(Model, "127.0.0.1", 0, backlog=2000)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


@asynccontextmanager
async def on_bare(upstream: str) -> AsyncGenerator[Load, None]:
    """A load on a bare relay of its own."""
    with bare(upstream) as (port, pid):
        yield await warmed(Load("bare relay", port, pid, _fixed))


@asynccontextmanager
async def on_viva(upstream: str) -> AsyncGenerator[Load, None]:
    """A load on a Viva of its own."""
    with viva(upstream) as (port, pid):
        async with httpx2.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=30) as client:
            yield await warmed(Load("Viva", port, pid, new_round(client)))


async def _measure(streams: int, utterances: int) -> tuple[Reading, Reading]:
    async with model() as upstream, on_bare(upstream) as plain, on_viva(upstream) as ours:
        await plain.open(streams)
        await ours.open(streams)
        for _ in range(utterances):
            for load in (plain, ours):
                await load.window()
                await load.rest()
        return plain.reading(), ours.reading()


def measure(streams: int, utterances: int = UTTERANCES) -> tuple[Reading, Reading]:
    """The bare relay and Viva at one load, in turns."""
    return uvloop.run(_measure(streams, utterances))


async def _holds(load: Load, streams: int, limit_ms: float) -> bool:
    """Whether so many new streams keep p99 under the limit, no token missing."""
    await load.open(streams)
    await load.window(window_s=1.2)
    reading = load.reading()
    load.close()
    return reading.p99_ms < limit_ms and reading.complete >= ENOUGH


async def _most_streams(limit_ms: float, first: int, tries: int) -> int:
    async with model() as upstream, on_viva(upstream) as load:
        held, failed = 0, None
        for _ in range(tries):
            streams = (held + failed) // 2 if failed else held * 2 or first
            if await _holds(load, streams, limit_ms):
                held = streams
            else:
                failed = streams
        return held


def most_streams(limit_ms: float = 20.0, first: int = 150, tries: int = 5) -> int:
    """The most streams found at which Viva's p99 stays under the limit, no token missing.

    Doubled from `first` until they are too many, then halved in between: 30 to 50 seconds.
    """
    return uvloop.run(_most_streams(limit_ms, first, tries))
