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
