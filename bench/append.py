"""Durable appends: the store beside an in-line sqlite3 commit, alone and under fifty writers."""

import asyncio
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles

import uvloop

from interviewer.events import CandidateSpoke, RoundStarted
from interviewer.migrations import migrate
from interviewer.store import EventStore

STARTED = RoundStarted(
    card="INF-001",
    card_hash="h",
    title="t",
    question="q",
    kind="technical",
    rubric="technical",
    limit_s=180,
    interviewer="card",
)
ROWS, BLOCK, WRITERS = 2000, 20, 50
EVENT = CandidateSpoke(client_id="bench", text="the floor is 14.6 ms a token because " * 24)


@dataclass(frozen=True)
class Reading:
    """Microseconds to a durable row, CPU of one in the whole process, and rows a second."""

    what: str
    p50_us: float
    p99_us: float
    cpu_us: float
    rows_s: float


@dataclass
class Spans:
    """Seconds of each append; `wall` and `cpu` of all of them."""

    each: list[float] = field(default_factory=list)
    wall: float = 0
    cpu: float = 0

    @contextmanager
    def timed(self) -> Iterator[None]:
        """Add what the block takes."""
        at, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall += time.perf_counter() - at
        self.cpu += time.process_time() - cpu

    def reading(self, what: str) -> Reading:
        """What they come to."""
        cuts, count = quantiles(self.each, n=100), len(self.each)
        cpu_us = self.cpu / count * 1e6
        return Reading(what, cuts[49] * 1e6, cuts[98] * 1e6, cpu_us, count / self.wall)


def _floor(folder: Path) -> sqlite3.Connection:
    raw = sqlite3.connect(folder / "floor.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL").close()
    raw.execute("PRAGMA synchronous=FULL").close()
    columns = "round_id TEXT, seq INTEGER, at TEXT, type TEXT, version INTEGER, body TEXT"
    raw.execute(f"CREATE TABLE event ({columns}, PRIMARY KEY (round_id, seq))")
    return raw


def _in_line(raw: sqlite3.Connection, body: str, places: range, spans: Spans) -> None:
    """The floor: the same row, inserted and committed by the standard library in this thread."""
    with spans.timed():
        for seq in places:
            at = time.perf_counter()
            raw.execute("BEGIN IMMEDIATE")
            row = ("r", seq, "2026-11-29T12:00:00.000000+00:00", "CandidateSpoke", 1, body)
            raw.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", row)
            raw.execute("COMMIT")
            spans.each.append(time.perf_counter() - at)


async def _appended(store: EventStore, name: str, places: range, spans: Spans) -> None:
    for seq in places:
        at = time.perf_counter()
        await store.append(name, seq, EVENT)
        spans.each.append(time.perf_counter() - at)


async def _in_turn(folder: Path, store: EventStore, rows: int) -> list[Reading]:
    """Blocks of each in turn, so that the machine's other work falls on both alike."""
    raw, body = _floor(folder), EVENT.model_dump_json()
    floor, alone = Spans(), Spans()
    await store.append("alone", 1, STARTED)
    for begin in range(2, rows + 2, BLOCK):
        places = range(begin, min(begin + BLOCK, rows + 2))
        _in_line(raw, body, places, floor)
        with alone.timed():
            await _appended(store, "alone", places, alone)
    raw.close()
    return [floor.reading("sqlite3 in line"), alone.reading("store, one writer")]


async def _at_once(store: EventStore, rows: int) -> Reading:
    many = Spans()
    for k in range(WRITERS):
        await store.append(f"w{k}", 1, STARTED)
    with many.timed():
        places = range(2, rows // 5 + 2)
        await asyncio.gather(*(_appended(store, f"w{k}", places, many) for k in range(WRITERS)))
    return many.reading(f"store, {WRITERS} writers")


async def _all(folder: Path, rows: int) -> list[Reading]:
    url = f"sqlite:///{folder}/viva.db"
    migrate(url)
    store = EventStore(url)
    readings = [*await _in_turn(folder, store, rows), await _at_once(store, rows)]
    store.close()
    return readings


def measure(rows: int = ROWS) -> list[Reading]:
    """The floor, the store beside it, and the store under fifty writers, on the same disk."""
    with tempfile.TemporaryDirectory() as folder:
        return uvloop.run(_all(Path(folder), rows))
