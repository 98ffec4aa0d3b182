"""Arithmetic with brackets, powers and a few functions; anything else is refused by name."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tools.test_properties import few
from tools.catalog import CATALOG
from tools.result import ToolError

CALCULATE = CATALOG["calculate"]


def value(expression: str) -> float:
    return CALCULATE.call({"expression": expression}).value


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("14 - 5", 9),
        ("1,800 x 9 / 60", 270),
        ("100 × (40 − 10) / 40", 75),
        ("-3 + 2 * 4", 5),
        ("3,200,000 / 100 / 3,600", 8.888888888888889),
        ("2x14", 28),
        ("7", 7),
        ("1 + 2^3 x 2", 17),
        ("2^-2", 0.25),
        ("8 x 8,192 ** 2", 536_870_912),
        ("100 x (1 - 0.9999^500)", 4.877295372841917),
        ("sqrt(16) + log2(1,024) + log10(1,000)", 17),
        ("ln(exp(1.75))", 1.75),
        ("ceil(2,100 / 16)", 132),
        ("floor(1,000 / 16)", 62),
        ("ceil(0.1 x 3 / 0.1)", 3),
        ("floor(0.3 / 0.1)", 3),
        ("max(1, 200) - min(40, 30, 50)", 170),
    ],
)
def test_an_expression_has_its_value(expression: str, expected: float) -> None:
    assert value(expression) == pytest.approx(expected, rel=1e-12)


def test_each_operation_is_a_step() -> None:
    steps = CALCULATE.call({"expression": "1,800 x (14 - 5) / 60 + ceil(2.5)"}).table
    assert [(row["step"], row["result"]) for row in steps] == [
        ("14 - 5", 9),
        ("1,800 x 9", 16_200),
        ("16,200 / 60", 270),
        ("ceil(2.5)", 3),
        ("270 + 3", 273),
    ]


@pytest.mark.parametrize(
    "expression",
    [
        "2 // 3",
        "abs(3)",
        "ceil",
        "ceil(1, 2)",
        "ceil(*(1, 2))",
        "min(3)",
        "max(1,200)",
        "max(1, 2, key=3)",
        "(1).real(2)",
        "x",
        "1 if 2 else 3",
        "True",
        "'a' * 9",
        "3 +",
        "(" * 120,
    ],
)
def test_what_is_no_such_arithmetic_is_refused(expression: str) -> None:
    with pytest.raises(ToolError, match=r"write numbers with \+ - x / \^ and brackets, or one of"):
        value(expression)


@pytest.mark.parametrize(
    "expression",
    ["1e999", "1e400 - 1e400", "1e308 x 10 - 1e308 x 10", "9^9^9", "10^400", "exp(1,000)"],
)
def test_a_number_beyond_reach_is_refused(expression: str) -> None:
    with pytest.raises(ToolError, match="keep every number below 1e308"):
        value(expression)


@pytest.mark.parametrize("expression", ["sqrt(-1)", "ln(0)", "log2(-8)", "(-8)^0.5", "0^-1"])
def test_what_has_no_value_is_told(expression: str) -> None:
    with pytest.raises(ToolError, match="take roots of 0 or more, logarithms above 0"):
        value(expression)


def test_a_division_by_zero_is_told() -> None:
    with pytest.raises(ToolError, match="divide by something else than 0"):
        value("3 / (2 - 2)")


@few
@given(st.integers(0, 10**6), st.integers(1, 10**4))
def test_floor_and_ceil_are_those_of_whole_numbers(a: int, b: int) -> None:
    assert value(f"floor({a} / {b})") == a // b
    assert value(f"ceil({a} / {b})") == -(-a // b)


@few
@given(st.floats(0.01, 100), st.floats(-20, 20))
def test_a_power_undoes_the_logarithm(base: float, exponent: float) -> None:
    written = f"ln({base:.6f} ^ ({exponent:.6f}))"
    expected = float(f"{exponent:.6f}") * math.log(float(f"{base:.6f}"))
    assert value(written) == pytest.approx(expected, rel=1e-9, abs=1e-9)
