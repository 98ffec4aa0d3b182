"""No number of a card is worked out by hand: its source holds no arithmetic that yields it."""

import re
from collections.abc import Iterator
from math import log10

import pytest

from questions.library import load
from questions.model import Fact
from tools.catalog import CATALOG
from tools.result import ToolError

FACTS = [(card.id, fact) for card in load().cards for fact in card.facts if fact.tool is None]

SIGNS = {"+": "+", "and": "+", "plus": "+", "-": "-", "less": "-", "minus": "-"}
SIGNS |= {"x": "x", "times": "x", "of": "x", "by": "x", "at": "x", "for": "x", "each": "x"}
SIGNS |= {"/": "/", "over": "/", "in": "/", "shared": "/", "^": "^", "power": "^"}
WORDS = {"half": "0.5", "third": "(1 / 3)", "quarter": "0.25", "fifth": "0.2", "tenth": "0.1"}
WORDS |= {"one": "1", "two": "2", "twice": "2 x", "three": "3", "four": "4", "five": "5"}
WORDS |= {"six": "6", "seven": "7", "eight": "8", "nine": "9", "ten": "10", "twelve": "12"}
TOKEN = re.compile(r"\d[\d,]*(?:\.\d+)?|[a-z][a-z0-9]*|[+/^]|(?<=\s)-(?=\s)")
LONGEST = 5


def expressions(source: str) -> Iterator[str]:
    """The arithmetic that a text may be read as: numbers with a sign between each two of them."""
    run: list[str] = []
    for number, sign in read(source):
        run = [*run, sign, number] if sign and run else [number]
        starts = range(max(0, len(run) + 1 - 2 * LONGEST), len(run) - 1)
        yield from (" ".join(run[start:]) for start in starts if start % 2 == 0)


def read(source: str) -> Iterator[tuple[str, str]]:
    """Each number with the sign before it, or '' where there is none."""
    text = source.lower().replace("×", " x ").replace("\u2212", "-").replace("%", " ")
    sign = ""
    for word in TOKEN.findall(text):
        if word[0].isdigit() or word in WORDS:
            number = WORDS.get(word, word.rstrip(","))
            yield number.removesuffix(" x"), sign
            sign = "x" if number.endswith(" x") else ""
        elif sign != "^":  # "to the power of" is no product
            sign = SIGNS.get(word, sign)


def yields(source: str, fact: Fact) -> str:
    """The expression in a text that comes to the fact's value, in whatever power of ten; or ''."""
    for expression in expressions(source):
        try:
            result = CATALOG["calculate"].call({"expression": expression}).value
        except ToolError:
            continue
        if fact.value and result > 0:
            decades = log10(result / fact.value)
            if abs(decades - round(decades)) < 0.001:
                return expression
    return ""


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("half of 600 GB", 300),
        ("300 GB over 100 MB/s", 3),
        ("69 steps of 20 ms", 1380),
        ("24.3 ms less 2.9 ms and 3.8 ms", 25.2),
        ("twice the usual 80", 160),
        ("0.97 to the power of 6", 83.3),
        ("1 less 0.97^6", 16.7),
        ("stated with the question; 7 x 128", 896),
        ("set by this card: a tenth of 5,000", 500),
    ],
)
def test_arithmetic_in_a_source_is_found(source: str, value: float) -> None:
    fact = Fact(id="f", label="f", unit="", value=value, source=source)
    assert yields(source, fact)


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("NVIDIA H100 data sheet, without sparsity", 989),
        ("45 CFR 164.312, 164.316", 6),
        ("set by this card, a fifth under the 312 that fit", 300),
    ],
)
def test_a_document_or_a_choice_is_no_arithmetic(source: str, value: float) -> None:
    fact = Fact(id="f", label="f", unit="", value=value, source=source)
    assert not yields(source, fact)


@pytest.mark.parametrize(("card", "fact"), FACTS, ids=[f"{card}-{fact.id}" for card, fact in FACTS])
def test_no_typed_value_follows_from_numbers_in_its_source(card: str, fact: Fact) -> None:
    found = yields(fact.source or "", fact)
    assert not found, f"{card}, {fact.id}: let calculate compute {found!r}"
