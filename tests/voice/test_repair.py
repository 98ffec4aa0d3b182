"""Lost unit words come back only where the card settles it, and each change is told."""

import pytest

from interviewer.events import CandidateSpoke
from interviewer.grounding.facts import compute_facts
from interviewer.scoring.number_check import check_numbers
from interviewer.transcript import Turn
from interviewer.voice.repair import repair
from questions.library import CARDS, load
from questions.model import QuestionCard
from tests.interviewer.scoring_cases import AT


def card(name: str) -> QuestionCard:
    return load(CARDS).get(name)


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("so 320 KB per token", "so 320 KiB per token"),
        ("so 320 KV bytes per token", "so 320 KiB per token"),
        ("so 320 KBB per token", "so 320 KiB per token"),
        ("so 320 kibby bites per token", "so 320 KiB per token"),
        ("so 320 kilovit per token", "so 320 KiB per token"),
        ("320 kilobytes, and 320 KB again", "320 KiB, and 320 KiB again"),
    ],
)
def test_a_binary_unit_is_restored_where_the_card_has_it(heard: str, meant: str) -> None:
    repaired = repair(heard, card("FDE-02"))
    assert repaired.text == meant
    for change in repaired.restored:
        assert repaired.text[change.start : change.end] == change.now == "KiB"
        assert "320 KiB" in change.reason


@pytest.mark.parametrize(
    ("heard", "meant"),
    [
        ("About 69 tokens, um, because", "About 69 tokens per second, um, because"),
        ("About 69 tokens per 2nd.", "About 69 tokens per second."),
    ],
)
def test_a_rate_gets_its_second_back(heard: str, meant: str) -> None:
    assert repair(heard, card("INF-001")).text == meant


@pytest.mark.parametrize(
    ("name", "heard", "meant"),
    [
        (
            "INF-100",
            "The card reads for a point 8 terabyte per second, um",
            "The card reads 4.8 terabyte per second, um",
        ),
        ("INF-001", "It is for point eight terabytes a second.", "It is 4.8 terabytes a second."),
        ("INF-010", "One user holds to point 7 gigabytes", "One user holds 2.7 gigabytes"),
        ("FDE-05", "each step takes a 8 milliseconds.", "each step takes 88 milliseconds."),
        ("FDE-05", "each step takes a eight milliseconds.", "each step takes 88 milliseconds."),
    ],
)
def test_a_figure_written_as_another_word_is_restored(name: str, heard: str, meant: str) -> None:
    assert repair(heard, card(name)).text == meant


def test_a_rate_of_a_rate_gets_the_unit_of_the_card() -> None:
    repaired = repair("and reads 3.35 TFLOPS per second.", card("INF-003"))
    assert repaired.text == "and reads 3.35 TB/s."
    assert "is 3.35 TB/s" in repaired.restored[0].reason


@pytest.mark.parametrize(
    "heard",
    [
        "an 8 millisecond step",
        "a 9 milliseconds",  # no 89 ms on the card
        "a 5 millisecond delay",
        "for the 8 milliseconds that it takes",
        "wait for a point 8 seconds",  # no 4.8 s on the card
        "to a point in the queue",
    ],
)
def test_words_that_may_be_meant_are_not_figures(heard: str) -> None:
    assert repair(heard, card("FDE-05")).text == heard


@pytest.mark.parametrize(
    "heard",
    [
        "70 GB of weights",  # the card's own unit
        "321 KB per token",  # not the card's figure
        "about 300 KB",  # as little
        "320 GB per token",  # another power
        "69 tokens per second",
        "69 users",
        "70 tokens",  # the weights are 70 GB
        "",
        "no number at all",
    ],
)
def test_nothing_else_is_touched(heard: str) -> None:
    for name in ("FDE-02", "INF-001"):
        repaired = repair(heard, card(name))
        assert (repaired.text, repaired.restored) == (heard, ())


def test_a_card_without_facts_changes_nothing() -> None:
    assert repair("320 KB", card("BEH-FAIL")).restored == ()


@pytest.mark.parametrize("said", ["320 KB per token", "2.5 GB for an 8K user"])
def test_a_decimal_unit_heard_for_a_binary_one_is_never_called_wrong(said: str) -> None:
    text = f"The cache takes {said}."
    spoke = CandidateSpoke(client_id="a", text=text, mode="spoken")
    turn = Turn(number=1, speaker="candidate", text=text, at=AT, seq=1, answer=spoke)
    found = check_numbers([turn], compute_facts(card("FDE-02")))
    assert found[0].verdict == "right"
    assert {finding.verdict for finding in found} <= {"right", "unchecked"}


PLAIN = (
    "We cache for the users and to a point it helps, because a step reads all of the weights; too "
    "many of them, and a user waits. For a while a batch of ten to twenty is fine, a fifth of it "
    "at most. To measure it I take a trace, for a start."
)


@pytest.mark.parametrize("each", load(CARDS).cards, ids=lambda each: each.id)
def test_plain_words_are_restored_on_no_card(each: QuestionCard) -> None:
    assert repair(PLAIN, each).restored == ()


@pytest.mark.parametrize("each", load(CARDS).cards, ids=lambda each: each.id)
def test_of_what_a_card_itself_says_only_binary_units_are_restored(each: QuestionCard) -> None:
    for text in (each.model_answer, each.short_answer, each.question, *each.scenario):
        for change in repair(text, each).restored:
            assert change.now in ("KiB", "MiB", "GiB", "TiB")
