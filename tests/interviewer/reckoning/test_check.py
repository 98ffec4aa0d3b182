"""A stated number against the tool's: units, workings, slips."""

import pytest

from interviewer.reckoning.check import check
from interviewer.reckoning.draw import again
from interviewer.reckoning.model import Reckoning


def cache() -> Reckoning:
    """80 layers, 8 KV heads of 64 query heads, 128 wide, two bytes: 320 KiB a token."""
    asked = again("kv-token", {"model": "Llama-3.3-70B", "kv_dtype": "bf16"})
    assert asked is not None
    return asked


def rate() -> Reckoning:
    asked = again("rate", {"successes": 62, "trials": 80})
    assert asked is not None
    return asked


@pytest.mark.parametrize(
    "text",
    [
        "320",
        "320 KiB",
        "327,680 bytes",
        "three hundred twenty kibibytes",
        "2 times 80 times 8 times 128 times 2 is 327,680 bytes, so 320 KiB",
        "about 0.33 MB",
    ],
)
def test_the_right_number_counts_in_any_unit_and_at_the_end_of_a_working(text: str) -> None:
    assert check(cache(), text).verdict == "right"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("160 KiB", "one of K and V was left out"),
        ("2,560 KiB", "the query heads were counted instead of the KV heads"),
        ("2.5 MiB", "the query heads were counted instead of the KV heads"),
        (
            "1280",
            "the query heads were counted instead of the KV heads, and one of K and V was left out",
        ),
    ],
)
def test_a_known_slip_is_named(text: str, reason: str) -> None:
    checked = check(cache(), text)
    assert (checked.verdict, checked.reason) == ("slip", reason)


def test_any_other_number_is_wrong_and_says_by_how_much() -> None:
    checked = check(cache(), "I think 400 KiB")
    assert (checked.verdict, checked.reason) == ("wrong", "25% too much")


def test_words_without_a_number_are_no_answer() -> None:
    assert check(cache(), "I would look at the config first").verdict == "unsaid"


def test_a_number_of_another_kind_is_no_answer() -> None:
    assert check(cache(), "14.6 ms").verdict == "unsaid"


@pytest.mark.parametrize("text", ["77.5", "77.5%", "0.775", "78 percent"])
def test_a_share_may_be_said_as_a_fraction(text: str) -> None:
    assert check(rate(), text).verdict == "right"
