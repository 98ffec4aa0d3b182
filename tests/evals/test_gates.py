"""Gates have three outcomes, and comparison is paired."""

from pathlib import Path

import pytest

from evals.agreement import Rate
from evals.comparison import BadBaseline, compare, compare_with
from evals.gates import never_gate, rate_gate, verdict, with_unscored
from evals.results import CaseResult


@pytest.mark.parametrize(
    ("passed", "total", "floor", "outcome"),
    [
        (95, 100, 0.80, "pass"),
        (60, 100, 0.80, "fail"),
        (85, 100, 0.80, "inconclusive"),
        (15, 15, 0.80, "inconclusive"),
        (16, 16, 0.80, "pass"),
        (0, 0, 0.80, "inconclusive"),
    ],
)
def test_the_interval_decides(passed: int, total: int, floor: float, outcome: str) -> None:
    assert rate_gate("x", Rate.of(passed, total), floor).outcome == outcome


def test_a_gate_says_how_many_cases_it_needs() -> None:
    assert "n >= 73" in rate_gate("x", Rate.of(20, 20), 0.95).note


@pytest.mark.parametrize(
    ("failures", "total", "outcome"), [(0, 60, "inconclusive"), (0, 80, "pass"), (12, 80, "fail")]
)
def test_what_must_not_happen_is_held_by_the_exact_interval(
    failures: int, total: int, outcome: str
) -> None:
    assert never_gate("x", failures, total, 0.05).outcome == outcome


def test_no_gate_passes_where_too_much_has_no_score() -> None:
    gates = [rate_gate("x", Rate.of(99, 100), 0.8), rate_gate("y", Rate.of(1, 100), 0.8)]
    assert [g.outcome for g in with_unscored(gates, 5, 100)] == ["pass", "fail"]
    assert [g.outcome for g in with_unscored(gates, 6, 100)] == ["inconclusive", "fail"]


def test_the_worst_outcome_is_the_verdict() -> None:
    passed, failed = rate_gate("x", Rate.of(99, 100), 0.8), rate_gate("y", Rate.of(1, 100), 0.8)
    unsure = rate_gate("z", Rate.of(8, 10), 0.8)
    assert verdict([passed]) == "pass"
    assert verdict([passed, unsure]) == "inconclusive"
    assert verdict([passed, unsure, failed]) == "fail"
    assert verdict([]) == "inconclusive"


def case(name: str, ok: bool, shown: str) -> CaseResult:
    return CaseResult(id=name, state="scored", passed={"claim": ok}, shown={"claim": shown})


def test_a_case_that_flips_is_named_with_before_and_after() -> None:
    before = [case("a", True, "3"), case("b", True, "4"), case("gone", True, "1")]
    now = [case("a", False, "1"), case("b", True, "4"), case("new", True, "2")]
    found = compare(now, before, "last week")
    (flip,) = found.flips
    assert (flip.case, flip.aspect, flip.before, flip.now, flip.better) == (
        "a",
        "claim",
        "3",
        "1",
        False,
    )
    assert (found.added, found.gone) == (("new",), ("gone",))
    assert found.paired[0].note == "too few changed cases to tell"


def test_the_paired_test_is_exact() -> None:
    before = [case(f"c{n}", n < 25, "x") for n in range(50)]
    now = [case(f"c{n}", n >= 25 and n < 35, "y") for n in range(50)]
    table = compare(now, before, "x").paired[0]
    assert (table.only_before, table.only_now) == (25, 10)
    assert table.p == pytest.approx(0.016673847800120715)


def test_a_baseline_without_a_case_in_common_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadBaseline, match="none of these cases"):
        compare([case("a", True, "1")], [case("b", True, "1")], "x.json")
    with pytest.raises(BadBaseline, match="no report"):
        compare_with(tmp_path / "gone.json", [case("a", True, "1")])
