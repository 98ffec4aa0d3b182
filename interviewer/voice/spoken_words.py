"""How many words a text is when it is said: recognisers write '128' for three or four of them."""

import re

_PART = re.compile(
    r"(?P<number>\d[\d,]*(?:\.\d+)?)(?:st|nd|rd|th)?|(?P<word>[^\W\d_]+(?:['’][^\W\d_]+)*)"
    r"|(?P<sign>[%$€£+×=]|/(?=\w))"
)
_GROUPS = 3


def count_spoken_words(text: str) -> int:
    """Words as said: '14.6 ms' is four, 'GB/s' three, an abbreviation one."""
    return sum(
        number_words(match["number"]) if match["number"] else 1 for match in _PART.finditer(text)
    )


def number_words(digits: str) -> int:
    """Words of a number in digits, as a cardinal without 'and'; decimals figure by figure."""
    whole, _, places = digits.replace(",", "").partition(".")
    groups = [whole[max(0, end - _GROUPS) : end] for end in range(len(whole), 0, -_GROUPS)]
    said = sum(_below_thousand(int(group)) + (at > 0 and int(group) > 0) for at, group in
               enumerate(groups))  # fmt: skip
    return max(1, said) + (1 + len(places) if places else 0)


def _below_thousand(value: int) -> int:
    hundreds, rest = divmod(value, 100)
    tens = 0 if rest == 0 else 1 if rest <= 20 or rest % 10 == 0 else 2
    return (2 if hundreds else 0) + tens
