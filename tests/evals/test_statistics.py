"""Intervals, tests and agreement equal values that were computed elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest

from evals.agreement import (
    Pair,
    Rate,
    agreement,
    corrected_rate,
    kappa_interval,
    weighted_kappa,
)
from evals.proportions import (
    clopper_pearson,
    holm,
    mcnemar_p,
    newcombe,
    pass_hat_k,
    trials_needed,
    wilson,
)
from tools import proportions as formulas

GOLDEN = Path(__file__).parents[1] / "golden"
RATES: dict[str, Any] = json.loads((GOLDEN / "proportions.json").read_text("utf-8"))
OTHER: dict[str, Any] = json.loads((GOLDEN / "agreement.json").read_text("utf-8"))
WITHIN = 1e-12


@pytest.mark.parametrize("row", RATES["wilson"], ids=str)
def test_wilson_equals_the_golden_value(row: dict[str, Any]) -> None:
    found = wilson(row["k"], row["n"], row["conf"])
    assert found == pytest.approx((row["lo"], row["hi"]), abs=WITHIN, rel=0)


@pytest.mark.parametrize("row", RATES["wilson"], ids=str)
def test_wilson_agrees_with_the_tools_own_formula(row: dict[str, Any]) -> None:
    found = wilson(row["k"], row["n"], row["conf"])
    assert found == pytest.approx(
        formulas.wilson(row["k"], row["n"], row["conf"]), abs=WITHIN, rel=0
    )


@pytest.mark.parametrize("row", RATES["newcombe_diff"], ids=str)
def test_newcombe_equals_the_golden_value(row: dict[str, Any]) -> None:
    arms = (row["k1"], row["n1"]), (row["k2"], row["n2"])
    assert newcombe(*arms, row["conf"]) == pytest.approx((row["lo"], row["hi"]), abs=WITHIN, rel=0)
    assert newcombe(*arms, row["conf"]) == pytest.approx(
        formulas.newcombe(*arms, row["conf"]), abs=WITHIN, rel=0
    )


@pytest.mark.parametrize("row", RATES["mcnemar"], ids=str)
def test_mcnemar_equals_the_golden_value(row: dict[str, Any]) -> None:
    found = mcnemar_p(row["b"], row["c"])
    assert found == pytest.approx(row["p_exact"], rel=WITHIN)
    assert found == pytest.approx(formulas.mcnemar_p(row["b"], row["c"]), rel=WITHIN)


@pytest.mark.parametrize("row", OTHER["pass_hat_k"], ids=str)
def test_pass_hat_k_equals_the_golden_value(row: dict[str, Any]) -> None:
    assert pass_hat_k([(row["c"], row["n"])], row["k"]) == pytest.approx(row["pass_hat_k"])


@pytest.mark.parametrize("row", OTHER["min_n_for_all_pass_lower_bound"], ids=str)
def test_the_cases_needed_equal_the_golden_value(row: dict[str, Any]) -> None:
    assert trials_needed(row["floor"], row["conf"]) == row["min_n_all_pass"]


@pytest.mark.parametrize(
    ("failures", "total", "bound"), [(0, 20, 0.168), (0, 60, 0.060), (0, 100, 0.036)]
)
def test_none_in_n_still_allows_some(failures: int, total: int, bound: float) -> None:
    assert clopper_pearson(failures, total).high == pytest.approx(bound, abs=0.0005)


def test_no_data_says_nothing() -> None:
    assert wilson(0, 0) == (0.0, 1.0)
    assert newcombe((0, 0), (1, 2)) == (-1.0, 1.0)
    assert pass_hat_k([], 2) is None
    assert weighted_kappa([], []) is None


@pytest.mark.parametrize(("passed", "total"), [(-1, 5), (6, 5), (1, 0), (1, -3)])
def test_counts_that_cannot_be_raise(passed: int, total: int) -> None:
    with pytest.raises(ValueError, match="0 <= passed <= total"):
        wilson(passed, total)


def test_holm_keeps_the_order_and_grows() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])


@pytest.mark.parametrize(
    "row", [r for r in OTHER["cohen_kappa"] if r["weights"] == "quadratic"], ids=lambda r: r["name"]
)
def test_weighted_kappa_equals_the_golden_value(row: dict[str, Any]) -> None:
    assert weighted_kappa(row["rater1"], row["rater2"]) == pytest.approx(row["kappa"])


def test_raters_who_never_vary_have_no_kappa() -> None:
    assert weighted_kappa([1, 1, 1], [1, 1, 1]) is None


def pairs(*levels: tuple[int, int], times: int = 10) -> list[Pair]:
    return [Pair(f"q{t}", expected, found) for t in range(times) for expected, found in levels]


def test_the_interval_of_kappa_holds_kappa_and_narrows_with_questions() -> None:
    mixed = [(1, 1), (2, 3), (3, 3), (4, 4), (4, 2)]
    jitter = [Pair(f"q{i % 8}", 1 + i % 4, 1 + (i * 3) % 4) for i in range(16)]
    few, many = (pairs(*mixed, times=n) + jitter for n in (6, 60))
    low, high = kappa_interval(few) or (9, 9)
    wide = high - low
    kappa = weighted_kappa([p.expected for p in few], [p.found for p in few]) or 9
    assert low <= kappa <= high
    low, high = kappa_interval(many) or (9, 9)
    assert high - low < wide


def test_answers_to_one_question_count_as_one_group() -> None:
    assert kappa_interval([Pair("q", 1, 1), Pair("q", 4, 4)]) is None


def test_sensitivity_and_specificity_speak_of_parts_that_are_there() -> None:
    found = agreement(pairs((4, 3), (3, 2), (1, 1), (2, 2)))
    assert (found.sensitivity.passed, found.sensitivity.total) == (10, 20)
    assert (found.specificity.passed, found.specificity.total) == (20, 20)
    assert found.matrix[3] == [0, 0, 10, 0]


def test_a_biased_rate_is_corrected_with_the_calibrations_uncertainty() -> None:
    """Worked value: 78 % seen of 200, sensitivity .90 and specificity .85 from 50 each."""
    found = corrected_rate(Rate.of(156, 200), Rate.of(45, 50), Rate.of(42, 49))
    assert found is not None
    rate, (low, high) = found
    assert rate == pytest.approx(0.841, abs=0.005)
    assert (high - low) / 2 == pytest.approx(0.12, abs=0.01)


def test_a_scorer_that_tells_nothing_apart_corrects_nothing() -> None:
    assert corrected_rate(Rate.of(5, 10), Rate.of(5, 10), Rate.of(5, 10)) is None
