"""Unit words and figures that recognisers lose, restored where the card leaves no doubt.

'320 KV bytes per token' on a card that has 320 KiB per token can be nothing else, nor can
'a 8 milliseconds' on one that has 88 ms.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import chain

from interviewer.grounding.facts import ComputedFact, compute_facts
from interviewer.heard import Frozen
from interviewer.quantities import Quantity, Unit, find_quantities
from interviewer.quantities.words import DIGITS
from questions.model import QuestionCard

_BINARY = {"KiB": "k", "MiB": "m", "GiB": "g", "TiB": "t"}
_DECIMAL = re.compile(r"(?:kilo|mega|giga|tera)[ -]?b(?:y|i)tes?\b|[kmgt]b\b(?!/s)", re.IGNORECASE)
# 'KV bytes', 'KBB', 'kibby bites', 'gibi bytes', 'kb bytes', 'kilovites': what is written for a
# binary unit.
_GARBLED = re.compile(
    r"\b[kmgt][ieh]?[bv]+[iey]{0,2}(?:[ -]?b(?:y|i)tes?|b)\b"
    r"|\b(?:kilo|mega|giga|tera)[ -]?v[yi]te?s?\b",
    re.IGNORECASE,
)
_SECOND = re.compile(r"(?P<per>\s*(?:per|a|/)\s*)(?P<unit>2nds?|sec\.?|secant)\b", re.IGNORECASE)
_SECOND_SAID = re.compile(r"\bsecond[^.?!]*\Z", re.IGNORECASE)
_TOKENS = re.compile(r"tokens?\Z", re.IGNORECASE)
_FIGURE_WORDS = {"for": "4", "to": "2", "too": "2", "won": "1", "ate": "8"}
_DIGIT_WORDS = {word: str(value) for word, value in DIGITS.items() if value}
_DIGIT = rf"(?P<digit>\d|{'|'.join(_DIGIT_WORDS)})"
# 'for a point 8 terabytes': four point eight. 'a 8 milliseconds': eighty-eight.
_BEFORE_POINT = re.compile(
    rf"\b(?P<figure>{'|'.join(_FIGURE_WORDS)})(?: a)? point {_DIGIT}(?P<more>\d*)\b", re.IGNORECASE
)
_AFTER_EIGHTY = re.compile(rf"\ba {_DIGIT}\b(?=[ -][a-z])", re.IGNORECASE)
_REACH = 60
"""Characters after a figure in which its unit stands."""
_NUMBER = re.compile(r"[\d.,]*\d\s*")
_FIGURES = 0.06
"""A number is sure enough with two figures: rounding is then at most this share of it."""


class Restored(Frozen):
    """One change: the span in the repaired text, what stood there, and why."""

    start: int
    end: int
    was: str
    now: str
    reason: str


class Repaired(Frozen):
    """A transcript with its lost unit words, and each change."""

    text: str
    restored: tuple[Restored, ...] = ()


def repair(text: str, card: QuestionCard) -> Repaired:
    """The text as it was most likely said. Nothing is changed that the card does not settle."""
    facts = compute_facts(card)
    made: list[Restored] = []
    parts: list[str] = []
    at = shift = 0
    for start, end, now, reason in sorted(chain(_units(text, facts), _figures(text, facts))):
        if start < at:
            continue
        parts += [text[at:start], now]
        begun = start + shift
        was = text[start:end]
        made.append(Restored(start=begun, end=begun + len(now), was=was, now=now, reason=reason))
        shift += len(now) - (end - start)
        at = end
    return Repaired(text="".join([*parts, text[at:]]), restored=tuple(made))


Change = tuple[int, int, str, str]


def _units(text: str, facts: Sequence[ComputedFact]) -> Iterator[Change]:
    for said in find_quantities(text):
        if not _sure(said):
            continue
        change = _binary(text, said, facts) or _rate(text, said, facts) or _no_rate(said, facts)
        if change is not None:
            yield change


def _figures(text: str, facts: Sequence[ComputedFact]) -> Iterator[Change]:
    """Figures written as other words, where these words make no sense and the card has the number.

    What was heard as a number of the card stays.
    """
    for found in chain(_BEFORE_POINT.finditer(text), _AFTER_EIGHTY.finditer(text)):
        now = _in_digits(found)
        after = text[found.end() : found.end() + _REACH]
        meant, heard = _first(now + after), _first(found["digit"] + after)
        fact = _fact_of(meant, facts)
        if meant is None or fact is None or _fact_of(heard, facts):
            continue
        if "point" in found[0] or meant.text.endswith("s"):
            shown = f'this question\'s "{fact.fact.label}" is {fact.shown}'
            yield *found.span(), now, f'{shown}; recognisers write "{found[0]}" for {now}'


def _in_digits(found: re.Match[str]) -> str:
    """The number that the words sound like."""
    digit = _DIGIT_WORDS.get(found["digit"].lower(), found["digit"])
    parts = found.groupdict()
    figure = _FIGURE_WORDS.get(parts.get("figure", "").lower())
    return f"{figure}.{digit}{parts['more']}" if figure else f"8{digit}"


def _first(text: str) -> Quantity | None:
    """The quantity with which a text begins."""
    found = find_quantities(text)
    return found[0] if found and found[0].start == 0 else None


def _fact_of(said: Quantity | None, facts: Sequence[ComputedFact]) -> ComputedFact | None:
    """The fact with these figures in this unit."""
    if said is None or said.unit is None or not _sure(said):
        return None
    alike = (fact for fact in facts if _same_figures(said, fact) and fact.unit == said.unit)
    return next(alike, None)


def _sure(said: Quantity) -> bool:
    """True for two figures and more."""
    return said.precision <= _FIGURES * abs(said.value)


def _binary(text: str, said: Quantity, facts: Sequence[ComputedFact]) -> Change | None:
    """Kilobytes, or something garbled, where only a fact in kibibytes has these figures."""
    found = _unit_word(text, said)
    if found is None:
        return None
    start, end = found.span()
    matches = [fact for fact in facts if _same_figures(said, fact)]
    for fact in matches:
        unit = _symbol(fact.unit)
        if unit in _BINARY and _BINARY[unit] == text[start].lower() and _alone(fact, matches):
            written = text[start:end]
            reason = (
                f'this question\'s "{fact.fact.label}" is {fact.shown}; recognisers write '
                f'"{written}" for {unit}'
            )
            return start, end, unit, reason
    return None


def _unit_word(text: str, said: Quantity) -> re.Match[str] | None:
    """What was written for the unit, if it may stand for a binary one."""
    if said.unit is None:
        spaces = len(text) - len(text[said.end :].lstrip()) - said.end
        return _GARBLED.match(text, said.end + spaces)
    found = _DECIMAL.search(text, said.start, said.end)
    return found or (
        _GARBLED.search(text, said.start, said.end)
        if said.unit.symbol.startswith("bytes")
        else None
    )


def _rate(text: str, said: Quantity, facts: Sequence[ComputedFact]) -> Change | None:
    """'69 tokens' where only a rate of the card has these figures, and '69 tokens per 2nd'."""
    if said.unit is None or said.unit.symbol != "tokens" or not _TOKENS.search(said.text):
        return None
    matches = [fact for fact in facts if _same_figures(said, fact)]
    rates = [fact for fact in matches if fact.unit and fact.unit.dimension == "tokens/time"]
    if not rates or not _alone(rates[0], matches):
        return None
    fact = rates[0]
    written = _SECOND.match(text, said.end)
    if written is None and (_is_round(said) or _SECOND_SAID.search(text, 0, said.start)):
        return None
    end = written.end() if written else said.end
    was = text[said.end : end].strip()
    heard = f'recognisers write "{was}" for "per second"' if was else '"per second" was not heard'
    return (
        said.end,
        end,
        " per second",
        f'this question\'s "{fact.fact.label}" is {fact.shown}; {heard}',
    )


def _no_rate(said: Quantity, facts: Sequence[ComputedFact]) -> Change | None:
    """'3.35 TFLOPS per second', a rate of a rate, where only a rate of the card has the figures."""
    if said.unit is None or not said.unit.dimension.endswith("/time/time"):
        return None
    number = _NUMBER.match(said.text)
    matches = [fact for fact in facts if _same_figures(said, fact)]
    rates = [fact for fact in matches if fact.unit and fact.unit.dimension.endswith("/time")]
    if number is None or not rates or not _alone(rates[0], matches):
        return None
    fact, unit = rates[0], rates[0].unit
    if unit is None or unit.symbol[0] != said.unit.symbol[0]:
        return None
    was = said.text[number.end() :]
    return (
        said.start + number.end(),
        said.end,
        unit.symbol,
        f'this question\'s "{fact.fact.label}" is {fact.shown}; "{was}" is no unit',
    )


def _is_round(said: Quantity) -> bool:
    """True for 1,000 and the like, which many things have."""
    return len(f"{said.value:.12g}".replace(".", "").strip("0")) < 2


def _same_figures(said: Quantity, fact: ComputedFact) -> bool:
    """True where a fact in its own unit rounds to the stated figures."""
    return abs(said.value - fact.value) <= said.precision * (1 + 1e-9)


def _alone(fact: ComputedFact, matches: Sequence[ComputedFact]) -> bool:
    """True unless a fact in another unit has the same figures."""
    return all(_symbol(other.unit) == _symbol(fact.unit) for other in matches)


def _symbol(unit: Unit | None) -> str:
    return unit.symbol.partition("/")[0] if unit else ""
