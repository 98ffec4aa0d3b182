"""Serves the dated facts of the job market, and the boards' counts where they were fetched."""

import csv
import io
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from fastapi import APIRouter, Request
from starlette.responses import HTMLResponse, JSONResponse, Response

from tools.catalog import CATALOG
from tools.market.facts import KINDS, Fact, Topic, facts
from tools.result import Result, ToolError
from web.dependencies import RunningViva
from web.market_cache import MarketCache, UnreadableCache, read_cache
from web.rendering import page

router = APIRouter(include_in_schema=False)
TOPICS: dict[Topic, str] = {
    "postings": "Postings",
    "pay": "Pay",
    "work": "The work",
    "interviews": "Interviews",
    "capital": "Capital",
}


@router.get("/market", name="market")
def show(request: Request, viva: RunningViva) -> HTMLResponse:
    """Every figure with what was counted, when, by whom; the newest counts of the boards."""
    cache, unreadable = _cached(viva.settings.market_cache)
    counted = _counts(cache)
    return page(
        request,
        "market.html",
        topics=tuple((TOPICS[topic], _of(topic)) for topic in TOPICS),
        kinds=KINDS,
        source=facts().source,
        boards=counted,
        pay=_pay(cache),
        cache=cache,
        fetched="boards" in counted.inputs,
        unreadable=unreadable,
    )


@router.get("/market.json", name="market_json")
def as_json() -> Response:
    """All facts as JSON."""
    return JSONResponse(facts().model_dump(mode="json"))


@router.get("/market.csv", name="market_csv")
def as_csv() -> Response:
    """All facts as CSV."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    columns = tuple(Fact.model_fields)
    writer.writerow(columns)
    writer.writerows(tuple(getattr(fact, name) for name in columns) for fact in facts().facts)
    headers = {"content-disposition": 'attachment; filename="market.csv"'}
    return Response(text.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


def _of(topic: Topic) -> Sequence[Fact]:
    return tuple(fact for fact in facts().facts if fact.topic == topic)


def _cached(path: Path) -> tuple[MarketCache | None, str]:
    try:
        return read_cache(path), ""
    except UnreadableCache as error:
        return None, str(error)


def _counts(cache: MarketCache | None) -> Result:
    """Of the cache, where it holds boards that can still be counted."""
    return _first(
        "fde_postings",
        {"boards": [board.argument for board in cache.boards]} if cache and cache.boards else None,
        {"snapshot": "2026-10-07"},
    )


def _pay(cache: MarketCache | None) -> Result:
    return _first(
        "plank_median",
        cache.plank.argument if cache and cache.plank else None,
        {"snapshot": "2026-09-12"},
    )


def _first(name: str, cached: Mapping[str, object] | None, dated: Mapping[str, object]) -> Result:
    if cached is not None:
        # A cache from an older Viva, or one that was edited, must not take the page with it.
        with suppress(ToolError):
            return CATALOG[name].call(cached)
    return CATALOG[name].call(dated)
