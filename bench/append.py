"""Durable appends: the store beside an in-line sqlite3 commit, alone and under fifty writers."""

import asyncio
import sqlite3
import tempfile
import time
from dataclasses import dataclass
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
ROWS, WRITERS = 2000, 50
EVENT = CandidateSpoke(client_id="bench", text="the floor is 14.6 ms a token because " * 24)


@dataclass(frozen=True)
class Reading:
    """Microseconds to a durable row, and rows a second."""

    what: str
    p50_us: float
    p99_us: float
    rows_s: float


def _reading(what: str, spans: list[float], wall: float) -> Reading:
    cuts = quantiles(spans, n=100)
    return Reading(what, cuts[49] * 1e6, cuts[98] * 1e6, len(spans) / wall)


def in_line(folder: Path, rows: int) -> Reading:
    """The floor: the same row, inserted and committed by the standard library in this thread."""
    raw = sqlite3.connect(folder / "floor.db", isolation_level=None)
    raw.execute("PRAGMA journal_mode=WAL").close()
    raw.execute("PRAGMA synchronous=FULL").close()
    columns = "round_id TEXT, seq INTEGER, at TEXT, type TEXT, version INTEGER, body TEXT"
    raw.execute(f"CREATE TABLE event ({columns}, PRIMARY KEY (round_id, seq))")
    body, spans, begun = EVENT.model_dump_json(), [], time.perf_counter()
    for seq in range(rows):
        at = time.perf_counter()
        raw.execute("BEGIN IMMEDIATE")
        row = ("r", seq, "2026-11-29T12:00:00.000000+00:00", "CandidateSpoke", 1, body)
        raw.execute("INSERT INTO event VALUES (?, ?, ?, ?, ?, ?)", row)
        raw.execute("COMMIT")
        spans.append(time.perf_counter() - at)
    return _reading("sqlite3 in line", spans, time.perf_counter() - begun)


async def _store(folder: Path, rows: int) -> list[Reading]:
    url = f"sqlite:///{folder}/viva.db"
    migrate(url)
    store = EventStore(url)
    spans: list[float] = []

    async def write(name: str, rows: int) -> None:
        await store.append(name, 1, STARTED)
        for seq in range(2, rows + 2):
            at = time.perf_counter()
            await store.append(name, seq, EVENT)
            spans.append(time.perf_counter() - at)

    begun = time.perf_counter()
    await write("alone", rows)
    alone = _reading("store, one writer", spans, time.perf_counter() - begun)
    spans.clear()
    begun = time.perf_counter()
    await asyncio.gather(*(write(f"w{k}", rows // 5) for k in range(WRITERS)))
    many = _reading(f"store, {WRITERS} writers", spans, time.perf_counter() - begun)
    store.close()
    return [alone, many]


def measure(rows: int = ROWS) -> list[Reading]:
    """The floor first, then the store, on the same disk."""
    with tempfile.TemporaryDirectory() as folder:
        return [in_line(Path(folder), rows), *uvloop.run(_store(Path(folder), rows))]
