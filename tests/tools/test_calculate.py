"""Plain arithmetic with brackets; anything else is refused by name."""

import pytest

from tools.catalog import CATALOG
from tools.result import ToolError

CALCULATE = CATALOG["calculate"]


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("14 - 5", 9),
        ("1,800 x 9 / 60", 270),
        ("100 × (40 − 10) / 40", 75),
        ("-3 + 2 * 4", 5),
        ("3,200,000 / 100 / 3,600", 8.888888888888889),
        ("2x14", 28),
        ("7", 7),
    ],
)
def test_an_expression_has_its_value(expression: str, value: float) -> None:
    assert CALCULATE.call({"expression": expression}).value == pytest.approx(value, rel=1e-12)


def test_each_operation_is_a_step() -> None:
    steps = CALCULATE.call({"expression": "1,800 x (14 - 5) / 60"}).table
    assert [(row["step"], row["result"]) for row in steps] == [
        ("14 - 5", 9),
        ("1,800 x 9", 16_200),
        ("16,200 / 60", 270),
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "2 ** 9",
        "2 // 3",
        "abs(3)",
        "x",
        "1 if 2 else 3",
        "True",
        "'a' * 9",
        "3 +",
        "(" * 120,
        "1e999",
        "1e400 - 1e400",
        "1e308 x 10 - 1e308 x 10",
    ],
)
def test_what_is_no_plain_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ToolError):
        CALCULATE.call({"expression": expression})


def test_a_division_by_zero_is_told() -> None:
    with pytest.raises(ToolError, match="divide by something else than 0"):
        CALCULATE.call({"expression": "3 / (2 - 2)"})
