"""Numbers in English words: "eight thousand one ninety two", "point nine", "two and a half"."""

from dataclasses import dataclass

from interviewer.quantities.tokens import Tokens, word_set
from interviewer.quantities.units import atom

_NAMES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen "
    "sixteen seventeen eighteen nineteen"
)
_TEEN = {word: value for value, word in enumerate(_NAMES.split())}
DIGITS = {word: value for word, value in _TEEN.items() if value < 10}
_TENS_NAMES = "twenty thirty forty fifty sixty seventy eighty ninety"
TENS = {word: 10 * place for place, word in enumerate(_TENS_NAMES.split(), start=2)}
SCALES = {"thousand": 1e3, "million": 1e6, "billion": 1e9, "trillion": 1e12}
_FRACTIONS = {"half": 2, "third": 3, "quarter": 4, "fourth": 4, "fifth": 5, "sixth": 6}
_FRACTIONS |= {"eighth": 8, "tenth": 10, "hundredth": 100, "thousandth": 1000}
# "a third of it", "a third more" are fractions; "a third option" is not.
_AFTER_FRACTION = word_set(
    "of more less fewer the to and or as faster slower longer cheaper a an so if per in on at for "
    "second percent by is was"
)
_NOT_BEFORE_POINT = word_set(
    "the this that some a which every each any no my your break end data decision"
)
_NOT_BEFORE_HUNDRED = word_set("few several many per")
_SMALL = _TEEN | TENS
_ARTICLES = frozenset({"a", "an"})

STARTS = frozenset(_SMALL) | {"hundred", "point", "half", "a", "an"}
"""Words that a number can start with."""


NUMBER_WORDS = frozenset(
    {*_SMALL, *SCALES, *_FRACTIONS, *(f"{word}s" for word in _FRACTIONS)}
    | {"hundred", "dozen", "couple"}
)
"""Every number in words has one of these, whole."""


def is_article(tokens: Tokens, index: int) -> bool:
    """True for an 'a' or 'an' that no number follows, which is most of them."""
    return tokens.words[index] in _ARTICLES and tokens.near(index + 1) not in NUMBER_WORDS


@dataclass(frozen=True, slots=True)
class Numeral:
    """A number without its unit; `step` is one in its last stated place; `end` a token index."""

    value: float
    step: float
    end: int


def read_words(tokens: Tokens, index: int) -> Numeral | None:
    """The number in words that starts at a token, if one does."""
    if tokens.words[index] not in STARTS:
        return None
    return _fraction(tokens, index) or _vague(tokens, index) or _spelt_out(tokens, index)


def below_hundred(tokens: Tokens, index: int) -> tuple[int, int] | None:
    """'seven', 'fourteen', 'sixty four' with the index after it."""
    word = tokens.word(index)
    if word in TENS:
        unit = 2 if _is_two(tokens, index + 1) else DIGITS.get(tokens.near(index + 1), 0)
        return (TENS[word] + unit, index + 2) if unit else (TENS[word], index + 1)
    value = _SMALL.get(word)
    return None if value is None else (value, index + 1)


def _is_two(tokens: Tokens, index: int) -> bool:
    """True for the 'to' of "twenty to milliseconds": no other word can stand before a unit."""
    if tokens.near(index) not in ("to", "too") or not tokens.joined(index + 1):
        return False
    return atom(tokens, index + 1) is not None


def _next(tokens: Tokens, index: int) -> tuple[int, int] | None:
    return below_hundred(tokens, index) if tokens.joined(index) else None


def _group(tokens: Tokens, index: int) -> tuple[int, int] | None:
    """Below ten thousand without 'thousand': 'three hundred twenty', 'one twenty eight'."""
    word = tokens.word(index)
    if word in _ARTICLES:
        return hundreds(tokens, 1, index + 2) if tokens.near(index + 1) == "hundred" else None
    if word == "hundred" and tokens.word(index - 1) not in _NOT_BEFORE_HUNDRED:
        return hundreds(tokens, 1, index + 1)
    head = below_hundred(tokens, index)
    if head is None:
        return None
    value, index = head
    if tokens.near(index) == "hundred":
        return hundreds(tokens, value, index + 1)
    if 1 <= value <= 9 and tokens.near(index) == "oh" and DIGITS.get(tokens.near(index + 1)):
        return value * 100 + DIGITS[tokens.words[index + 1]], index + 2
    tail = _next(tokens, index)
    if tail is None or tail[0] < 10 or tokens.near(tail[1]) == "hundred":
        return head
    if 1 <= value <= 9 or 11 <= value <= 20:
        return value * 100 + tail[0], tail[1]
    return head


def hundreds(tokens: Tokens, count: int, index: int) -> tuple[int, int]:
    """So many hundreds, with the tail that begins at a token: 'eight hundred and twelve'."""
    value, at = count * 100, index
    if tokens.near(at) == "and" and not _between(tokens, index):
        at += 1
    tail = _next(tokens, at)
    if tail is None or tokens.near(tail[1]) == "hundred" or tail[0] == 0:
        return value, index
    return value + tail[0], tail[1]


def _between(tokens: Tokens, index: int) -> bool:
    """True inside "between eight hundred and three thousand", where 'and' parts two numbers."""
    return "between" in tokens.words[max(0, index - 6) : index]


def _whole(tokens: Tokens, index: int) -> Numeral | None:
    total, largest, step, end = 0.0, 1e15, 1.0, index
    while True:
        at = end
        if total:
            if tokens.near(at) == "and" and _next(tokens, at + 1) and not _between(tokens, at):
                at += 1
            if not tokens.joined(at):
                break
        group = _group(tokens, at)
        if group is None and tokens.word(at) in _ARTICLES and tokens.near(at + 1) in SCALES:
            group = (1, at + 1)
        if group is None or (total and tokens.word(at) in _ARTICLES):
            break
        value, after = group
        scale = SCALES.get(tokens.near(after), 1.0)
        if scale >= largest or (scale == 1.0 and value >= largest):
            break
        if scale == 1.0 and at > end and value >= 100:
            break
        total, largest, step = total + value * scale, scale, scale
        end = after + (scale > 1.0)
        if scale == 1.0:
            break
    return Numeral(total, step, end) if end > index else None


def _spelt_out(tokens: Tokens, index: int) -> Numeral | None:
    """'seventy', 'fourteen point six', 'point nine', 'two and a half', 'one point five million'."""
    if tokens.word(index) == "point":
        bare = tokens.word(index - 1) not in _NOT_BEFORE_POINT
        return _decimal(tokens, Numeral(0.0, 1.0, index)) if bare else None
    whole = _whole(tokens, index)
    if whole is None:
        return None
    pointed = tokens.near(whole.end) == "point"
    return (_decimal(tokens, whole) if pointed else None) or with_part(tokens, whole)


def _decimal(tokens: Tokens, head: Numeral) -> Numeral | None:
    """A whole number with the figures after its 'point'."""
    figures, end = decimals(tokens, head.end + 1)
    if not figures:
        return None
    scale = SCALES.get(tokens.near(end), 1.0)
    value = float(f"{head.value:.0f}.{figures}") * scale
    return Numeral(value, 10.0 ** -len(figures) * scale, end + (scale > 1.0))


def decimals(tokens: Tokens, index: int) -> tuple[str, int]:
    """The figures after 'point', one by one, a pair such as 'sixty eight', or digits."""
    if tokens.near(index).isdecimal():
        return tokens.words[index], index + 1
    figures, at = "", index
    while tokens.near(at) in DIGITS or tokens.near(at) == "oh":
        figures, at = figures + str(DIGITS.get(tokens.words[at], 0)), at + 1
    if figures and tokens.near(at) in ("point", "hundred"):
        return figures[:-1], at - 1
    if figures.strip("0"):
        return figures, at
    pair = _next(tokens, at)
    return (figures + str(pair[0]), pair[1]) if pair else (figures, at)


def with_part(tokens: Tokens, whole: Numeral) -> Numeral:
    """A whole number with the 'and a half' or the like that follows it."""
    if tokens.near(whole.end) != "and":
        return whole
    if tokens.near(whole.end + 1) not in ("a", "one"):
        return whole
    parts = _FRACTIONS.get(tokens.near(whole.end + 2))
    if parts is None:
        return whole
    end = whole.end + 3
    scale = SCALES.get(tokens.near(end), 1.0)
    value = (whole.value + whole.step / parts) * scale
    return Numeral(value, whole.step * scale / 10, end + (scale > 1.0))


def _fraction(tokens: Tokens, index: int) -> Numeral | None:
    """'half a', 'a third of', 'two thirds', 'three quarters'."""
    word, after = tokens.word(index), tokens.near(index + 1)
    if word == "half":
        return Numeral(0.5, 0.1, index + 1) if after in ("a", "an", "of", "the") else None
    count = 1 if word in _ARTICLES else DIGITS.get(word, 0)
    parts = _FRACTIONS.get(after.removesuffix("s") if count > 1 else after)
    if after == "halves" or not parts or not count:
        return None
    if count > 1 and not after.endswith("s"):
        return None
    follower = tokens.near(index + 2)
    if count == 1 and parts > 2 and follower and follower not in _AFTER_FRACTION:
        return None
    return Numeral(count / parts, 0.1 * count / parts, index + 2)


def _vague(tokens: Tokens, index: int) -> Numeral | None:
    """'a couple of', 'a couple hundred', 'a dozen'."""
    if tokens.word(index) not in _ARTICLES:
        return None
    match tokens.near(index + 1):
        case "dozen":
            return Numeral(12.0, 1.0, index + 2)
        case "couple":
            end = index + 2 + (tokens.near(index + 2) == "of")
            scale = {**SCALES, "hundred": 100.0}.get(tokens.near(end), 1.0)
            return Numeral(2.0 * scale, 2.0 * scale, end + (scale > 1.0))
    return None
