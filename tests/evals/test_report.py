"""The page needs nothing else, escapes everything, and says the same as JSON and JUnit."""

import re
from datetime import UTC, datetime
from pathlib import Path
from xml.etree import ElementTree

from evals.agreement import Pair, Rate, agreement
from evals.comparison import Comparison, Flip, Paired
from evals.gates import rate_gate
from evals.report import plots
from evals.report.model import PartReport, Report
from evals.report.write import junit, page, write
from evals.results import CaseResult, Counts, RunRecord

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
HOSTILE = "</pre><script>alert(1)</script> {{ 7 * 7 }} \x1b[2J \u202e ]]> &"


def report() -> Report:
    run = RunRecord(
        subject="scorer", identity=f"rule/9 {HOSTILE}", started=AT, finished=AT, notices=("Look.",)
    )
    pairs = [Pair(f"q{n % 7}", 1 + n % 4, 1 + (n * 3) % 4) for n in range(28)]
    return Report(
        run=run,
        counts=Counts(scored=2, timeout=1),
        gates=(
            rate_gate("good", Rate.of(99, 100), 0.8),
            rate_gate("bad", Rate.of(1, 100), 0.8),
            rate_gate("unsure", Rate.of(8, 10), 0.8),
        ),
        rates={"some rate": Rate.of(3, 12)},
        parts=(PartReport(name="claim", found=agreement(pairs), raters=agreement(pairs)),),
        reliability={"2": 0.81},
        cases=(
            CaseResult(id="a", state="scored", passed={"claim": True}, shown={"claim": "3"}),
            CaseResult(
                id="b",
                state="scored",
                passed={"claim": False},
                shown={"claim": HOSTILE},
                detail=HOSTILE,
            ),
            CaseResult(id="c", state="timeout", reason=HOSTILE),
        ),
        comparison=Comparison(
            baseline="last.json",
            flips=(Flip(case="b", aspect="claim", before="4", now="1", better=False),),
            paired=(Paired(aspect="claim", both=1, only_before=1, only_now=0, neither=0, p=1.0),),
        ),
        about=("Rated by language models.",),
    )


def test_the_page_asks_nothing_of_the_network_and_runs_no_script() -> None:
    html = page(report())
    assert "<script" not in html
    assert re.findall(r"(?:https?:)?//[a-z]", html) == []
    assert re.findall(r'(?:src|href)="', html) == []


def test_hostile_text_is_shown_and_does_nothing() -> None:
    html = page(report())
    assert "&lt;script&gt;alert(1)" in html
    assert "{{ 7 * 7 }}" in html
    assert "\x1b" not in html
    assert "\u202e" not in html


def test_the_page_names_gates_flips_states_and_what_the_figures_rest_on() -> None:
    html = page(report())
    for words in (
        "A gate is failed",
        "[0.95, 1.00]",
        "Changed since last.json",
        "<td>b</td><td>claim</td><td>4</td><td>1</td>",
        "1 timeout",
        "3 of 12",
        "Rated by language models.",
        "Look.",
        "pass^k",
    ):
        assert words in html


def test_junit_fails_for_a_failed_gate_and_skips_what_has_no_score() -> None:
    suite = ElementTree.fromstring(junit(report()))
    assert (suite.get("tests"), suite.get("failures"), suite.get("skipped")) == ("6", "1", "2")
    failed = [case.get("name") for case in suite if case.find("failure") is not None]
    assert failed == ["bad"]


def test_the_three_files_say_the_same(tmp_path: Path) -> None:
    write(report(), tmp_path)
    assert sorted(f.name for f in tmp_path.iterdir()) == ["junit.xml", "report.html", "report.json"]
    again = Report.model_validate_json((tmp_path / "report.json").read_bytes())
    assert again == report()
    assert again.exit_status == 1


def test_an_interval_is_drawn_where_its_numbers_are() -> None:
    svg = plots.intervals([plots.Bar("x <y>", 0.5, 0.0, 1.0, floor=0.5)], "Title")
    root = ElementTree.fromstring(svg)
    line = next(e for e in root.iter() if e.get("class") == "interval")
    point = next(e for e in root.iter() if e.get("class") == "point")
    middle = (float(line.get("x1", "")) + float(line.get("x2", ""))) / 2
    assert abs(float(point.get("cx", "")) - middle) < 0.2
    assert root.get("aria-label") == "Title"


def test_a_confusion_matrix_shows_every_count() -> None:
    svg = plots.confusion([[5, 0], [2, 7]], ("1", "2"), "x")
    texts = [e.text for e in ElementTree.fromstring(svg).iter() if e.tag.endswith("text")]
    assert sorted(t or "" for t in texts) == ["0", "1", "1", "2", "2", "2", "5", "7"]


def test_a_report_without_anything_is_still_a_page() -> None:
    run = RunRecord(subject="tools", identity="x", started=AT, finished=AT)
    assert "Inconclusive" in page(Report(run=run, counts=Counts()))
