"""Fetches public job boards and Plank's file into the cache; one request at a time, no retries.

A board that fails keeps its older answer, and its reason is told.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date

import httpx2

from tools.market.boards import (
    LEVER_PAGE,
    MOST_RESPONSE,
    PLANK_URL,
    Address,
    read_board,
    slim,
)
from tools.market.census import slim as slim_census
from tools.result import ToolError
from web.market_cache import KeptBoard, KeptCensus, MarketCache

TIMEOUT_S = 30.0
MOST_PAGES = 50
PAUSE_S = 0.5
"""Between two requests: boards are public, not ours."""


class FetchError(Exception):
    """An answer could not be had; the message says why and what to do."""


@dataclass(frozen=True)
class Fetched:
    """One source after its request: what came of it, for a person to read."""

    name: str
    said: str
    failed: bool = False


def client() -> httpx2.Client:
    """A client that names itself and follows the boards' redirects."""
    headers = {"user-agent": "viva-market/1 (self-hosted; public job boards)"}
    return httpx2.Client(timeout=TIMEOUT_S, follow_redirects=True, headers=headers)


def fetch(
    http: httpx2.Client,
    addresses: Sequence[Address],
    cache: MarketCache,
    today: date,
    tell: Callable[[Fetched], None],
    pause: Callable[[float], None] = time.sleep,
) -> MarketCache:
    """The cache with what could be fetched; `tell` hears of every source."""
    for address in addresses:
        try:
            board = _board(http, address, today, pause)
        except (FetchError, ToolError) as error:
            tell(Fetched(address.company, _why(error), failed=True))
        else:
            cache = cache.with_board(board)
            count = len(read_board(address.ats, board.response).titles)
            tell(Fetched(address.company, f"{count:,} postings"))
        pause(PAUSE_S)
    return cache


def fetch_census(
    http: httpx2.Client, cache: MarketCache, today: date, tell: Callable[[Fetched], None]
) -> MarketCache:
    """The cache with Plank's file of today, or as it was."""
    try:
        census = KeptCensus(fetched=today, response=slim_census(_get(http, PLANK_URL)))
    except (FetchError, ToolError) as error:
        tell(Fetched("Plank", _why(error), failed=True))
        return cache
    tell(Fetched("Plank", "census read"))
    return cache.model_copy(update={"plank": census})


def _board(
    http: httpx2.Client, address: Address, today: date, pause: Callable[[float], None]
) -> KeptBoard:
    text = _pages(http, address, pause) if address.ats == "lever" else _get(http, address.url)
    return KeptBoard(
        company=address.company,
        ats=address.ats,
        slug=address.slug,
        fetched=today,
        response=slim(address.ats, text),
    )


def _pages(http: httpx2.Client, address: Address, pause: Callable[[float], None]) -> str:
    """All pages of a Lever board as one array: it answers 100 postings at a time."""
    parts = []
    for number in range(MOST_PAGES):
        skip = number * LEVER_PAGE
        text = _get(http, f"{address.url}&skip={skip}&limit={LEVER_PAGE}")
        found = len(read_board("lever", text).titles) + read_board("lever", text).untitled
        parts.append(slim("lever", text).strip()[1:-1])
        if found < LEVER_PAGE:
            return f"[{', '.join(part for part in parts if part)}]"
        pause(PAUSE_S)
    raise FetchError(f"more than {MOST_PAGES} pages; the board is not counted")


def _get(http: httpx2.Client, url: str) -> str:
    host = httpx2.URL(url).host
    try:
        with http.stream("GET", url) as answer:
            _check(answer, host)
            return _body(answer, host)
    except httpx2.TimeoutException:
        raise FetchError(f"{host} did not answer within {TIMEOUT_S:g} s; try again later") from None
    except httpx2.HTTPError as error:
        raise FetchError(
            f"{host} cannot be reached ({type(error).__name__}); is there a network?"
        ) from None


def _body(answer: httpx2.Response, host: str) -> str:
    body = bytearray()
    for part in answer.iter_bytes():
        body += part
        if len(body) > MOST_RESPONSE:
            raise FetchError(f"{host} sends more than {MOST_RESPONSE:,} bytes")
    return body.decode("utf-8", "replace")


def _check(answer: httpx2.Response, host: str) -> None:
    if answer.status_code == 429:
        after = answer.headers.get("retry-after", "")
        when = f"in {after} s" if after.isdigit() else "later"
        raise FetchError(f"{host} asks to slow down (429); try again {when}")
    if answer.status_code == 404:
        raise FetchError(f"{host} has no such board (404); it may have moved")
    if answer.status_code >= 400:
        raise FetchError(f"{host} answered {answer.status_code}; try again later")


def _why(error: Exception) -> str:
    return f"the answer {error.remedy}" if isinstance(error, ToolError) else str(error)
