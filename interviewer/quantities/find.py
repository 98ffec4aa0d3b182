"""Finds every quantity of a text: value, unit and span. Pure, linear in the text's length."""

import math
from dataclasses import dataclass, replace
from functools import lru_cache

from interviewer.quantities.digits import read_digits, read_scale
from interviewer.quantities.names import is_label, is_pronoun, skip_name
from interviewer.quantities.tokens import Tokens, tokenise
from interviewer.quantities.units import Unit, atom, read_unit, with_denominators
from interviewer.quantities.words import STARTS, Numeral, is_article, read_words

_CURRENCIES = frozenset({"$", "€", "£"})
_SIGNS = frozenset("½¼¾")
_DIGITS_AND_SIGNS = frozenset("0123456789") | _SIGNS
_BEFORE_NUMBERS = _CURRENCIES | {"x", "×", "times"}
_RANGES = frozenset({"to", "-", "–", "or"})
_PARAMETERS = Unit("parameters", "parameters")


@dataclass(frozen=True, slots=True)
class Quantity:
    """A stated number: `text` is exactly `source[start:end]`, unit included."""

    value: float
    """In the stated unit, with scale words applied: '167 thousand tokens' is 167,000."""
    unit: Unit | None
    start: int
    end: int
    text: str
    precision: float
    """Half a unit in the last stated place, in the stated unit: 0.05 for '14.6'."""

    @property
    def base(self) -> float:
        """The value in the base of its dimension: seconds, bytes, FLOP, a plain ratio."""
        return self.value * (self.unit.factor if self.unit else 1.0)

    @property
    def dimension(self) -> str | None:
        """The unit's dimension; None for a bare number."""
        return self.unit.dimension if self.unit else None


@lru_cache(maxsize=256)
def find_quantities(text: str) -> tuple[Quantity, ...]:
    """All quantities of a text in order; spans never overlap. Any string is accepted.

    A turn is read by ledger, number check and secrets, and again at each later turn of its round.
    """
    tokens, index, found = tokenise(text), 0, []
    for start, word in enumerate(tokens.words):
        if start < index or not (word in STARTS or word[-1] in _DIGITS_AND_SIGNS):
            continue
        if is_article(tokens, start):
            continue
        quantity, index = _read(tokens, start)
        if quantity is not None and math.isfinite(quantity.value):
            found.append(quantity)
    return tuple(_share_units(text, found))


def _share_units(text: str, found: list[Quantity]) -> list[Quantity]:
    """Give the first number of a range the unit of the second: 'sixty to seventy percent'."""
    for at in range(len(found) - 1, 0, -1):
        first, second = found[at - 1], found[at]
        between = text[first.end : second.start]
        if first.unit is None and second.unit is not None and len(between) < 8:
            word = between.strip()
            ranged = "between" in text[max(0, first.start - 9) : first.start].lower()
            if word in _RANGES or (word == "and" and ranged):
                found[at - 1] = replace(first, unit=second.unit)
    return found


def _starts(tokens: Tokens, index: int) -> bool:
    word = tokens.word(index)
    return word in STARTS or word in _SIGNS or tokens.is_digits(index)


def _read(tokens: Tokens, index: int) -> tuple[Quantity | None, int]:
    """The quantity at a token, if it is one, and where to go on."""
    after_name = skip_name(tokens, index)
    if after_name is not None:
        return None, after_name
    numeral = read_digits(tokens, index) or read_words(tokens, index)
    if numeral is None:
        return None, index + 1
    scaled, letter = read_scale(tokens, numeral)
    unit, end = _unit(tokens, index, scaled, letter)
    # a currency sign is a unit, yet "no. $3" never occurs, so only bare numbers can be labels
    if unit is None and letter == "" and is_label(tokens, index, scaled):
        return None, end
    if unit is not None and unit.dimension == "count" and is_pronoun(tokens, index, scaled):
        return None, end
    if unit is not None and _is_format(tokens, scaled, unit, end):
        return None, end
    return _quantity(tokens, index, scaled, unit, end), end


def _unit(tokens: Tokens, index: int, numeral: Numeral, letter: str) -> tuple[Unit | None, int]:
    """The unit of a number and the index after all of it."""
    end = numeral.end
    money = _currency(tokens, index)
    if money is not None:
        return with_denominators(tokens, end, money)
    if tokens.word(end) in _CURRENCIES and _starts(tokens, end + 1) and tokens.joined(end + 1):
        return None, end
    if tokens.word(end) in _BEFORE_NUMBERS and _operates(tokens, end):
        return (_PARAMETERS if letter == "b" else None), end
    start = end + 1 if _is_article(tokens, index, end) else end
    found = read_unit(tokens, start)
    if found is not None and not (letter == "k" and _is_length(tokens, *found)):
        return found
    return (_PARAMETERS if letter == "b" else None), end


def _is_length(tokens: Tokens, unit: Unit, end: int) -> bool:
    """True for the 'prompt' of 'a 32K prompt', which is a length, not a count of prompts."""
    return unit.dimension == "count" and tokens.words[end - 1][-1:] != "s"


def _is_article(tokens: Tokens, index: int, end: int) -> bool:
    """True for the article of 'half a millisecond'."""
    return tokens.word(index) == "half" and tokens.near(end) in ("a", "an")


def _operates(tokens: Tokens, index: int) -> bool:
    """True for the 'x' of '2 x 80' and the 'times' of 'two times seventy': a a product."""
    if not tokens.joined(index) or not tokens.joined(index + 1):
        return False
    if tokens.is_digits(index + 1):
        return True
    follower = tokens.word(index + 1)
    return follower in STARTS and follower not in ("a", "an", "half", "point")


def _currency(tokens: Tokens, index: int) -> Unit | None:
    if index and tokens.words[index - 1] in _CURRENCIES and tokens.gap(index) in ("", " "):
        return atom(tokens, index - 1)
    return None


def _is_format(tokens: Tokens, numeral: Numeral, unit: Unit, end: int) -> bool:
    """True for '16-bit' and 'eight bit': a number format, not an amount."""
    return unit.symbol == "bits" and tokens.words[end - 1] == "bit" and numeral.value != 1


def _quantity(
    tokens: Tokens, index: int, numeral: Numeral, unit: Unit | None, end: int
) -> Quantity:
    first = index - 1 if _currency(tokens, index) is not None else index
    start, sign = tokens.starts[first], 1.0
    before = tokens.text[max(0, start - 2) : start]
    if before[-1:] in ("-", "−") and before[:1] in (" ", "(", "-", "−"):
        start, sign = start - 1, -1.0
    stop = tokens.ends[end - 1]
    return Quantity(
        value=sign * numeral.value,
        unit=unit,
        start=start,
        end=stop,
        text=tokens.text[start:stop],
        precision=numeral.step / 2,
    )
