"""Intervals and tests for rates agree with values evaluated to fifty digits."""

from typing import Any

import pytest

from tests.tools.golden import load
from tools.catalog import CATALOG
from tools.proportions import mcnemar_p, newcombe, wilson
from tools.result import ToolError

VALUES = load("proportions.json")
WITHIN = 1e-12


@pytest.mark.parametrize("row", VALUES["wilson"], ids=str)
def test_wilson_agrees_to_twelve_digits(row: dict[str, Any]) -> None:
    found = wilson(row["k"], row["n"], row["conf"])
    assert found == pytest.approx((row["lo"], row["hi"]), abs=WITHIN, rel=0)


@pytest.mark.parametrize("row", VALUES["newcombe_diff"], ids=str)
def test_newcombe_agrees_to_twelve_digits(row: dict[str, Any]) -> None:
    found = newcombe((row["k1"], row["n1"]), (row["k2"], row["n2"]), row["conf"])
    assert found == pytest.approx((row["lo"], row["hi"]), abs=WITHIN, rel=0)


@pytest.mark.parametrize("row", VALUES["mcnemar"], ids=str)
def test_mcnemar_agrees_to_twelve_digits(row: dict[str, Any]) -> None:
    assert mcnemar_p(row["b"], row["c"]) == pytest.approx(row["p_exact"], rel=WITHIN)


@pytest.mark.parametrize("row", VALUES["invalid_inputs"], ids=str)
def test_counts_that_cannot_be_are_refused(row: dict[str, int]) -> None:
    with pytest.raises(ToolError, match=r"successes|trials"):
        CATALOG["stats"].call({"successes": row["k"], "trials": row["n"]})


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [(8, 11, 43.4, 90.3), (6, 9, 35.4, 87.9), (3, 12, 8.9, 53.2)],
)
def test_the_tool_gives_both_bounds(successes: int, trials: int, low: float, high: float) -> None:
    found = CATALOG["stats"].call({"successes": successes, "trials": trials}).measures
    assert round(found["low"].value * 100, 1) == low
    assert round(found["high"].value * 100, 1) == high


def test_two_arms_give_the_difference_as_headline() -> None:
    arms = {"successes": 56, "trials": 70, "successes_b": 48, "trials_b": 80}
    result = CATALOG["stats"].call(arms)
    assert result.value == pytest.approx(0.2)
    assert result.measures["difference_low"].value == pytest.approx(0.05243147240236488)


def test_half_a_second_arm_is_refused() -> None:
    with pytest.raises(ToolError, match="trials_b"):
        CATALOG["stats"].call({"successes": 8, "trials": 11, "successes_b": 3})


def test_an_interval_that_holds_zero_is_said_to_show_no_difference() -> None:
    arms = {"successes": 8, "trials": 11, "successes_b": 6, "trials_b": 9}
    assert "do not show a difference" in CATALOG["stats"].call(arms).warnings[0]
