"""Median pay in Plank's census: midpoints, groups, and files that are not such a census."""

import json

import pytest

from tests.tools.market.answers import HTML, PLANK
from tools.catalog import CATALOG
from tools.market.snapshots import plank
from tools.result import Result, ToolError


def median(answer: object, **arguments: object) -> Result:
    text = answer if isinstance(answer, str) else json.dumps(answer)
    given = {"response": text, "fetched": "2026-10-07", **arguments}
    return CATALOG["plank_median"].call(given)


def test_the_median_is_over_the_midpoints_of_postings_with_pay() -> None:
    # Midpoints by hand: 250, 200, 125, 150 thousand.
    result = median(PLANK)
    assert result.value == 175_000
    assert result.measures["paid"].value == 4
    assert result.measures["postings"].value == 6


def test_the_file_may_hold_its_postings_under_jobs() -> None:
    assert median({"jobs": PLANK}).value == median(PLANK).value


def test_groups_are_ordered_by_their_median() -> None:
    table = median(PLANK).table
    assert [row["group"] for row in table] == ["frontier labs", "not stated", "seed"]
    assert table[0]["median_usd"] == 225_000


def test_a_region_leaves_the_others_out() -> None:
    assert median(PLANK, region="Europe").value == 200_000


def test_an_unknown_region_names_the_known_ones() -> None:
    with pytest.raises(ToolError, match="Europe, United States"):
        median(PLANK, region="Mars")


def test_small_groups_are_said_to_be_small() -> None:
    assert any("fewer than 5" in line for line in median(PLANK).warnings)


@pytest.mark.parametrize(
    "salary", [["100k", "200k"], [200e3], [300e3, 100e3], [-1, 5], 150_000, [True, 2], [0, 0]]
)
def test_pay_that_is_no_range_is_left_out_and_said(salary: object) -> None:
    result = median([*PLANK, {"segment": "seed", "salary": salary}])
    assert result.value == 175_000
    assert any("left out" in line for line in result.warnings)


def test_a_file_without_pay_has_no_median() -> None:
    with pytest.raises(ToolError, match="none of them states pay"):
        median([{"segment": "seed", "salary": None}])


@pytest.mark.parametrize("answer", [HTML, "[{", {"error": "gone"}, [1], "", [], "null"])
def test_what_is_no_census_is_refused(answer: object) -> None:
    with pytest.raises(ToolError):
        median(answer)


def test_a_response_needs_its_day() -> None:
    with pytest.raises(ToolError, match="fetched"):
        CATALOG["plank_median"].call({"response": json.dumps(PLANK)})


def test_the_snapshot_states_the_segments_that_the_source_states() -> None:
    table = CATALOG["plank_median"].call({"snapshot": "2026-09-12"}).table
    assert [(row["postings_with_pay"], row["median_usd"]) for row in table] == [
        (16, 242_500),
        (30, 150_000),
    ]


def test_every_snapshot_of_the_data_file_can_be_asked_for() -> None:
    asked = CATALOG["plank_median"].schema()["properties"]["snapshot"]
    assert [asked["const"]] == [day.isoformat() for day in plank().snapshots]


def test_the_snapshot_has_no_regions() -> None:
    with pytest.raises(ToolError, match="no regions"):
        CATALOG["plank_median"].call({"snapshot": "2026-09-12", "region": "Europe"})
