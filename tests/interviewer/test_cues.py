"""Cue phrases: a pattern finds what its alternatives find in the order that they are written."""

import re

import pytest

from interviewer.scoring.cues import cues


@pytest.mark.parametrize(
    ("alternatives", "said", "found"),
    [
        ("cost|cost more|costs?", " it costs more than the cost more or less ", ["costs", "cost"]),
        ("cost more|cost", " the cost more ", ["cost more"]),
        ("(?:the |a )?price\npay", " a price they pay the price ", ["a price", "pay", "the price"]),
        ("(?:the|a) \\w+\nthe price of", " the price of a thing ", ["the price", "a thing"]),
        (r"the price of|(?:the|a) \w+", " the price of a thing ", ["the price of", "a thing"]),
        (r"(?:\d+ )*days|7 days", " 7 8 days ", ["7 8 days"]),
        ("it (?:was|is)|i(?:t is)? mine", " it is mine and i mine ", ["it is", "i mine"]),
    ],
)
def test_alternatives_at_one_place_keep_their_order(
    alternatives: str, said: str, found: list[str]
) -> None:
    assert [match.group().strip() for match in cues(alternatives).finditer(said)] == found


def test_a_group_too_long_to_multiply_out_still_stands_in_its_place() -> None:
    long = "|".join(f"word{letter * 40}" for letter in "abcdefghijklmnopqrstuvwxyz")
    pattern = cues(f"we (?:do|did)|(?:we|they) (?:{long}|did)|they did it")
    found = pattern.findall(" we did they did it ")
    assert found == [" we did", " they did"]


def test_a_group_that_is_never_closed_is_an_error() -> None:
    with pytest.raises(re.error, match="unterminated"):
        cues("(?:one|two")
