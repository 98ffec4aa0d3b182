"""Arithmetic that candidates state aloud."""

import pytest

from interviewer.quantities import find_quantities
from interviewer.scoring.recompute.sizes import stated_sizes
from interviewer.scoring.recompute.sums import StatedSum, stated_sums


def sums(text: str) -> list[StatedSum]:
    return list(stated_sums(text, find_quantities(text)))


@pytest.mark.parametrize(
    "text",
    [
        "seventy over four point eight is fourteen point six",
        "70 / 4,800 = 0.0146 s",
        "2 x 80 layers x 8 KV heads x 128 x 2 bytes = 327,680 bytes",
        "320 KiB x 8,192 = 2.68 GB",
        "54.7 / 2.68 = 20.4",
        "989 dense BF16 TFLOPS over 3.35 TB/s is 295 FLOPs per byte",
        "40M transactions a month over 30 x 86,400 seconds is 15.4",
        "four percent of 1100 is 44",
        "2 x 70e9 x 8,192 = 1.15e15 FLOPs",
        "141 GB minus 70 GB is 71 GB",
        "20 / 25.8 ms = 776 tokens/s",
    ],
)
def test_a_right_result_holds_whatever_units_were_left_unsaid(text: str) -> None:
    assert [stated.right for stated in sums(text)] == [True]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("500 x 8 = 5000", 4000),
        ("ninety over sixteen is seven point five", 5.625),
        ("131,072 x 320 KiB = 4.3 GB", 42.95),
        ("141 GB minus 70 GB is 61 GB", 71),
        ("four percent of 1100 is 60", 44),
    ],
)
def test_a_wrong_result_comes_with_the_right_one(text: str, right: float) -> None:
    (stated,) = sums(text)
    assert not stated.right
    assert stated.value == pytest.approx(right, rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "two for k and v times eighty layers times eight is a thousand two hundred eighty",
        "sqrt(0.9 x 0.1) = 0.3",
        "5-15 microseconds is fine",
        "70 over 4.8 at batch one, and 20 users later",
        "that is 4 x 5 = 2 x 10",
        "0 / 0 = 5",
    ],
)
def test_what_is_no_whole_sum_is_left_alone(text: str) -> None:
    assert all(stated.right for stated in sums(text))


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("70B in FP8 is 70 GB", None),
        ("seventy b in int four is about forty gigs", None),
        ("seventy b in f p sixteen is seventy gigabytes", 140),
        ("an 8B model in BF16 takes 8 GB", 16),
    ],
)
def test_the_size_of_weights_is_parameters_times_bytes(text: str, right: float | None) -> None:
    (stated,) = stated_sizes(text, find_quantities(text))
    assert stated.right is (right is None)
    assert right is None or stated.value == right
