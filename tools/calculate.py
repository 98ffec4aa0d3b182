"""`calculate`: plain arithmetic, so that a figure worked out aloud has a tool call behind it."""

import ast
import math
import operator
import re
from collections.abc import Callable
from typing import Any

from pydantic import Field

from tools.arguments import Arguments
from tools.figure import Drawing, Series
from tools.proportions import NORMAL
from tools.registry import tool
from tools.result import ToolError
from tools.working import Working, plain

_OPERATIONS: dict[type[ast.operator], tuple[str, Callable[..., float]]] = {
    ast.Add: ("+", operator.add),
    ast.Sub: ("-", operator.sub),
    ast.Mult: ("x", operator.mul),
    ast.Div: ("/", operator.truediv),
    ast.Pow: ("^", math.pow),
}
_FUNCTIONS: dict[str, Callable[[float], float]] = {
    "sqrt": math.sqrt,
    "exp": math.exp,
    "ln": math.log,
    "log2": math.log2,
    "log10": math.log10,
    "phi": NORMAL.cdf,
    "ceil": lambda value: math.ceil(_whole_or(value)),
    "floor": lambda value: math.floor(_whole_or(value)),
}
_CHOICES: dict[str, Callable[..., float]] = {"min": min, "max": max}
_ALLOWED = (
    "write numbers with + - x / ^ and brackets, or one of "
    f"{', '.join((*_FUNCTIONS, *_CHOICES))}; two numbers of min and max are parted by a comma "
    "and a space"
)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_TIMES = re.compile(r"×|(?<=[\d)\s])x(?=[\d(\s])")
_MINUS = re.compile("[\u2212\u2013]")


class CalculateArguments(Arguments):
    """Arguments of calculate."""

    expression: str = Field(
        min_length=1,
        max_length=200,
        description="Numbers with + - x / ^ and brackets, sqrt, exp, ln, log2, log10, ceil, floor, "
        "min, max, phi (the normal distribution); e.g. 100 x (1 - 0.999^500)",
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
    """Value of an expression with + - x / ^, brackets, roots, logarithms, rounding, min and max.

    Numbers carry no units: change minutes into hours in the expression itself. Thousands may have
    commas; x and × mean times; ceil and floor take what is whole but for the last bits as whole.
    """
    text = _MINUS.sub("-", _TIMES.sub("*", _THOUSANDS.sub("", given.expression))).strip()
    try:
        tree = ast.parse(text.replace("^", "**"), mode="eval")
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
            return _finite(lambda: float(number), given)
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_value(operand, given, steps)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATIONS:
            sign, operate = _OPERATIONS[type(op)]
            a, b = _value(left, given, steps), _value(right, given, steps)
            if sign == "/" and b == 0:
                raise ToolError("expression", given.expression, "divide by something else than 0")
            result = _finite(lambda: operate(a, b), given)
            steps.append({"step": f"{plain(a)} {sign} {plain(b)}", "result": result})
            return result
        case ast.Call(func=ast.Name(id=name), args=parts, keywords=[]):
            values = [_value(part, given, steps) for part in parts]
            operate = _function(name, len(values), given)
            result = _finite(lambda: operate(*values), given)
            steps.append({"step": f"{name}({', '.join(map(plain, values))})", "result": result})
            return result
    raise _unread(given)


def _function(name: str, count: int, given: CalculateArguments) -> Callable[..., float]:
    """The function of that name for that many numbers."""
    if name in _CHOICES and count > 1:
        return _CHOICES[name]
    if name in _FUNCTIONS and count == 1:
        return _FUNCTIONS[name]
    raise _unread(given)


def _whole_or(value: float) -> float:
    """The whole number that a value is but for rounding (3.0000000000000004), or the value."""
    return round(value) if math.isclose(value, round(value), rel_tol=1e-12) else value


def _finite(compute: Callable[[], float], given: CalculateArguments) -> float:
    """The value; a ToolError where there is none (a root of -1) or it is too large."""
    try:
        value = compute()
    except ValueError:
        remedy = "take roots of 0 or more, logarithms above 0, and whole powers of negative numbers"
        raise ToolError("expression", given.expression, remedy) from None
    except OverflowError:
        value = math.inf
    if not math.isfinite(value):
        raise ToolError("expression", given.expression, "keep every number below 1e308")
    return value


def _unread(given: CalculateArguments) -> ToolError:
    return ToolError("expression", given.expression, _ALLOWED)
