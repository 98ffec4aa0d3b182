"""Pages that look back over 5,000 rounds of 40 turns: server time of each, and of the search."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from statistics import median, quantiles

from fastapi.testclient import TestClient

from bench.rounds import ROUNDS
from interviewer.reviews import AT_ONCE
from interviewer.settings import Settings
from web.app import create_app

PAGES = {
    "home": "/",
    "history": "/rounds",
    "history, last page": f"/rounds?page={ROUNDS // 25}",
    "progress": "/progress",
    "attempts": "/questions/INF-001/attempts",
    "weak questions": "/questions?weak=any",
}
SEARCHES = {
    "a common word": "/rounds?q=the",
    "two words": "/rounds?q=cache+weights",
    "a phrase": '/rounds?q="the+cache"',
    "a word with filters": "/rounds?q=cache&part=number&level=3&mode=typed",
}
TIMES = 20


@dataclass(frozen=True)
class Reading:
    """Milliseconds from the request to the whole page, in the server's own process; of CPU time
    the median, which other work on the machine lengthens less.
    """

    p50_ms: float
    p95_ms: float
    cpu_ms: float


def _timed(client: TestClient, path: str, times: int) -> Reading:
    spans, spent = [], []
    for _ in range(times):
        at, cpu = time.perf_counter(), time.process_time()
        answer = client.get(path)
        spans.append((time.perf_counter() - at) * 1e3)
        spent.append((time.process_time() - cpu) * 1e3)
        assert answer.status_code == 200
    cuts = quantiles(spans, n=20)
    return Reading(cuts[9], cuts[18], median(spent))


def measure(
    url: str, rounds: int = ROUNDS, times: int = TIMES
) -> tuple[Mapping[str, Reading], Mapping[str, Reading]]:
    """Each page and each search over a history of so many rounds, after one look that is not
    counted.
    """
    settings = Settings(database_url=url, hosts=("testserver",))
    with TestClient(create_app(settings), headers={"accept": "text/html"}) as client:
        # The schedule takes a history in by and by; it is not what is measured here.
        for _ in range(rounds // AT_ONCE + 1):
            client.get("/")
        read = [
            {name: _timed(client, path, times) for name, path in paths.items()}
            for paths in (PAGES, SEARCHES)
        ]
    return read[0], read[1]
