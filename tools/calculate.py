"""`calculate`: plain arithmetic, so that a figure worked out aloud has a tool call behind it."""

import ast
import operator
import re
from collections.abc import Callable
from math import isfinite
from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

_OPERATIONS: dict[type[ast.operator], tuple[str, Callable[[float, float], float]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("x", operator.mul),
    ast.Div: ("/", operator.truediv),
}
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_TIMES = re.compile(r"×|(?<=[\d)\s])x(?=[\d(\s])")
_MINUS = re.compile("[\u2212\u2013]")


class CalculateArguments(Arguments):
    """Arguments of calculate."""

    expression: str = Field(
        min_length=1,
        max_length=200,
        description="Numbers with + - x / and brackets, e.g. 100 x (40 - 10) / 40",
    )


@tool(
    group="calculate",
    example={"expression": "1,800 x (14 - 5) / 60"},
    drawing=Drawing(
        kind="bars",
        title="Value after each operation",
        x="step",
        x_label="operation",
        y_label="value",
        series=(Series("result", "value"),),
    ),
)
def calculate(given: CalculateArguments) -> Working:
    """Value of a sum, difference, product or quotient, with brackets.

    Numbers carry no units: change minutes into hours in the expression itself. Thousands may have
    commas; x and × mean times.
    """
    text = _MINUS.sub("-", _TIMES.sub("*", _THOUSANDS.sub("", given.expression))).strip()
    try:
        tree = ast.parse(text, mode="eval")
    except (SyntaxError, ValueError) as error:
        raise _unread(given) from error
    work = Working(headline="result", source="arithmetic")
    value = _value(tree.body, given, work.table)
    work.put("result", value, "number", given.expression)
    work.formula = f"{given.expression} = {plain(value)}"
    return work


def _value(node: ast.expr, given: CalculateArguments, steps: list[dict[str, Any]]) -> float:
    """The value of a part; each operation is added to the steps."""
    match node:
        case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
            return _finite(float(number), given)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, given, steps)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            sign, operate = _OPERATIONS[type(op)]
            a, b = _value(left, given, steps), _value(right, given, steps)
            if sign == "/" and b == 0:
                raise ToolError("expression", given.expression, "divide by something else than 0")
            result = _finite(operate(a, b), given)
            steps.append({"step": f"{plain(a)} {sign} {plain(b)}", "result": result})
            return result
    raise _unread(given)


def _finite(value: float, given: CalculateArguments) -> float:
    if not isfinite(value):
        raise ToolError("expression", given.expression, "keep every number below 1e308")
    return value


def _unread(given: CalculateArguments) -> ToolError:
    return ToolError("expression", given.expression, "write numbers with + - x / and brackets only")
