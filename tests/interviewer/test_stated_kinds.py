"""Parts, rates, powers, intervals, bits and capacities that candidates state aloud."""

from collections.abc import Callable
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.scoring.number_check import check_numbers
from interviewer.transcript import Turn
from rubrics.scorecard import NumberFinding
from tests.interviewer.test_number_check import wrong

RIGHT = [
    # a part of a whole
    "2 percent of 40,000 claims is 800 a month",
    "99 percent are caught and on 100,000 messages that leaves 1,000",
    "the project is 12 weeks, so three weeks is 25 percent",
    "4,096 tokens at 320 KB that's 1.31 GB",
    "12 GPUs at $4 is $48",
    "it saves 2 hours per officer, and with 200 officers that's 400 hours",
    "1,000 tokens take 142 ms, so 8,192 tokens take 1.16 s",
    "85 minus 50 over 50 is 0.7",
    # rates
    "$1,650 a day, which is $602,000 a year",
    "40 a second, so 3.5 million a day",
    "20 requests per second and each takes 8 seconds, so 160 in flight",
    "90 minutes at 10 per minute is 900 letters",
    # powers
    "0.98 to the power of 26 is 59 percent",
    "0.97^8 = 0.78",
    "0.9 to the fifth, and each is right 90 percent, so five in a chain give 59 percent",
    "with an acceptance of 80 percent and 4 draft tokens that's 3.36 tokens per step",
    # intervals
    "95 of 100 were right, the interval is 89 to 98 percent",
    "90 percent on 400 cases, plus or minus 3 points",
    # bits and bytes
    "4 x 10^9 bytes, so 4 GB",
    "8 minutes, that's 480 seconds",
    "at 16 kHz and 16 bit it is 16,000 x 16 = 256 kbit/s",
    "float 32, and int8 divides that by 4",
    "100,000,000 vectors: 100,000,000 x 1,536 x 4 = 614 GB",
    "with 400 Gbit/s, so 50 GB/s",
    # amounts and rates
    "282 TFLOP, on one H200 at 990 TFLOPS useful = 0.285 s",
    "8,192 tokens at 70.7 us per token is 0.58 s",
    "43 GB takes 0.86 s at 50 GB/s",
    "a 70B needs 140 GFLOP per token",
    "37 MB of 91 GB is 0.04 percent",
    "0.7 ms of 25.8, 2.7 percent",
    "eight B200 with 92% of 180 GB are 1,325 GB",
    # digits that are right
    "50M records with 1,024 dimensions as 4-byte floats are 205 GB",
    "4,000 files x 40 pages at 2 cents a page, so $3,200 per month",
    "1,200 orders at 4 minutes is 80 hours a day, and over the 21 days that makes 1,680 hours",
    "10 us for one run. At 5,000 requests/s that's 5 percent of a core",
    "5M users x 100 entries x 8 bytes = 40 GB... no, 4 GB",
    "a month of 10 GB against 16 GB, which is about six sequences of 8K",
    # figures of a device
    "the H200 has 4.8 TB/s and the H100 has 132 SMs",
    "an H100 has 3.35 TB/s, which is less than the 4.8 TB/s of an H200",
    # a cache with its two vectors
    "2 x 80 layers x 8 KV heads x 128 x 2 bytes = 320 KB per token",
    "8B in BF16 is 16 GB and in int4 it's 4 GB",
    # sums that are none
    "four microseconds times eighty three hundred twenty that's one point two percent",
    "six times twenty that's seventeen still hidden",
    "141 / 34 ms = 86.4%",
    "four over three is thirty three percent more",
    "18 ms against 24 ms, a saving of 25 percent",
]

WRONG = [
    ("282 TFLOP on one H200 at 990 TFLOPS useful = 2.85 s", "2.85 s", "0.2848 s"),
    ("at 4.8 TB/s the 70 GB take 146 ms", "146 ms", "14.58 ms"),
    ("8,192 tokens at 70.7 us per token is 0.58 ms", "0.58 ms", "579.17 ms"),
    ("a 70B needs 140 TFLOP per token", "140 TFLOP per token", "0.14 TFLOP/token"),
    ("37 MB of 91 GB, that's like 4 percent", "4 percent", "0.04066%"),
    ("50M records with 1,024 dimensions as 4-byte floats are 20.5 GB", "20.5 GB", "204.8 GB"),
    (
        "4,000 files x 40 pages at 2 cents a page, so $320 per month",
        "$320 per month",
        "$3,200/month",
    ),
    ("it is 80 hours a day, and over the 21 days that makes 168 hours", "168 hours", "1,680 h"),
    ("10 us for one run. At 5,000 requests/s that's half of a core", "half", "0.05"),
    ("the bandwidth of the H200 is 3.35 TB/s", "3.35 TB/s", "4.8 TB/s"),
    ("The H100 has 108 SMs", "108", "132"),
    ("400 Gbit/s is the NIC and 11 MB over 400 GB/s", "400 GB/s", "50 GB/s"),
    ("80 layers x 8 KV heads x 128 x 1 byte = 82 KB", "82 KB", "164 KB"),
    ("8B in BF16 is 16 GB and in int4 it's 1 GB", "1 GB", "4 GB"),
    ("220 times 0.1415 so 3.1 ms", "3.1 ms", "31.13 ms"),
    ("18 ms against 24 ms, a saving of 33 percent", "33 percent", "25%"),
    ("611 to 724 is 38 percent more", "38 percent", "18.49%"),
    ("with 400 Gbit/s = 400 GB/s", "400 GB/s", "50 GB/s"),
    (
        "two accepted, so four drafts times 0.8 plus one is 4.2 tokens per step",
        "4.2 tokens per step",
        "3.362 tokens/step",
    ),
    ("2 percent of 40,000 claims is 80 a month", "80", "800"),
    ("99 percent are caught and on 100,000 messages that leaves 10", "10", "1,000"),
    ("the project is 12 weeks, so three weeks is 12 percent", "12 percent", "25%"),
    ("4,096 tokens at 320 KB that's 131 MB", "131 MB", "1,310.7 MB"),
    ("12 GPUs at $4 is $480", "$480", "$48"),
    (
        "it saves 2 hours per officer, and with 200 officers that's 4,000 hours",
        "4,000 hours",
        "400",
    ),
    ("1,000 tokens take 142 ms, so 8,192 tokens take 116 ms", "116 ms", "1,163.3 ms"),
    ("$1,650 a day, which is $6 million a year", "$6 million a year", "$602,250"),
    ("40 a second, so 350 thousand a day", "350 thousand", "3,456,000"),
    ("20 requests per second and each takes 8 seconds, so 2.5 in flight", "2.5", "160"),
    ("90 minutes at 10 per minute is 9,000 letters", "9,000", "900"),
    ("0.98 to the power of 26 is 74 percent", "74 percent", "59.14%"),
    ("one is right 90 percent of the time, so five in a chain give 99.9 percent", "99.9", "59.05%"),
    (
        "with an acceptance of 80 percent and 4 draft tokens that's 4.2 tokens per step",
        "4.2 tokens",
        "3.362",
    ),
    ("50 of 100 were right, the interval is 48 to 52 percent", "52 percent", "59.8%"),
    ("90 percent on 400 cases, plus or minus 1 point", "1", "2.94"),
    ("it is 4 x 10^9 bytes, so 400 MB", "400 MB", "4,000 MB"),
    ("8 minutes, that's 48 seconds", "48 seconds", "480 s"),
    ("at 16 kHz and 16 bit it is 16,000 x 16 = 256 kB/s", "256 kB/s", "32 KB/s"),
    ("it is float 32, and int8 divides that by 8", "8", "4"),
    # where a unit went unsaid, the nearest that has the digits
    ("3,000 / 12,000 = 25 ms", "25 ms", "250 ms"),
    ("16,384 / 450e9 = 3.6 us", "3.6 us", "0.03641 µs"),
    ("300 MB / 36,000 requests = 83 KB", "83 KB", "8.333 KB"),
]


def checked(text: str) -> tuple[NumberFinding, ...]:
    return check_numbers([Turn(1, "candidate", text, datetime(2026, 1, 1, tzinfo=UTC), 1)], ())


@pytest.mark.parametrize("text", RIGHT)
def test_what_holds_is_not_called_wrong(text: str) -> None:
    assert wrong(text, None) == []


@pytest.mark.parametrize(("text", "said", "right"), WRONG, ids=[text for text, _, _ in WRONG])
def test_what_does_not_hold_comes_with_the_right_value(text: str, said: str, right: str) -> None:
    ((found, verdict, known),) = wrong(text, None)
    assert verdict == "wrong"
    assert found.startswith(said)
    assert (known or "").startswith(right)


@pytest.mark.parametrize(
    "text",
    [
        "a limit of 20 a minute and 100 a day",  # two limits, neither from the other
        "7 percent power at 300 requests, 20 of them slow",
        "20 requests per second, each takes 8 seconds, and the server holds 64 in flight",
        "each is right 90 percent of the time; in a chain with retries it is 99 percent",
        "95 of 100, the 99% interval is 86 to 98 percent",
        "a file of 20 MB, so 2 GB for all of them",
        "40 ms of the 60 ms, so 100 percent of the requests are late",
        "73,700 tokens in one request times 8,192 times 2 bytes is 1.2 GB",
    ],
)
def test_what_belongs_to_no_calculation_is_left_alone(text: str) -> None:
    assert wrong(text, None) == []


def test_a_claim_of_what_fits_falls_with_the_size_that_it_rests_on() -> None:
    answer = "70B in FP16 is 70 GB, so the weights fit on one H100."
    assert ("fit", "wrong", "140 GB against 80 GB") in wrong(answer, None)
    assert len(wrong("70B in FP8 is 70 GB, so the weights fit on one H100.", None)) == 0


def test_what_two_wrong_numbers_lead_to_together_is_right_where_both_are_wrong_alike() -> None:
    answer = (
        "1M chunks of 1536 dimensions at 4 bytes is 49 GB, and so 98 GB of RAM to hold two copies"
    )
    assert [(said, right) for said, _, right in wrong(answer, None)] == [
        ("49 GB", "6.144 GB"),
        ("98 GB", "12.29 GB"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "0% of 500 tickets is 3",
        "120 percent of 500 tickets is 7",
        "5e-324 times 70 GB is 3 GB",
        "32 x 1e308 GB is 134 MB",
        "1e308 GB at 1e308 GB/s is 1e400 s",
        "70B in FP16 is 70 GB, so with 0 GB and 1e400 GB it is 1e308 GB",
    ],
)
def test_what_cannot_be_reckoned_with_raises_nothing(text: str) -> None:
    assert all(found.right != "nan" for found in checked(text))


whole = st.integers(min_value=11, max_value=9_000)
Form = tuple[str, Callable[[int, int], float]]
FORMS: list[Form] = [
    ("{a} times {b} is {r:.6g}", lambda a, b: a * b),
    ("{a} over {b} is {r:.6g}", lambda a, b: a / b),
    ("{a} plus {b} is {r:.6g}", lambda a, b: a + b),
    ("{a} MB at most, and {b} users at {a} MB is {r:.6g} MB", lambda a, b: a * b),
    ("{a} a day, which is {r:.6g} a year", lambda a, b: a * 365),
    (
        "{a} requests per second and each takes {b} seconds, so {r:.6g} in flight",
        lambda a, b: a * b,
    ),
]


@given(form=st.sampled_from(FORMS), a=whole, b=whole)
def test_a_right_chain_is_never_called_wrong(form: Form, a: int, b: int) -> None:
    text, result = form
    assert wrong(text.format(a=a, b=b, r=result(a, b)), None) == []


@given(
    form=st.sampled_from(FORMS),
    a=whole,
    b=whole,
    off=st.sampled_from([0.1, 0.2, 0.4, 2.5, 4.0, 10.0]),
)
def test_a_chain_that_is_far_off_is_always_called_wrong(
    form: Form, a: int, b: int, off: float
) -> None:
    text, result = form
    assert wrong(text.format(a=a, b=b, r=result(a, b) * off), None)


@given(st.text(alphabet="0123456789 .,%x/aeinorst$", max_size=120))
def test_any_text_is_read(text: str) -> None:
    checked(text)
