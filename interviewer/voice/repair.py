"""Unit words that recognisers lose, restored where the card leaves no doubt what was said.

'320 KV bytes per token' on a card that has 320 KiB per token can be nothing else.
"""

import re
from collections.abc import Iterator, Sequence

from interviewer.grounding.facts import ComputedFact, compute_facts
from interviewer.heard import Frozen
from interviewer.quantities import Quantity, Unit, find_quantities
from questions.model import QuestionCard

_BINARY = {"KiB": "k", "MiB": "m", "GiB": "g", "TiB": "t"}
_DECIMAL = re.compile(r"(?:kilo|mega|giga|tera)[ -]?b(?:y|i)tes?\b|[kmgt]b\b(?!/s)", re.IGNORECASE)
# 'KV bytes', 'KBB', 'kibby bites', 'gibi bytes', 'kb bytes': what is written for a binary unit.
_GARBLED = re.compile(
    r"\b[kmgt][ieh]?[bv]+[iey]{0,2}(?:[ -]?b(?:y|i)tes?|b)\b",
    re.IGNORECASE,
)
_SECOND = re.compile(r"(?P<per>\s*(?:per|a|/)\s*)(?P<unit>2nds?|sec\.?|secant)\b", re.IGNORECASE)
_TOKENS = re.compile(r"tokens?\Z", re.IGNORECASE)
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
    for start, end, now, reason in sorted(_changes(text, facts)):
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


def _changes(text: str, facts: Sequence[ComputedFact]) -> Iterator[Change]:
    for said in find_quantities(text):
        if said.precision > _FIGURES * abs(said.value):
            continue
        change = _binary(text, said, facts) or _rate(text, said, facts)
        if change is not None:
            yield change


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
                f'this card\'s "{fact.fact.label}" is {fact.shown}; recognisers write "{written}" '
                f"for {unit}"
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
    end = written.end() if written else said.end
    was = text[said.end : end].strip()
    heard = f'recognisers write "{was}" for "per second"' if was else '"per second" was not heard'
    return (
        said.end,
        end,
        " per second",
        f'this card\'s "{fact.fact.label}" is {fact.shown}; {heard}',
    )


def _same_figures(said: Quantity, fact: ComputedFact) -> bool:
    """True where a fact in its own unit rounds to the stated figures."""
    return abs(said.value - fact.value) <= said.precision * (1 + 1e-9)


def _alone(fact: ComputedFact, matches: Sequence[ComputedFact]) -> bool:
    """True unless a fact in another unit has the same figures."""
    return all(_symbol(other.unit) == _symbol(fact.unit) for other in matches)


def _symbol(unit: Unit | None) -> str:
    return unit.symbol.partition("/")[0] if unit else ""
