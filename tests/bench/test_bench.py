"""Every measurement runs from end to end at a tiny size. No test asserts a time."""

from bench import append, page, relay, review, scoring, simulators, startup


def test_the_append_bench_writes_in_line_alone_and_with_fifty_writers() -> None:
    assert [reading.what for reading in append.measure(rows=20)] == [
        "sqlite3 in line",
        "store, one writer",
        "store, 50 writers",
    ]


def test_the_page_bench_makes_the_same_html_both_ways() -> None:
    assert page.measure(rounds=2).kb > 10


def test_the_scoring_bench_scores_a_whole_answer_and_imports_nothing_heavy() -> None:
    reading = scoring.measure(rounds=25)
    assert reading.words >= 300
    assert "spacy" not in reading.heavy


def test_the_block_benches_hit_the_same_blocks() -> None:
    assert simulators.same_hits(simulators.measure_blocks(rounds=5))


def test_the_review_bench_asks_for_every_page_and_search() -> None:
    pages, searches = review.measure(rounds=60, turns=4, times=2)
    assert set(pages) == set(review.PAGES)
    assert set(searches) == set(review.SEARCHES)
    assert all(found.p50_ms > 0 for found in (*pages.values(), *searches.values()))


def test_the_startup_bench_reaches_the_first_page() -> None:
    assert startup.help_ms(times=1) > 0
    assert startup.first_page_ms(times=1) > 0


def test_both_relays_stream_every_token_to_every_browser() -> None:
    for reading in relay.measure(2, utterances=1):
        assert reading.problems == 0
        assert reading.complete > 0
