"""Recomputes arithmetic that is stated aloud: "70 over 4.8 is 14.6". Knows no card."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import isfinite, log10

from interviewer.quantities import Quantity

_HEDGE = (
    r"(?:(?:um|uh|about|around|roughly|nearly|almost|approximately|only|just|some|like|maybe|or|so"
    r"|basically|in all|together|a total of|a|an|over|more than|well over|that|i mean)\b|[≈~])"
)
RESULT = (
    r"(?:[=≈→]|\b(?:that|it|this|which)(?:['’]s| is| are| makes| gives| means| leaves| comes to)"
    r"|\b(?:is|are|makes?|gives|equals|means|meant|leaves|so)\b|\bcomes (?:out )?(?:to|at)\b)"
    rf"(?:\s*{_HEDGE})*"
)
"""The words between a calculation and what it comes to, "which is about"; it has no anchors, and
white space may follow.
"""
_OPERATORS = {
    "x": "*",
    "×": "*",
    "*": "*",
    "·": "*",
    "times": "*",
    "multiplied by": "*",
    "/": "/",
    "÷": "/",
    "over": "/",
    "divided by": "/",
    "+": "+",
    "plus": "+",
    "-": "-",
    "–": "-",
    "−": "-",
    "minus": "-",
}
_EQUALS = re.compile(
    r"\s*(?:=|,? ?(?:so )?that(?:['’]?s| is| makes| gives)|is|makes|gives|equals|comes to|which is"
    r"|so (?:a|an|the|one|each|every) [a-z]+ (?:is|takes|holds|costs))"
    r"\s*(?:um |uh )?(?:about|around|roughly|nearly|approximately|≈|~|only|just|or|a)?\s*\Z",
    re.IGNORECASE,
)
_SO = re.compile(r",? so (?:about |around |roughly )?\Z", re.IGNORECASE)
"""After a product only: after 'a over b, so' comes what follows from it."""
# An operand before the first that was not read, or a function: the chain is not the whole sum.
_INCOMPLETE = re.compile(
    r"(?:[x×*·/÷+–−(^]|\b(?:times|over|by|plus|minus|squared|root|sqrt|power|log|the|per)|of"
    r"|\d and)\s*\Z",
    re.IGNORECASE,
)
# Units that people change without saying so: thousands always; minutes, hours and percent where the
# result has no unit of its own to hold it to.
_THOUSANDS = [1000.0**power for power in range(-6, 7)]
_SPANS = (60.0, 1 / 60, 3600.0, 1 / 3600, 86400.0, 1 / 86400)
_TIME = re.compile(r"\b(?:ms|milli\w+|seconds?|minutes?|hours?|days?|months?|years?)\b|\bh\b")
_RUN_TOGETHER = re.compile(r"ty (?:\w+ )?\w+ hundred", re.IGNORECASE)
"""'Four times eighty three hundred twenty' is 4 x 80 = 320: where a number ends is not heard."""
_PLAIN = (None, "count", "tokens", "ratio", "parameters")
_WORDS = 40
_BILLED = (24.0, 720.0, 8760.0, 720 * 3600.0, 8760 * 3600.0)
"""Hours of a day, a month, a year, and seconds: '$4 an hour, so three thousand a month'."""
CONTINUES = re.compile(
    r"[ \t]*(?:[x×*·/÷+^]|[-–−] ?[0-9]|(?:times|over|divided|plus|minus|to the|squared|e)\b"
    r"|,? (?:and|but) (?:it|that) should\b)",
    re.IGNORECASE,
)
_IN_ONE = re.compile(r"\s+(?:in|for|of|per)\s+", re.IGNORECASE)
_ASTRAY = 100.0
"""A sum of bare numbers that is further off than this adds up something else."""
_LEAST, _MOST = 1e-30, 1e30
_SAME_DIGITS = 0.012
"""Of a logarithm: three percent."""
TOLERANCE = 0.10
"""Relative: how far a stated result may be off before it is wrong."""


@dataclass(frozen=True, slots=True)
class StatedSum:
    """A calculation and what was stated for it; `value` is the right result in the stated unit."""

    result: Quantity
    value: float
    expression: str
    right: bool
    operands: tuple[Quantity, ...] = ()
    operators: tuple[str, ...] = ()
    source: str = "the candidate's own figures"

    def corrected(self, right_bases: Mapping[int, float]) -> float | None:
        """The stated result if operands (by their start) had these values; None if none has."""
        bases = [operand.base for operand in self.operands]
        right = [right_bases.get(operand.start, operand.base) for operand in self.operands]
        if not self.right or right == bases:
            return None
        stated = _evaluate(bases, self.operators, divisor_runs_on=False)
        fixed = _evaluate(right, self.operators, divisor_runs_on=False)
        return self.result.value * fixed / stated if stated and fixed else None


def stated_sums(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every product, quotient, sum or difference whose result is stated right after it."""
    at = 0
    while at < len(quantities) - 2:
        operands, operators, end = _chain(text, quantities, at)
        if operators and end < len(quantities):
            found = _sum(text, operands, operators, quantities[end])
            if found is not None:
                yield found
        at = end if operators else at + 1


def _chain(
    text: str, quantities: Sequence[Quantity], at: int
) -> tuple[list[Quantity], list[str], int]:
    """The operands from a quantity on, the operators between them, and the next index."""
    operands, operators, end = [_first(text, quantities, at)], list[str](), at + 1
    while end < len(quantities):
        between = text[quantities[end - 1].end : quantities[end].start].lower()
        said = between.strip()
        operator = _OPERATORS.get(said)
        if operator == "-" and between != said.join("  ") and said != "minus":
            operator = None  # "5-15" is a range
        if said == "of" and is_percent(operands[-1]) and not operators:
            operator = "*"
        if operator is None:
            break
        operands.append(quantities[end])
        operators.append(operator)
        end += 1
    return operands, operators, end


def _first(text: str, quantities: Sequence[Quantity], at: int) -> Quantity:
    """What a chain begins with: "so many tokens in one request times" means the tokens."""
    one, before = quantities[at], quantities[at - 1] if at else None
    of_one = before and one.value == 1 and _IN_ONE.fullmatch(text, before.end, one.start)
    return before if before and of_one else one


def is_percent(quantity: Quantity) -> bool:
    """Whether a number is said in percent."""
    return quantity.unit is not None and quantity.unit.symbol == "%"


def _sum(
    text: str, operands: list[Quantity], operators: list[str], result: Quantity
) -> StatedSum | None:
    first, last = operands[0], operands[-1]
    if not _is_stated(text, operands, operators, result):
        return None
    expression, factor = text[first.start : last.end], result.base / result.value
    allowed = max(TOLERANCE, result.precision / result.value)
    computed = list(_evaluations(operands, operators))
    if not computed or min(computed) <= 0:
        return None
    parts = tuple(operands), tuple(operators)
    if _keeps_unit(operands, operators, result):
        right = _distance(computed[0], result.base) <= allowed
        return StatedSum(result, computed[0] / factor, expression, right, *parts)
    if result.dimension == "ratio" and operators == ["/"]:
        computed += [value - 1 for value in computed if value > 1]  # 4 over 3 is 33 percent more
    words = text[max(0, first.start - _WORDS) : result.end + _WORDS]
    for value, unsaid in product(computed, _unsaid(operands, result, words)):
        stated = (result.base, result.value)
        if min(_distance(value * unsaid, said) for said in stated) <= allowed:
            return StatedSum(result, result.value, expression, True, *parts)
    if _is_astray(computed[0], operators, result) or _is_too_small(operands, operators, result):
        return None
    plain = _evaluate([q.value for q in operands], operators, divisor_runs_on=False) or 0.0
    lost = [
        v for v in (plain, computed[0] / factor) if v > 0 and _is_power_of_ten(v / result.value)
    ]
    rights = lost or [computed[0] * thousands / factor for thousands in _THOUSANDS]
    nearest = min(rights, key=lambda value: _apart(value, result.value))
    return StatedSum(result, nearest, expression, right=False)


def _is_power_of_ten(ratio: float) -> bool:
    """Whether the digits are right as they stand: "3,500 minutes times 160 words", 56,000 a day."""
    return abs(log10(ratio) - round(log10(ratio))) < _SAME_DIGITS


def _is_stated(
    text: str, operands: Sequence[Quantity], operators: Sequence[str], result: Quantity
) -> bool:
    """Whether a number is said to be what a whole chain comes to, with nothing done to it yet."""
    first, last = operands[0], operands[-1]
    between = text[last.end : result.start]
    follows = set(operators) == {"*"} and _SO.match(between)
    if not follows and not _EQUALS.match(between):
        return False
    if is_cut_off(text, first) or _is_another_kind(operands, operators, result):
        return False
    if first.value == 1 and operators[0] == "*":
        return False  # "so many tokens in one request times": the factor stands before
    if any(_RUN_TOGETHER.search(operand.text) for operand in operands):
        return False
    return not CONTINUES.match(text[result.end : result.end + 18])


def _unsaid(operands: Sequence[Quantity], result: Quantity, words: str) -> Iterator[float]:
    """The factors of units that may have been changed without a word."""
    kinds = [quantity.dimension or "" for quantity in (*operands, result)]
    bare = result.unit is None
    yield from _THOUSANDS
    if bare or "ratio" in kinds:
        yield from (100.0, 0.01)
    if any("time" in kind for kind in kinds) or (bare and _TIME.search(words)):
        yield from (thousands * spans for thousands, spans in product(_THOUSANDS, _SPANS))
    if any(kind.startswith("usd") for kind in kinds):
        yield from _BILLED


def _is_astray(computed: float, operators: Sequence[str], result: Quantity) -> bool:
    """True for a sum of bare numbers that is not what the result in its unit is about."""
    added = {"+", "-"}.issuperset(operators) and result.unit is not None
    return added and min(_apart(computed, s) for s in (result.base, result.value)) > _ASTRAY


def _is_too_small(operands: Sequence[Quantity], operators: Sequence[str], result: Quantity) -> bool:
    """True for 'six times twenty, that's seventeen': no product, but the next thing said."""
    bare = result.unit is None and set(operators) == {"*"}
    whole = all(q.base >= 1 and q.value == int(q.value) for q in operands)
    return bare and whole and result.value < max(q.value for q in operands)


def is_step(ratio: float, steps: Sequence[float], within: float) -> bool:
    """Whether a ratio is one of these steps, up or down, but for a relative error."""
    return any(abs(ratio * step**sign - 1) <= within for step in steps for sign in (1, -1))


def is_sound(said: Quantity) -> bool:
    """Whether it can be reckoned with: '0' and '1e400' are off by no factor."""
    return _LEAST < said.base < _MOST and _LEAST < said.value < _MOST


def is_cut_off(text: str, first: Quantity) -> bool:
    """True where an operand before the first was not read."""
    return _INCOMPLETE.search(text[max(0, first.start - 12) : first.start]) is not None


def _is_another_kind(
    operands: Sequence[Quantity], operators: Sequence[str], result: Quantity
) -> bool:
    """True for '70 + 54 GB = 25.8 ms': a sum of sizes is no time, so a step was left out.

    And for '4 MB a token over 50 GB/s is 11 ms', the time of all the tokens, and for '141 over
    34 ms is 86 percent' of something.
    """
    if result.dimension == "time" and operands[0].dimension in ("bytes/tokens", "bytes/count"):
        return True
    if result.dimension == "ratio" and operators == ["/"]:
        return [operand.dimension in _PLAIN for operand in operands].count(True) == 1
    if not {"+", "-"}.issuperset(operators) or result.unit is None:
        return False
    kinds = {operand.unit.dimension for operand in operands if operand.unit}
    return bool(kinds) and result.unit.dimension not in kinds


def _keeps_unit(operands: list[Quantity], operators: list[str], result: Quantity) -> bool:
    """True for a product of one measured operand whose unit the result has: no slack for units."""
    if result.unit is None or set(operators) != {"*"}:
        return False
    kinds = [operand.unit.dimension.split("/")[0] for operand in operands if operand.unit]
    result_kind = result.unit.dimension.split("/")[0]
    measured = [kind for kind in kinds if kind not in ("count", "tokens", "ratio")]
    return measured == [result_kind] and "/time" not in result.unit.dimension


def _distance(right: float, said: float) -> float:
    return abs(said - right) / right


def _apart(a: float, b: float) -> float:
    return max(a / b, b / a)


def _evaluations(operands: list[Quantity], operators: list[str]) -> Iterator[float]:
    """The chain in base units and as stated, and with 'over a x b' as one divisor."""
    for values in ([q.base for q in operands], [q.value for q in operands]):
        for divisor_runs_on in (False, True):
            value = _evaluate(values, operators, divisor_runs_on)
            if value is not None and isfinite(value):
                yield value
        if operators[-1] == "/" and {"+", "-"} & {*operators} and values[-1]:  # 'a plus b, over c'
            value = _evaluate(values[:-1], operators[:-1], divisor_runs_on=False)
            if value is not None and isfinite(value):
                yield value / values[-1]
        if operators[0] == "/" and "/" not in operators[1:]:  # 'a over b plus c'
            below = _evaluate(values[1:], operators[1:], divisor_runs_on=False)
            if below:
                yield values[0] / below


def _evaluate(
    values: Sequence[float], operators: Sequence[str], divisor_runs_on: bool
) -> float | None:
    terms, signs, dividing = [values[0]], [1.0], False
    for operator, value in zip(operators, values[1:], strict=True):
        if operator in "+-":
            terms.append(value)
            signs.append(1.0 if operator == "+" else -1.0)
            dividing = False
            continue
        dividing = operator == "/" or (dividing and divisor_runs_on)
        if dividing and value == 0:
            return None
        terms[-1] = terms[-1] / value if dividing else terms[-1] * value
    return sum(sign * term for sign, term in zip(signs, terms, strict=True))
