"""Recomputes what a story says of itself: "from 40 minutes to 10, a cut of 75 percent", "8 people
for 2 weeks, 80 days of work". Knows no card."""

import re
from collections.abc import Iterator, Sequence

from interviewer.quantities import Quantity, Unit
from interviewer.scoring.recompute.sums import StatedSum

_ABOUT = r"(?:(?:about|around|roughly|nearly|almost|over|only|just|some|um|uh) ){0,2}"
_FROM = re.compile(rf"\bfrom {_ABOUT}\Z", re.IGNORECASE)
_TO = re.compile(rf"[^.!?;:\d]{{0,45}}\bto {_ABOUT}\Z", re.IGNORECASE)
_AGAINST = re.compile(
    rf"\s*,?\s*(?:against|instead of|versus|vs\.?|rather than|compared (?:to|with)) {_ABOUT}\Z",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"[^.!?;:\d]{0,40}?(?:[,(=–—]|\b(?:so|is|makes)\b|that['’]s) ?"
    rf"(?:(?:so|or|and|that['’]s|that is|it is|which is|which makes|down|up|by) ){{0,3}}{_ABOUT}"
    r"(?:(?:an? )?(?P<named>cut|drop|fall|reduction|decrease|saving|decline|improvement|rise"
    rf"|increase|gain|growth|jump|factor) (?:of|by) )?(?:a )?{_ABOUT}\Z",
    re.IGNORECASE,
)
_COMPARED = re.compile(
    r"[ -]*(?:of (?:it|that|the time) )?(?:less|fewer|lower|shorter|slower|longer|higher|cheaper"
    r"|(?P<rate>faster|quicker|more)|down|up|off|saved|cut|drop|reduction|saving|increase|rise"
    r"|gain|fall)\b",
    re.IGNORECASE,
)
_TIMES = re.compile(
    r"[ -]*(?:fold|times (?:faster|quicker|less|fewer|lower|shorter|cheaper|more|higher|as|the))\b",
    re.IGNORECASE,
)
_POINTS = re.compile(r"[ -]*(?:percentage )?points?\b", re.IGNORECASE)
_RELATIVE = 0.06
"""How far a stated change may be off; each of its two values was rounded."""

_OF_PEOPLE = re.compile(
    r"(?:people|persons|engineers|developers|colleagues|clerks|agents|analysts|testers|nurses"
    r"|of us|interns|consultants)\b",
    re.IGNORECASE,
)
_FOR = re.compile(r"[^.!?;:\d]{0,40}?(?:\b(?:for|over|spent|took|worked)|[x×]) \Z", re.IGNORECASE)
_OF_WORK = re.compile(
    r"[ -]*(?:of (?:\w+ )?(?:work|effort|labou?r|engineering)|for nothing)\b", re.IGNORECASE
)
_WORKING_HOURS = {"h": 1.0, "days": 8.0, "weeks": 40.0, "months": 168.0}
"""Of one person: a day of 8 hours, a week of 5 days, a month of 21 days."""
_WORKING_TIME = 0.16
"""Relative: a day of 7 or 9 hours, and a month of 4 weeks, are no mistake."""


def stated_changes(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every change that is stated right after its "from A to B", and every "n people for a time"
    whose work is stated.
    """
    for first, second, result in zip(quantities, quantities[1:], quantities[2:], strict=False):
        between = text[first.end : second.start]
        beside = _BESIDE.match(text[second.end : result.start])
        if beside is None:
            continue
        if _TO.match(between) and (
            between == " to " or _FROM.search(text, max(0, first.start - 24), first.start)
        ):
            found = _change(text, first, second, result, beside["named"])
        elif result.unit is not None and _AGAINST.match(between):
            found = _change(text, second, first, result, beside["named"])
        elif _FOR.match(between):
            found = _effort(text, first, second, result)
        else:
            found = None
        if found is not None:
            yield found


def _change(
    text: str, before: Quantity, after: Quantity, change: Quantity, named: str | None
) -> StatedSum | None:
    """The change from one value to another, as a share, a factor or a difference."""
    unit = before.unit or after.unit
    if after.unit is not None and unit is not None and after.unit.dimension != unit.dimension:
        return None
    old, new = _base(before, unit), _base(after, unit)
    compared = _COMPARED.match(text, change.end)
    times = named == "factor" or _TIMES.match(text, change.end) is not None
    if old == new or not old or not new or not (named or compared or times):
        return None
    if change.unit is not None and change.unit.symbol == "%":
        rights = _percents(old, new, unit, rate=bool(compared and compared["rate"]))
    elif times or (change.dimension == "ratio" and not _is_share(unit)):
        rights = [max(old / new, new / old), max(old / new, new / old) - 1]
    elif _is_share(unit) and _POINTS.match(text, change.end):
        rights = [100 * abs(old - new)]
    elif change.dimension == (unit.dimension if unit else None):
        rights = [abs(old - new) / (change.unit.factor if change.unit else 1.0)]
    else:
        return None
    return _stated(change, rights, f"from {before.text} to {after.text}", _RELATIVE)


def _base(said: Quantity, unit: Unit | None) -> float:
    """The value in base units; "from 40 minutes to 10" says its unit once."""
    return said.base if said.unit or not unit else said.value * unit.factor


def _is_share(unit: Unit | None) -> bool:
    return unit is not None and unit.symbol == "%"


def _percents(old: float, new: float, unit: Unit | None, *, rate: bool) -> list[float]:
    """A change in percent: of the old value; of two shares also in points, and "faster" of a time
    also by how much more is done in the same time.
    """
    rights = [100 * abs(old - new) / old]
    if _is_share(unit):
        rights.append(100 * abs(old - new))
    if rate:
        rights.append(100 * (max(old / new, new / old) - 1))
    return rights


def _effort(text: str, people: Quantity, time: Quantity, effort: Quantity) -> StatedSum | None:
    """The work of some people in a time, in working hours, days, weeks or months."""
    noun = _OF_PEOPLE.search(text, people.start, people.end + 12)
    units = [quantity.unit.symbol if quantity.unit else "" for quantity in (time, effort)]
    if noun is None or not all(unit in _WORKING_HOURS for unit in units):
        return None
    if not _OF_WORK.match(text, effort.end):
        return None
    one, other = (_WORKING_HOURS[unit] for unit in units)
    right = people.value * time.value * one / other
    slack = _WORKING_TIME if one != other else _RELATIVE
    return _stated(effort, [right], text[people.start : time.end], slack)


def _stated(said: Quantity, rights: list[float], expression: str, slack: float) -> StatedSum:
    fits = any(abs(said.value - right) <= max(said.precision, slack * right) for right in rights)
    return StatedSum(said, rights[0], expression, fits)
