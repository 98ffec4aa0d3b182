"""Streams through the gate."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.grounding.facts import compute_facts
from interviewer.grounding.gate import LONGEST, Blocked, Passed, SentenceGate
from interviewer.grounding.ledger import Ledger
from tests.interviewer.grounding.board import CATALOG, card

CARD = card()
LEDGER = Ledger.of(CARD, compute_facts(CARD, CATALOG))


def run(*deltas: str) -> list[Passed | Blocked]:
    gate = SentenceGate(LEDGER)
    out = [piece for delta in deltas for piece in gate.feed(delta)]
    return out + gate.close()


def shown(pieces: list[Passed | Blocked]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Passed))


def blocked(pieces: list[Passed | Blocked]) -> str:
    return "".join(piece.text for piece in pieces if isinstance(piece, Blocked))


def test_text_without_numbers_passes_at_once() -> None:
    gate = SentenceGate(LEDGER)
    assert gate.feed("What would ") == [Passed("What would ")]
    assert gate.feed("you give up?") == [Passed("you give up?")]


def test_a_word_that_may_become_a_number_waits_for_its_end() -> None:
    gate = SentenceGate(LEDGER)
    assert gate.feed("It is so") == [Passed("It is so")]
    assert gate.feed(" fo") == [Passed(" ")]
    assert gate.feed("r you") == [Passed("for you")]


def test_a_sentence_with_a_number_is_held_until_it_ends() -> None:
    gate = SentenceGate(LEDGER)
    assert gate.feed("Fine. The floor is 14") == [Passed("Fine.")]
    assert gate.feed(".6 ms a step") == []
    (passed,) = gate.feed(". And ")[:1]
    assert isinstance(passed, Passed)
    assert passed.text == " The floor is 14.6 ms a step."
    assert [figure.ref for figure in passed.figures] == ["floor"]


def test_an_ungrounded_sentence_is_blocked_and_the_next_passes() -> None:
    pieces = run("Good. The floor is 77.7 ms. Why?")
    assert shown(pieces) == "Good. Why?"
    (piece,) = [piece for piece in pieces if isinstance(piece, Blocked)]
    assert [said.text for said in piece.ungrounded] == ["77.7 ms"]


def test_what_passed_before_the_number_came_stays() -> None:
    assert shown(run("The ", "floor ", "is ", "77.7", " ms", ". ", "Why?")) == "The floor is  Why?"


def test_figures_count_from_the_first_character_shown() -> None:
    pieces = run("It is 99.9 ms. No: ", "a floor of ", "14.6 ms.")
    figures = [f for piece in pieces if isinstance(piece, Passed) for f in piece.figures]
    text = shown(pieces)
    assert [text[figure.start : figure.end] for figure in figures] == ["14.6 ms"]


def test_names_with_digits_pass() -> None:
    assert blocked(run("On an H", "200 with Llama 3", ".3 in F", "P8, e.g. in Q3?")) == ""


@pytest.mark.parametrize("text", ["It is 3.3 ms", "E.g. about 14.6 ms, i.e. 77 users"])
def test_dots_inside_numbers_and_abbreviations_end_no_sentence(text: str) -> None:
    assert blocked(run(text)) == text


def test_a_number_cut_anywhere_is_judged_whole() -> None:
    text = "So fourteen point six milliseconds. And 141 GB."
    for cut in range(len(text)):
        assert blocked(run(text[:cut], text[cut:])) == ""


def test_an_endless_sentence_is_cut_and_judged_as_it_stands() -> None:
    gate = SentenceGate(LEDGER)
    pieces = gate.feed("1 " + "very " * 1_000)
    assert len(pieces[0].text) <= LONGEST
    assert isinstance(pieces[0], Blocked)


PIECES = (
    "The |floor |is |14.6 ms|77 users|. |\n|fo|ur |H|200|a |hundred|e.g. |? |seven|th |$|5| |😀|"
    "half |.|\ud800"
)
TEXTS = st.lists(
    st.sampled_from(PIECES.split("|"))
    | st.text(st.characters(categories=None, codec=None), max_size=4),
    max_size=30,
)


@given(TEXTS)
def test_passed_and_blocked_text_together_are_the_input(deltas: list[str]) -> None:
    assert "".join(piece.text for piece in run(*deltas)) == "".join(deltas)


@given(TEXTS)
def test_nothing_ungrounded_passes(deltas: list[str]) -> None:
    pieces = run(*deltas)
    if not blocked(pieces):
        assert LEDGER.ground("".join(deltas)).ungrounded == ()


@given(st.sampled_from(["seven", "Seven", "sev", "s", "the", "cache", "half", "sixes", "hundreds"]))
def test_a_word_passes_at_once_only_where_it_would_pass_whole(word: str) -> None:
    delta = f" {word}"
    asked, fed = SentenceGate(LEDGER), SentenceGate(LEDGER)
    assert asked.passes(delta, word.lower()) == (fed.feed(delta) == [Passed(delta)])
