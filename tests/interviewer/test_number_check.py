"""The candidate's numbers against the cards' facts. Answers are written for these tests."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.grounding.facts import compute_facts
from interviewer.scoring.number_check import AS_GIVEN, check_numbers
from interviewer.transcript import Turn
from questions.library import load
from rubrics.scorecard import NumberFinding

LIBRARY = load()


def check(answer: str, card: str | None = "INF-010") -> tuple[NumberFinding, ...]:
    facts = compute_facts(LIBRARY.get(card)) if card else ()
    at = datetime(2026, 1, 1, tzinfo=UTC)
    return check_numbers([Turn(2, "candidate", answer, at, 2)], facts)


def wrong(answer: str, card: str | None = "INF-010") -> list[tuple[str, str, str | None]]:
    return [
        (finding.said, finding.verdict, finding.right)
        for finding in check(answer, card)
        if finding.verdict in ("wrong", "slip")
    ]


def test_a_spoken_number_is_right_and_carries_its_tool_call() -> None:
    answer = "the cache is three hundred twenty kibibytes per token"
    (finding,) = check(answer)
    assert answer[finding.start : finding.end] == finding.said
    assert (finding.verdict, finding.turn, finding.tool) == ("right", 2, "kv_cache")
    assert finding.fact in ("kv-per-token", "kv-bytes")
    assert finding.formula


def test_a_known_slip_is_named_with_the_right_value() -> None:
    (finding,) = check("The cache is 2.5 MiB per token.")
    assert (finding.verdict, finding.right) == ("slip", "320 KiB/token")
    assert "query heads" in finding.reason


def test_users_of_the_wrong_precision_are_a_slip() -> None:
    assert wrong("With a BF16 cache about 41 users fit.") == [("41 users", "slip", "20.38 users")]
    assert wrong("With an FP8 cache about 41 users fit.") == []


def test_the_sparse_peak_is_a_slip_unless_it_is_called_sparse() -> None:
    assert wrong("The peak of the card in FP8 is 3,958 TFLOPS.", "INF-003")
    assert wrong("The data sheet says 3,958 TFLOPS with sparsity.", "INF-003") == []


def test_a_mistake_is_told_once_and_what_follows_from_it_too() -> None:
    answer = "A user holds 1.34 GB in BF16. 54.7 / 1.34 = 40.8. So 1.34 GB each."
    assert [verdict for _, verdict, _ in wrong(answer)] == ["slip", "wrong"]
    assert wrong(answer)[1][2] == "20.4"


def test_a_mistake_that_is_taken_back_is_none() -> None:
    answer = "the cache is a hundred sixty kibibytes per token sorry no three hundred twenty"
    assert wrong(answer) == []


def test_what_a_recogniser_writes_for_binary_sizes_is_no_mistake() -> None:
    assert wrong("so a user at eight k holds two point five gigabytes of cache") == []
    assert wrong("A user at 8K holds 2.50 GB of cache.")[0][1] == "slip"


def test_a_number_that_a_fact_confirms_is_right_however_it_was_derived() -> None:
    assert wrong("the budget left for cache is 70 minus 20 = 54.7 GB") == []


def test_wrong_arithmetic_is_wrong_without_any_fact() -> None:
    assert wrong("500 x 8 = 5000, so it is fine", card=None) == [("5000", "wrong", "4,000")]


def test_arithmetic_that_holds_makes_no_number_right() -> None:
    finding = check("90 over 16 is 5.6", card=None)[-1]
    assert (finding.verdict, finding.right) == ("unchecked", None)
    assert finding.reason.startswith("the arithmetic holds")


OTHER_CASES = [
    "With an FP8 cache it is 160 KiB per token and 41 users fit.",
    "in f p eight the cache would be a hundred sixty kibibytes per token so forty one users fit",
    "In BF16 the weights are 140 GB and a step takes 29 ms.",
    "On an H100 at 3.35 TB/s the same read takes 20.9 ms.",
    "On a B200 with 8 TB/s it is 8.8 ms and 114 tokens per second.",
    "At 4K context twice as many fit, about 40 users.",
    "A 32K user takes 10.7 GB, and only five fit.",
    "Without grouped-query attention it would be 64 heads, 2.5 MiB per token, and two users.",
    "Two H200s give 282 GB, and after weights 108 GB is left per pair.",
    "INT4 weights are 35 GB, so the floor drops to 7.3 ms, 137 tokens per second.",
    "An 8B model has 8 GB of weights and 1.7 ms per step, 600 tokens/s.",
    "Ten users read 26.8 GB of cache, so the step is 20.2 ms.",
    "The customer wants 40 ms per token, so I would fill the pool.",
    "With two replicas I hold 40 users, and four replicas hold 80 users.",
    "Llama 3.1 8B takes 128 KiB per token, 1 GB per 8K user.",
    "In week one I'd have 20 of 40 users on it.",
    "I plan on 40 users, which is twenty per card.",
    "an fp8 cache halves it to 1.34 gigs a user and the count goes to forty",
    "FP8 peak is 1,979 dense and 3,958 sparse TFLOPS.",
    "a 600 token prompt is compute bound",
    "The prompt has 600 tokens, the answer 300.",
    "With speculation it goes from 69 to 140 tokens per second.",
    "137 tokens per second is the ceiling in int four",
    "Prefill of 8K takes 1.16 s at half the peak, or 0.58 s at all of it.",
]


@pytest.mark.parametrize("card", ["INF-010", "FDE-01", "FDE-02", "INF-001", "INF-003", "INF-100"])
@pytest.mark.parametrize("answer", OTHER_CASES)
def test_another_set_up_than_the_cards_is_left_alone(answer: str, card: str) -> None:
    assert wrong(answer, card) == []


@pytest.mark.parametrize(
    ("answer", "card"),
    [
        ("That is 2,207 in each arm, so 4,400 graded answers.", "INF-072"),
        (
            "The cache is 43 GB, and each node sends three quarters of it in the ring, 32 GB.",
            "INF-058",
        ),
        ("Ten servers at four dollars an hour, that is about 29,000 a month.", None),
        ("17 splits make 136 blocks, two waves of 132, 51.5 %.", None),
        ("One such instruction reads it all: 48 KiB, 384 clocks.", "INF-040"),
        ("Zero characters are out, then 0 again, while the stop has 24 characters.", "INF-061"),
        (
            "My victim has 3,000 tokens of cache: 3,000 x 320 KiB = 0.98 GB, so 0.49 GB on each GPU"
            " and 9.8 ms out over PCIe at 50 GB/s.",
            "INF-016",
        ),
        (
            "With ninety percent of 48 gigs that is 43.2 minus 16.1 for the weights in BF16 minus "
            "two, so 25.1 left divided by 0.537, forty six users.",
            "FDE-02",
        ),
    ],
)
def test_a_right_figure_beside_the_fact_it_could_be_a_slip_of_is_left_alone(
    answer: str, card: str | None
) -> None:
    assert wrong(answer, card) == []


def test_what_is_right_for_the_right_value_of_a_wrong_step_is_not_held_wrong_too() -> None:
    said = "32,000 tokens times 320 kilobytes is 1.07 GB, and at 3.35 TB/s that is 3.2 ms."
    assert wrong(said, None) == [("1.07 GB", "wrong", "10.24 GB")]


def test_a_few_things_are_no_result_in_the_unit_of_a_wrong_one() -> None:
    said = "32,000 tokens times 320 kilobytes is 1.07 GB, and the price is two all-reduces a layer."
    assert wrong(said, None) == [("1.07 GB", "wrong", "10.24 GB")]


def test_what_a_list_goes_on_with_is_no_result_of_what_was_wrong() -> None:
    said = "The mean is 0.4 x 10 + 0.6 x 1,500 = 604 ms. I aim for 12 ms index, 30 re-ranking."
    assert wrong(said, None) == [("604 ms", "wrong", "904 ms")]


def test_the_right_value_keeps_the_units_that_stand_there() -> None:
    said = "It is 3,500 minutes times 160 words, so 56,000 words a day."
    assert wrong(said, None) == [("56,000 words a day", "wrong", "560,000 words/day")]
    said = (
        "Five percent go over to people, so three hundred a day at eight minutes, that's 20 hours."
    )
    assert wrong(said, None) == []


def test_a_share_of_a_sum_is_not_read_as_that_of_its_last_term() -> None:
    assert wrong("146 plus 22 out of 200, which is 84 percent.", None) == []


def test_one_thing_at_a_rate_is_still_held_against_the_period() -> None:
    said = "A server costs four dollars an hour, that is about 29,000 a month."
    assert [figure for figure, _, _ in wrong(said, None)] == ["29,000"]


def test_a_weak_hint_makes_a_slip_only_in_the_cards_own_set_up() -> None:
    own = (
        "We serve 24 users with 3,000 tokens each, at 90 ms to the first token and 7 GB of cache. "
        "8 splits are 64 blocks, 64 / 132 = 48.5%, and a layer of 4.2 MB takes 1.3 us."
    )
    of_the_card = f"{LIBRARY.get('INF-141').model_answer} Unsplit, 64 / 132 = 48.5%."
    assert wrong(own, "INF-141") == []
    assert wrong(of_the_card, "INF-141") == [("48.5%", "slip", "6.061%")]


def test_only_the_candidates_turns_are_checked() -> None:
    at = datetime(2026, 1, 1, tzinfo=UTC)
    facts = compute_facts(LIBRARY.get("INF-010"))
    assert check_numbers([Turn(1, "interviewer", "Is it 2.5 MiB per token?", at, 1)], facts) == ()


@given(st.text(st.characters(categories=None, codec=None), max_size=80), st.integers(0, 80))
def test_any_answer_is_checked_without_a_fault(noise: str, at: int) -> None:
    text = "İ f p eight 160 KiB per token x 8,192 = 1.34 GB"
    answer = text[:at] + noise + text[at:]
    for finding in check(answer):
        assert answer[finding.start : finding.end] == finding.said


@pytest.mark.parametrize(
    "answer",
    [
        "9" * 308 + ".5 tokens per user and 1e308 GB x 1e308 = 1e300",
        "1e-300 x 1e-300 = 5 ms",
        "0 / 0 = 5 and 0 x 5 = 0 GB, 0e300 trillion users",
        "-5 GB per user over -3 = 2",
        "\ud800 160 KiB per token \udfff",
    ],
)
def test_extreme_numbers_are_checked_without_a_fault(answer: str) -> None:
    assert all(
        finding.verdict in ("unchecked", "right", "slip", "wrong") for finding in check(answer)
    )


def test_a_figure_of_the_question_that_no_fact_holds_is_said_to_be_given() -> None:
    told = ("Which GPU?", "Half of the peak of 989 TFLOPS is reached, and 1,500 tokens are sent.")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    answer = "989 TFLOPS over 2 TB/s, for one thousand five hundred tokens, or 1,500 requests."
    found = check_numbers([Turn(2, "candidate", answer, at, 2)], (), told)
    assert [(f.said, f.verdict, f.reason) for f in found] == [
        ("989 TFLOPS", "unchecked", AS_GIVEN),
        ("2 TB/s", "unchecked", ""),
        ("one thousand five hundred tokens", "unchecked", AS_GIVEN),
        ("1,500 requests", "unchecked", ""),
    ]


def test_a_figure_of_the_question_follows_from_no_mistake() -> None:
    asked = LIBRARY.get("INF-105")
    at = datetime(2026, 1, 1, tzinfo=UTC)
    answer = "For a million tokens that's 272 MJ, 75 kWh, so 7.50 USD at 10 cents per kWh."
    turn, told = Turn(2, "candidate", answer, at, 2), (asked.question, *asked.scenario)
    found = check_numbers([turn], compute_facts(asked), told)
    assert [(f.said, f.verdict) for f in found if f.verdict in ("slip", "wrong")] == [
        ("75", "slip")
    ]


def test_a_part_of_a_sum_is_no_slip_of_its_whole() -> None:
    bound = "In any window of 30 s, tokens taken minus tokens refunded must be at most 30,000"
    assert wrong(f"{bound} + 30 x 2,000 = 90,000.", "INF-091") == []
    assert [said for said, _, _ in wrong(f"{bound} tokens.", "INF-091")] == ["30,000 tokens"]


@pytest.mark.parametrize(
    ("answer", "card"),
    [
        ("Weights: 70 GB / 16 = 4.4 GB. The heads get split along it (128 / 2 = 64).", "INF-107"),
        ("Accumulator: 128 x 256 x 2 B = 64 KiB, a quarter of the register file.", "INF-036"),
    ],
)
def test_a_bare_number_of_its_own_follows_from_no_mistake(answer: str, card: str) -> None:
    assert [verdict for _, verdict, _ in wrong(answer, card)] == ["slip"]
