"""CPU and delay of a relayed token: Viva with grounding on, beside the bare relay, in one run."""

import asyncio
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
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
TICKS = os.sysconf("SC_CLK_TCK")


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
    """Share of the tokens that were due in the window and were read in it."""
    idle_kb: float
    streaming_kb: float
    problems: int


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def cpu_s(pid: int) -> float:
    """User and system time of a process so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


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
        env = {k: v for k, v in os.environ.items() if not k.startswith("VIVA_")}
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


async def read(
    relay: str, port: int, pid: int, path: Path_, streams: int, utterances: int
) -> Reading:
    """Open `streams` browsers, let each say something, and read a window in mid-reply; repeat.

    Every stream is in the sentences before the question throughout the window, so that what is
    measured is the relay and not the choice of a follow-up or a score.
    """
    await _warm(port, path)
    tally = Tally()
    before_kb = rss_kb(pid)
    browsers = [await _browser(tally, port, await path()) for _ in range(streams)]
    idle_kb = (rss_kb(pid) - before_kb) / streams
    spent = wall = 0.0
    for _ in range(utterances):
        await _until(lambda: tally.ready >= streams)
        for browser in browsers:
            browser.say()
            await asyncio.sleep(SPREAD_S / streams)
        await asyncio.sleep(LEAD_S)
        tally.counting, cpu, at = True, cpu_s(pid), time.monotonic()
        await asyncio.sleep(WINDOW_S)
        tally.counting = False
        spent, wall = spent + cpu_s(pid) - cpu, wall + time.monotonic() - at
    cuts = quantiles(tally.ages or [float("inf")] * 2, n=100)
    count = max(1, STAMPED * len(tally.ages))
    complete = count / (streams * RATE * wall)
    streaming_kb = (rss_kb(pid) - before_kb) / streams
    for browser in browsers:
        browser.transport.close()
    return Reading(
        relay,
        streams,
        cpu_us=spent * 1e6 / count,
        p50_ms=cuts[49],
        p99_ms=cuts[98],
        core=spent / wall,
        complete=complete,
        idle_kb=idle_kb,
        streaming_kb=streaming_kb,
        problems=len(tally.problems),
    )


async def _warm(port: int, path: Path_) -> None:
    """A few whole replies first: what is made once is not a connection's memory."""
    tally = Tally()
    browsers = [await _browser(tally, port, await path()) for _ in range(WARM)]
    await _until(lambda: tally.ready >= WARM)
    for browser in browsers:
        browser.say()
    await _until(lambda: tally.ready >= WARM)
    for browser in browsers:
        browser.transport.close()


async def _browser(tally: Tally, port: int, path: str) -> Browser:
    loop = asyncio.get_running_loop()
    host = f"127.0.0.1:{port}"
    _, browser = await loop.create_connection(lambda: Browser(tally, host, path), "127.0.0.1", port)
    return browser


async def _until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(90):
        while not condition():
            await asyncio.sleep(0.01)


async def _fixed() -> str:
    return "/"


def new_round(client: httpx2.AsyncClient) -> Path_:
    """Starts a round and gives the path of its socket."""

    async def path() -> str:
        response = await client.post("/api/rounds", json={"card": CARD})
        return f"/rounds/{response.raise_for_status().json()['id']}/live"

    return path


async def _measure(streams: int, which: tuple[str, ...], utterances: int) -> list[Reading]:
    loop = asyncio.get_running_loop()
    model = await loop.create_server(Model, "127.0.0.1", 0, backlog=2000)
    upstream = f"http://127.0.0.1:{model.sockets[0].getsockname()[1]}"
    readings = []
    if "bare" in which:
        with bare(upstream) as (port, pid):
            readings.append(await read("bare relay", port, pid, _fixed, streams, utterances))
    if "viva" in which:
        with viva(upstream) as (port, pid):
            async with httpx2.AsyncClient(
                base_url=f"http://127.0.0.1:{port}", timeout=30
            ) as client:
                path = new_round(client)
                readings.append(await read("Viva", port, pid, path, streams, utterances))
    model.close()
    return readings


def measure(
    streams: int, which: tuple[str, ...] = ("bare", "viva"), utterances: int = UTTERANCES
) -> list[Reading]:
    """Both relays at one load, one after the other."""
    return uvloop.run(_measure(streams, which, utterances))


def most_streams(limit_ms: float = 20.0, steps: tuple[int, ...] = (200, 300, 400)) -> int:
    """The largest of `steps` at which Viva's p99 stays under the limit, no token missing."""
    best = 0
    for streams in steps:
        (reading,) = measure(streams, ("viva",))
        if reading.p99_ms >= limit_ms or reading.complete < 0.95:
            break
        best = streams
    return best
