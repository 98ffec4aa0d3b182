"""Rates and changes of the pages equal the statistics oracle."""

import json
from itertools import product
from pathlib import Path

import pytest
from scipy.stats import fisher_exact

from interviewer.review.rates import Change, Rate, change

ORACLE = json.loads((Path(__file__).parents[2] / "golden" / "proportions.json").read_text("utf-8"))
TOLERANCE = ORACLE["suggested_abs_tolerance"]


@pytest.mark.parametrize(
    "case", [case for case in ORACLE["wilson"] if case["conf"] == 0.95], ids=str
)
def test_a_rates_interval_is_the_oracles(case: dict[str, float]) -> None:
    rate = Rate(int(case["k"]), int(case["n"]))
    assert rate.interval == pytest.approx((case["lo"], case["hi"]), abs=TOLERANCE)


@pytest.mark.parametrize(
    "case", [case for case in ORACLE["newcombe_diff"] if case["conf"] == 0.95], ids=str
)
def test_a_changes_interval_is_the_oracles(case: dict[str, float]) -> None:
    later, earlier = (Rate(int(case[f"k{arm}"]), int(case[f"n{arm}"])) for arm in (1, 2))
    found = Change(earlier, later)
    assert found.difference == pytest.approx(later.share - earlier.share)
    assert found.interval == pytest.approx((case["lo"], case["hi"]), abs=TOLERANCE)


def test_nothing_assessed_is_no_evidence() -> None:
    assert Rate(0, 0).interval == (0.0, 1.0)
    assert Rate(0, 0).words == "not assessed"
    assert change([]).interval == (-1.0, 1.0)
    assert change([3]).direction == "too few to tell"


def test_levels_of_three_and_more_are_solid() -> None:
    assert Rate.of([1, 2, 3, 4]) == Rate(2, 4)


def test_a_change_is_named_only_where_the_interval_leaves_no_doubt() -> None:
    assert change([1] * 6 + [4] * 6).direction == "better"
    assert change([4] * 6 + [1] * 6).direction == "worse"
    assert change([1, 4]).direction == "too few to tell"
    for earlier, later in product(range(4), repeat=2):
        levels = [4] * earlier + [1] * (3 - earlier) + [4] * later + [1] * (3 - later)
        low, high = change(levels).interval
        if low <= 0 <= high:
            assert change(levels).direction == "too few to tell"


@pytest.mark.parametrize("attempts", range(2, 7))
def test_what_the_exact_test_cannot_tell_is_not_told(attempts: int) -> None:
    half = attempts // 2
    table = [[0, half], [attempts - half, 0]]
    assert fisher_exact(table).pvalue > 0.05
    assert change([1] * half + [4] * (attempts - half)).direction == "too few to tell"


def test_a_change_says_both_counts_the_points_and_the_interval() -> None:
    words = change([1, 1, 3, 3]).words
    assert words.startswith("0 of 2 at first, 2 of 2 of late: +100 points (")
    assert words.endswith("too few to tell")
