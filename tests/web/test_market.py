"""Fetching the boards into a dated cache, its page and its command; without any real network."""

import json
from collections.abc import Callable, Iterator
from datetime import date
from pathlib import Path
from typing import Any

import httpx2
import pytest
from click.testing import CliRunner

from interviewer.store import EventStore
from tests.tools.market.answers import ASHBY, GREENHOUSE, HTML, LEVER, PLANK
from tests.web.scored import App, application
from tools.market.boards import Address
from web.market_cache import MarketCache, UnreadableCache, read_cache, write_cache
from web.market_commands import market
from web.market_fetch import Fetched, fetch, fetch_census

TODAY = date(2026, 11, 29)
BOARDS = (
    Address("OpenAI", "ashby", "openai"),
    Address("Anthropic", "greenhouse", "anthropic"),
    Address("Palantir", "lever", "palantir"),
)
Answer = Callable[[httpx2.Request], httpx2.Response]


def fine(request: httpx2.Request) -> httpx2.Response:
    answers: dict[str, Any] = {
        "api.ashbyhq.com": ASHBY,
        "boards-api.greenhouse.io": GREENHOUSE,
        "api.lever.co": LEVER,
        "joinplank.com": {"jobs": PLANK},
    }
    return httpx2.Response(200, json=answers[request.url.host])


def fetched(
    answer: Answer,
    cache: MarketCache | None = None,
    boards: tuple[Address, ...] = BOARDS,
) -> tuple[MarketCache, list[Fetched]]:
    told: list[Fetched] = []
    with httpx2.Client(transport=httpx2.MockTransport(answer)) as http:
        kept = fetch(http, boards, cache or MarketCache(), TODAY, told.append, lambda _: None)
    return kept, told


def saying(**response: Any) -> Answer:
    return lambda request: httpx2.Response(**{"status_code": 200, **response})


def failure(answer: Answer) -> str:
    (told,) = fetched(answer, boards=BOARDS[:1])[1]
    assert told.failed
    return told.said


def test_every_board_is_kept_with_its_day() -> None:
    cache, told = fetched(fine)
    assert [(board.company, board.fetched) for board in cache.boards] == [
        ("OpenAI", TODAY),
        ("Anthropic", TODAY),
        ("Palantir", TODAY),
    ]
    assert [item.said for item in told] == ["4 postings", "3 postings", "3 postings"]


def test_only_what_counting_needs_is_kept() -> None:
    cache, _ = fetched(fine)
    assert "descriptionHtml" not in cache.model_dump_json()
    assert json.loads(cache.boards[1].response)["meta"] == {"total": 3}


def test_all_pages_of_a_lever_board_are_read() -> None:
    def paged(request: httpx2.Request) -> httpx2.Response:
        skip, limit = (int(request.url.params[name]) for name in ("skip", "limit"))
        return httpx2.Response(200, json=[{"text": f"Job {n}"} for n in range(skip, 230)][:limit])

    cache, told = fetched(paged, boards=BOARDS[2:])
    assert told[0].said == "230 postings"
    assert len(json.loads(cache.boards[0].response)) == 230


def test_a_board_that_fails_keeps_its_older_answer() -> None:
    older, _ = fetched(fine)
    older = MarketCache(
        boards=tuple(b.model_copy(update={"fetched": date(2026, 10, 7)}) for b in older.boards)
    )
    cache, told = fetched(saying(status_code=503), older)
    assert cache == older
    assert all(item.failed for item in told)
    assert cache.oldest == date(2026, 10, 7)


def test_without_a_network_it_says_so() -> None:
    def refuse(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ConnectError("no route to host", request=request)

    assert "cannot be reached" in failure(refuse)
    assert "is there a network?" in failure(refuse)


def test_a_slow_board_is_given_up() -> None:
    def slow(request: httpx2.Request) -> httpx2.Response:
        raise httpx2.ReadTimeout("too slow", request=request)

    assert "did not answer within 30 s" in failure(slow)


def test_too_many_requests_says_when_to_come_back() -> None:
    assert "try again in 120 s" in failure(saying(status_code=429, headers={"retry-after": "120"}))
    assert "try again later" in failure(saying(status_code=429))


def test_a_board_that_is_gone_is_named() -> None:
    assert "no such board" in failure(saying(status_code=404))


def test_a_web_page_instead_of_json_is_named() -> None:
    assert "is a web page" in failure(saying(text=HTML))


def test_half_an_answer_is_not_kept() -> None:
    text = json.dumps(ASHBY)
    assert "only part of the answer" in failure(saying(text=text[:200]))


def test_half_a_board_is_not_kept() -> None:
    part = {**GREENHOUSE, "meta": {"total": 639}}
    _, (told,) = fetched(saying(json=part), boards=BOARDS[1:2])
    assert "only part of the board" in told.said


def test_an_endless_answer_is_cut_off() -> None:
    assert "sends more than" in failure(saying(content=b"x" * 16_000_001))


def test_planks_census_is_kept_slim() -> None:
    told: list[Fetched] = []
    with httpx2.Client(transport=httpx2.MockTransport(fine)) as http:
        cache = fetch_census(http, MarketCache(), TODAY, told.append)
    assert cache.plank is not None
    assert len(json.loads(cache.plank.response)) == len(PLANK)
    assert "title" not in cache.plank.response


def test_the_cache_is_what_was_written(tmp_path: Path) -> None:
    cache, _ = fetched(fine)
    write_cache(tmp_path / "market.json", cache)
    assert read_cache(tmp_path / "market.json") == cache
    assert [path.name for path in tmp_path.iterdir()] == ["market.json"]


def test_there_is_no_cache_before_the_first_fetch(tmp_path: Path) -> None:
    assert read_cache(tmp_path / "market.json") is None


@pytest.mark.parametrize("text", ["", "{", "[]", '{"boards": [1]}', '{"version": 1, "x": 2}'])
def test_a_broken_cache_says_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "market.json"
    path.write_text(text)
    with pytest.raises(UnreadableCache, match="remove it and fetch again"):
        read_cache(path)


def test_the_command_counts_the_cache_by_company(tmp_path: Path) -> None:
    path = tmp_path / "market.json"
    write_cache(path, fetched(fine)[0])
    done = CliRunner().invoke(market, ["show", "--cache", str(path)])
    assert done.exit_code == 0
    assert "OpenAI" in done.output
    assert "2026-11-29" in done.output


def test_the_command_falls_back_to_the_dated_counts(tmp_path: Path) -> None:
    done = CliRunner().invoke(market, ["show", "--cache", str(tmp_path / "none.json"), "--json"])
    assert json.loads(done.output)["fde_postings"]["value"] == 211


@pytest.mark.parametrize(
    ("flags", "said"),
    [
        (["--company", "Acme"], "known: OpenAI"),
        (["--board", "Acme:workday:acme"], "COMPANY:ATS:SLUG"),
        (["--board", "Acme:lever:../../etc"], "COMPANY:ATS:SLUG"),
    ],
)
def test_a_board_that_is_not_known_is_a_usage_error(
    flags: list[str], said: str, tmp_path: Path
) -> None:
    done = CliRunner().invoke(market, ["fetch", "--cache", str(tmp_path / "m.json"), *flags])
    assert done.exit_code == 2
    assert said in done.output


@pytest.fixture
def app(store: EventStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[App]:
    monkeypatch.chdir(tmp_path)
    with application(store) as made:
        yield made


def test_the_page_says_that_an_index_is_one(app: App) -> None:
    text = app.client.get("/market").text
    assert text.count("<strong>an index</strong>") == 2
    assert "January 2025 = 100" in text


def test_the_page_shows_the_day_of_the_cache(app: App, tmp_path: Path) -> None:
    assert "The counts that come with Viva" in app.client.get("/market").text
    write_cache(tmp_path / "viva-market.json", fetched(fine)[0])
    assert '<time datetime="2026-11-29">' in app.client.get("/market").text


def test_the_page_stands_with_a_broken_cache(app: App, tmp_path: Path) -> None:
    (tmp_path / "viva-market.json").write_text("{")
    answer = app.client.get("/market")
    assert answer.status_code == 200
    assert "remove it and fetch again" in answer.text


def test_the_facts_are_there_as_json_and_csv(app: App) -> None:
    facts = app.client.get("/market.json").json()["facts"]
    assert len(facts) == app.client.get("/market.csv").text.count("\n") - 1


def test_a_cached_answer_that_no_longer_counts_gives_way_to_the_dated_one(
    app: App, tmp_path: Path
) -> None:
    boards = tuple(board.model_copy(update={"response": "{}"}) for board in fetched(fine)[0].boards)
    write_cache(tmp_path / "viva-market.json", MarketCache(boards=boards))
    assert "The counts that come with Viva" in app.client.get("/market").text
