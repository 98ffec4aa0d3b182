"""Numbers in digits, and what may follow any number: K, M, B, 'million', powers of ten."""

from dataclasses import replace

from interviewer.quantities.tokens import Tokens
from interviewer.quantities.words import (
    SCALES,
    Numeral,
    below_hundred,
    decimals,
    hundreds,
    with_part,
)

_GROUPING = str.maketrans("", "", ", \u00a0\u2009\u202f")
_SIGNS = {"½": 0.5, "¼": 0.25, "¾": 0.75}
_LETTERS = {"k": 1e3, "b": 1e9}
_CAPITALS = {"K": 1e3, "M": 1e6, "B": 1e9, "T": 1e12}
_TIMES = frozenset({"x", "×", "times"})
_ORDINAL_WORDS = (
    "first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_ORDINALS = {word: value for value, word in enumerate(_ORDINAL_WORDS.split(), start=1)}
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-")


def read_digits(tokens: Tokens, index: int) -> Numeral | None:
    """The number in digits at a token; 'e' notation, fractions such as ½ and '14 point 6' too."""
    raw = tokens.raw[index]
    if raw in _SIGNS:
        return Numeral(_SIGNS[raw], 0.05, index + 1)
    if not tokens.is_digits(index):
        return None
    plain = raw.translate(_GROUPING).lower()
    mantissa, _, exponent = plain.partition("e")
    _, _, places = mantissa.partition(".")
    value = float(plain)
    if mantissa.isdecimal() and not exponent:
        mixed = _mixed(tokens, mantissa, index + 1)
        if mixed is not None:
            return mixed
    power = _power(tokens, index + 1)
    if power is not None and not places:
        return _raised(value, power)
    return Numeral(value, _unit(int(exponent or 0) - len(places)), index + 1)


def _mixed(tokens: Tokens, whole: str, index: int) -> Numeral | None:
    """What recognisers write half in words: '14 point six', '8 hundred', '2 and a half'."""
    match tokens.near(index):
        case "point":
            figures, end = decimals(tokens, index + 1)
            return (
                Numeral(float(f"{whole}.{figures}"), _unit(-len(figures)), end) if figures else None
            )
        case "hundred" if len(whole) < 3:
            value, end = hundreds(tokens, int(whole), index + 1)
            return Numeral(float(value), 1.0, end)
        case "and" if tokens.near(index + 2) in ("half", "quarter"):
            made = with_part(tokens, Numeral(float(whole), 1.0, index))
            return made if made.end > index else None
    return None


def _unit(places: int) -> float:
    return 10.0 ** max(-300, min(300, places))


def _power(tokens: Tokens, index: int) -> tuple[int, int] | None:
    """The exponent of '10^15', '10**-3' or '10¹⁵' with the index after it."""
    gap = tokens.gap(index).strip(" ")
    raised = tokens.word(index).translate(_SUPERSCRIPTS)
    if gap == "" and raised != tokens.word(index):
        return _exponent(raised, index)
    if gap not in ("^", "**", "^-", "**-"):
        return None
    return _exponent(gap.lstrip("^*") + raised, index)


def _exponent(written: str, index: int) -> tuple[int, int] | None:
    digits = written.removeprefix("-")
    return (int(written), index + 1) if digits.isdecimal() and len(digits) < 4 else None


def _raised(base: float, power: tuple[int, int]) -> Numeral | None:
    exponent, end = power
    try:
        return Numeral(base**exponent, 1.0, end)
    except (OverflowError, ZeroDivisionError):
        return None


def read_scale(tokens: Tokens, numeral: Numeral) -> tuple[Numeral, str]:
    """The number with its scale or power of ten applied, and the scale letter ('' for none)."""
    index = numeral.end
    ten = _ten_to_the(tokens, index)
    if ten is not None:
        exponent, end = ten
        factor = _unit(exponent)
        return Numeral(numeral.value * factor, numeral.step * factor, end), ""
    if not tokens.joined(index):
        return numeral, ""
    word, raw = tokens.words[index], tokens.raw[index]
    adjacent = tokens.gap(index) == ""
    factor = SCALES.get(word, 1e9 if word == "bn" else 1.0)
    if factor > 1.0:
        return _scaled(numeral, factor), ""
    if word in _LETTERS and not _begins_name(tokens, index):
        if raw == "B" and not adjacent:
            return numeral, ""
        return _scaled(numeral, _LETTERS[word]), word
    if raw in _CAPITALS and (adjacent or raw == "M"):
        return _scaled(numeral, _CAPITALS[raw]), word
    return numeral, ""


def _begins_name(tokens: Tokens, index: int) -> bool:
    """True for the k of "k v heads" and "k and v", the b of "b f sixteen" and "b two hundred"."""
    follower = tokens.near(index + 1)
    if tokens.words[index] == "k":
        return follower == "v" or (follower == "and" and tokens.near(index + 2) == "v")
    return follower == "f" or tokens.near(index + 2).startswith("hundred")


def _scaled(numeral: Numeral, factor: float) -> Numeral:
    return replace(
        numeral, value=numeral.value * factor, step=numeral.step * factor, end=numeral.end + 1
    )


def _ten_to_the(tokens: Tokens, index: int) -> tuple[int, int] | None:
    """'x 10^15', '× 10¹⁵', '* 1e15'-like powers and 'times ten to the fifteen'."""
    if tokens.near(index) in _TIMES:
        index += 1
    elif tokens.gap(index).strip(" ") not in ("*", "·"):
        return None
    if tokens.word(index) == "10":
        return _power(tokens, index + 1)
    if [tokens.word(index + offset) for offset in range(3)] != ["ten", "to", "the"]:
        return None
    index += 3
    if tokens.word(index) == "power":
        index += 1 + (tokens.word(index + 1) == "of")
    sign = -1 if tokens.word(index) in ("minus", "negative") else 1
    index += sign < 0
    word = tokens.word(index).removesuffix("th")
    if word.isdecimal() and len(word) < 4:
        suffixed = tokens.near(index + 1) == "th" and tokens.gap(index + 1) == ""
        return sign * int(word), index + 1 + suffixed
    if tokens.word(index) in _ORDINALS:
        return sign * _ORDINALS[tokens.word(index)], index + 1
    spoken = below_hundred(tokens, index)
    return (sign * spoken[0], spoken[1]) if spoken else None


def is_ordinal(word: str) -> bool:
    """True for 'first', 'ninety fifth' (its last word) and the like."""
    return word in _ORDINALS or word in ("thirtieth", "fortieth", "fiftieth")
