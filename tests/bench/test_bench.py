"""Every measurement runs from end to end at a tiny size. No test asserts a time."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import (
    append,
    archive,
    calculators,
    page,
    relay,
    review,
    rounds,
    scoring,
    simulators,
    startup,
)
from bench.__main__ import PARTS, main
from tools.catalog import CATALOG


@pytest.mark.parametrize("module", ["bench", "bench.simulators", "bench.vllm"])
def test_asking_for_help_measures_nothing(module: str) -> None:
    command = [sys.executable, "-m", module, "--help"]
    helped = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert helped.startswith(f"Usage: python -m {module} [OPTIONS]")
    assert "|" not in helped


def test_the_help_lists_every_benchmark() -> None:
    listed = CliRunner().invoke(main, ["--help"]).output.partition("Benchmarks:\n")[2]
    assert [line.split()[0] for line in listed.splitlines()] == list(PARTS)


def test_only_the_named_benchmark_is_measured() -> None:
    done = CliRunner().invoke(main, ["page"])
    rows = [line for line in done.output.splitlines() if line.startswith("| ")][2:]
    assert [row.split(" | ")[0] for row in rows] == ["| transcript of 40 turns"]
    assert done.exit_code == 0


def test_an_unknown_benchmark_is_refused_with_the_list() -> None:
    refused = CliRunner().invoke(main, ["page", "speed"])
    assert refused.exit_code == 2
    assert "'speed'" in refused.output
    assert all(f"'{name}'" in refused.output for name in PARTS)
    assert "|" not in refused.output


def test_the_append_bench_writes_in_line_alone_and_with_fifty_writers() -> None:
    assert [reading.what for reading in append.measure(rows=20)] == [
        "sqlite3 in line",
        "store, one writer",
        "store, 50 writers",
    ]


def test_the_page_bench_makes_the_same_html_both_ways() -> None:
    assert page.measure(rounds=2).kb > 10


def test_the_scoring_bench_scores_a_whole_answer_and_imports_nothing_heavy() -> None:
    rated, model = scoring.measure(rounds=25)
    assert 290 <= rated.words <= 310 <= model.words
    assert "spacy" not in rated.heavy


def test_the_block_benches_hit_the_same_blocks() -> None:
    assert simulators.same_hits(simulators.measure_blocks(rounds=5))


@pytest.fixture
def history(tmp_path: Path) -> str:
    return rounds.write(tmp_path / "viva.db", rounds=60, turns=4)


def test_the_review_bench_asks_for_every_page_and_search(history: str) -> None:
    pages, searches = review.measure(history, rounds=60, times=2)
    assert set(pages) == set(review.PAGES)
    assert set(searches) == set(review.SEARCHES)
    assert all(found.p50_ms > 0 for found in (*pages.values(), *searches.values()))


def test_the_archive_bench_takes_the_whole_history_out_and_in(history: str, tmp_path: Path) -> None:
    for reading in archive.measure(history, tmp_path):
        assert reading.seconds > 0
        assert reading.peak_mb > 1
    assert (tmp_path / "fresh.db").stat().st_size > 100_000


def test_the_calculators_bench_calls_every_tool_of_the_catalogue() -> None:
    found = calculators.measure(times=1)
    assert {reading.name for reading in found} == set(CATALOG)
    assert sum(reading.calls for reading in found) > 300
    assert {r.name for r in found if r.simulator} >= {"engine_sim", "queue_simulation"}


def test_the_startup_bench_reaches_the_first_page() -> None:
    assert startup.help_ms(times=1) > 0
    assert startup.first_page_ms(times=1) > 0


def test_both_relays_stream_every_token_to_every_browser() -> None:
    for reading in relay.measure(2, utterances=1):
        assert reading.problems == 0
        assert reading.complete > 0


def test_the_search_for_the_most_streams_ends() -> None:
    assert relay.most_streams(limit_ms=1e9, first=1, tries=2) in (0, 1, 2)
