"""Each tool gives the value that an independent source gives."""

from typing import Any

import pytest

from tests.tools.golden import FOLDER, load
from tools.catalog import CATALOG

FILES = sorted(path.name for path in FOLDER.glob("tool_calls*.json"))
ROWS = [row for name in FILES for row in load(name)["rows"]]


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_a_call_yields_what_an_independent_source_says(row: dict[str, Any]) -> None:
    result = CATALOG[row["tool"]].call(row["arguments"])
    found = result.measures[row["measure"]].value * row["scale"]
    assert found == pytest.approx(row["expected"], rel=row["rel_tol"] or 1e-12)


def test_every_tool_of_the_catalogue_has_golden_rows_but_the_interval_ones() -> None:
    assert set(CATALOG) - {row["tool"] for row in ROWS} == {"stats", "mcnemar"}
