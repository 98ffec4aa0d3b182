"""Finding rounds by filter and by words, the same in both databases."""

from collections.abc import AsyncIterator, Callable, Iterator
from datetime import date, timedelta

import pytest
from sqlmodel import Session, col, select

from interviewer.migrations import migrate
from interviewer.store import EventStore, Found, LastLevel, Tally, Wanted
from interviewer.store.read_models import rebuild
from interviewer.store.search import query_of, rounds_with
from interviewer.store.tables import RoundRow
from tests.browser.hostile import HOSTILE
from tests.interviewer.logs import AT, asked, ended, marked, said, scored, started, whole
from tests.interviewer.opened import opened
from tests.postgres import another, cluster

LOGS = {
    "roofline": whole("The floor is 14.6 ms, because 70 GB of weights are read."),
    "paging": whole("Paged attention cuts the KV-cache into blocks.", card="INF-002"),
    "spoken": (started(), asked("What is said?"), said("Measured aloud.", spoken=True)),
    "drill": (started("INF-002", part="number"), asked(), said("320 KiB"), ended(), scored(3, 4)),
    "judged": (*whole("To be, or not to be."), scored(4, 4, 4, 4, scorer="judge/m", overall=4)),
    "noted": (*whole("Nothing much."), marked(2, "mention speculative decoding")),
    "odd": (*whole("<b>bold</b> naïve \x00 100 % 'quoted' AND (or) * ^ NEAR"),),
}


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def empty(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Callable[[], str]]:
    """Makes an empty database."""
    if request.param == "sqlite":
        yield lambda: migrated(f"sqlite:///{tmp_path_factory.mktemp('history')}/viva.db")
        return
    with cluster() as url:
        yield lambda: migrated(another(url))


def migrated(url: str) -> str:
    migrate(url)
    return url


@pytest.fixture(scope="module")
def url(empty: Callable[[], str]) -> str:
    """The database of all tests that only read."""
    return empty()


@pytest.fixture
async def store(url: str) -> AsyncIterator[EventStore]:
    """Holds the rounds of LOGS, a day apart, the last one newest."""
    store = EventStore(url)
    if not await store.rounds(limit=1):
        for day, (name, log) in enumerate(LOGS.items()):
            await store.append(name, 1, *log, at=AT + timedelta(days=day))
    yield store
    store.close()


def names(found: Found) -> list[str]:
    return [match.round.id for match in found.matches]


async def test_all_rounds_come_newest_first_in_pages(store: EventStore) -> None:
    first = await store.find(Wanted(), limit=4)
    rest = await store.find(Wanted(), limit=4, offset=4)
    assert first.total == rest.total == len(LOGS)
    assert names(first) + names(rest) == list(reversed(LOGS))


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        (Wanted(cards=frozenset({"INF-002"})), ["drill", "paging"]),
        (Wanted(cards=frozenset()), []),
        (Wanted(mode="spoken"), ["spoken"]),
        (Wanted(mode="drill"), ["drill"]),
        (Wanted(mode="typed"), ["odd", "noted", "judged", "paging", "roofline"]),
        (Wanted(marked=True), ["noted"]),
        (Wanted(level=4), ["judged"]),
        (Wanted(part="number", level=4), ["judged", "drill"]),
        (Wanted(part="number", level=4, scorer="rule/5"), ["drill"]),
        (Wanted(scorer="judge/m"), ["judged"]),
        (Wanted(part="nextstep"), ["judged"]),
        (Wanted(since="2026-12-04"), ["odd", "noted"]),
        (Wanted(until="2026-11-30"), ["paging", "roofline"]),
        (Wanted(since="2026-11-30", until="2026-11-30"), ["paging"]),
    ],
    ids=str,
)
async def test_each_filter_lets_through_what_fits(
    store: EventStore, wanted: Wanted, expected: list[str]
) -> None:
    assert names(await store.find(wanted, limit=50)) == expected


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("weights", ["roofline"]),
        ("weight", ["roofline"]),
        ("WEIGHTS floor", ["roofline"]),
        ("weights blocks", []),
        ("14.6", ["roofline"]),
        ('"paged attention"', ["paging"]),
        ('"attention paged"', []),
        ("kv-cache", ["paging"]),
        ('"to be"', ["judged"]),
        ("speculative", ["noted"]),
        ("measuring", ["spoken"]),
        ("***", []),
        ('"', []),
    ],
)
async def test_words_are_found_by_their_stems_and_phrases_in_their_order(
    store: EventStore, words: str, expected: list[str]
) -> None:
    assert names(await store.find(Wanted(words=words), limit=50)) == expected


async def test_a_hit_names_its_turn_and_marks_its_words(store: EventStore) -> None:
    (match,) = (await store.find(Wanted(words="weights floor"), limit=1)).matches
    (hit,) = match.hits
    assert hit.turn == 2
    assert {piece.text for piece in hit.pieces if piece.found} == {"floor", "weights"}
    assert "14.6 ms" in "".join(piece.text for piece in hit.pieces)


async def test_words_and_filters_hold_together(store: EventStore) -> None:
    wanted = Wanted(words="fast", cards=frozenset({"INF-002"}), mode="drill")
    assert names(await store.find(wanted, limit=50)) == ["drill"]


@pytest.mark.parametrize(
    "words", [*HOSTILE.values(), "a\x00b", "NOT", "a AND", "rowid:", "(((", "%"]
)
async def test_hostile_words_are_words_and_nothing_else(store: EventStore, words: str) -> None:
    found = await store.find(Wanted(words=words[:200]), limit=50)
    assert found.total <= len(LOGS)


@pytest.mark.parametrize("at_once", [1, 2, 250])
@pytest.mark.parametrize("enough", [1, 3, 100])
async def test_a_search_stops_only_after_enough_rounds_and_says_so(
    store: EventStore, url: str, at_once: int, enough: int
) -> None:
    with opened(url) as connection, Session(connection) as session:
        numbers = list(session.exec(select(RoundRow.no).order_by(col(RoundRow.no).desc())))
        for words in ("why", "fast", '"paged attention"', "nobody-said-this"):
            query = query_of(session, words)
            every, more = rounds_with(session, query, numbers, len(numbers), len(numbers))
            assert not more
            found, more = rounds_with(session, query, numbers, enough, at_once)
            assert found == every[: len(found)]
            assert len(found) == len(every) or (more and len(found) >= enough)


async def test_scorers_and_tries_are_counted(store: EventStore) -> None:
    assert await store.scorers() == ["judge/m", "rule/5"]
    assert await store.tries() == {"INF-001": 5, "INF-002": 2}


async def test_levels_are_counted_by_card_and_day_for_one_scorer_and_rubric(
    store: EventStore,
) -> None:
    by_card, by_day = await store.tallies("rule/5", "r1", drills=False)
    claims = [
        (tally.key, tally.assessed, tally.solid) for tally in by_card if tally.part == "claim"
    ]
    assert claims == [("INF-001", 4, 4), ("INF-002", 1, 1)]
    numbers = [tally for tally in by_day if tally.part == "number"]
    assert [(tally.key, tally.assessed, tally.solid) for tally in numbers[:2]] == [
        ("2026-11-29", 1, 0),
        ("2026-11-30", 1, 0),
    ]
    with_drills, _ = await store.tallies("rule/5", "r1", drills=True)
    assert Tally("number", "INF-002", assessed=2, solid=1) in with_drills
    assert await store.tallies("rule/5", "another", drills=True) == ([], [])


async def test_scorers_are_listed_with_their_rubrics_and_rounds(store: EventStore) -> None:
    known = await store.identities()
    assert {(one.scorer, one.rubric_hash, one.rounds) for one in known} == {
        ("rule/5", "r1", 6),
        ("judge/m", "r1", 1),
    }
    assert known[0].last_day == date(2026, 12, 5)


async def test_the_newest_level_of_each_part_of_each_card(store: EventStore) -> None:
    last = await store.last_levels()
    assert LastLevel("INF-001", "tradeoff", 1, "rule/5") in last
    assert LastLevel("INF-002", "number", 4, "rule/5") in last
    assert len({(one.card, one.part) for one in last}) == len(last)


async def test_attempts_at_a_card_are_its_whole_rounds_the_oldest_first(store: EventStore) -> None:
    graded = await store.attempts("INF-001")
    assert list(dict.fromkeys(one.round_id for one in graded)) == [
        "roofline",
        "judged",
        "noted",
        "odd",
    ]
    assert {one.scorer for one in graded if one.round_id == "judged"} == {"rule/5", "judge/m"}
    assert "drill" not in {one.round_id for one in await store.attempts("INF-002")}


async def test_a_replay_of_the_log_finds_the_same(store: EventStore, url: str) -> None:
    wanted = [Wanted(), Wanted(words="weights"), Wanted(marked=True), Wanted(level=4)]
    before = [await store.find(one, limit=50) for one in wanted]
    counted = await store.tallies("rule/5", "r1", drills=True)
    with opened(url) as connection:
        rebuild(connection)
    assert [await store.find(one, limit=50) for one in wanted] == before
    assert await store.tallies("rule/5", "r1", drills=True) == counted


async def test_names_of_any_length_are_recorded(empty: Callable[[], str]) -> None:
    """And stay apart, however late they begin to differ."""
    store = EventStore(empty())
    for end in ("a", "b"):
        odd = scored(3, scorer="judge/" + "ß" * 5000 + end, rubric_hash="r" * 5000)
        begun = started("C" * 5000)
        await store.append(f"long-{end}", 1, begun, odd)
    found = await store.find(Wanted(), limit=3)
    assert [match.round.scored for match in found.matches] == [True, True]
    assert len([name for name in await store.scorers() if name.startswith("judge/ß")]) == 2
    store.close()
