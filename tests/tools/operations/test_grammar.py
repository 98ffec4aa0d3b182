"""Grammars: masks bit by bit, whole tokens, forced text and the threads that fill masks."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.operations.automaton import characters, trie
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=60, deadline=None, database=None)

NUMBER = [
    {"source": 0, "chars": "\\-", "target": 1},
    {"source": 0, "chars": "0-9", "target": 2},
    {"source": 1, "chars": "0-9", "target": 2},
    {"source": 2, "chars": "0-9", "target": 2},
]


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


@few
@given(
    st.lists(st.text("abc", min_size=1, max_size=5), min_size=1, max_size=6, unique=True),
    st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=10, unique=True),
    st.text("abc", max_size=4),
)
def test_a_token_is_allowed_exactly_where_some_text_goes_on_with_it(
    choices: list[str], vocab: list[str], prefix: str
) -> None:
    automaton = trie(choices)
    state = automaton.walk(0, prefix)
    expected = [n for n, t in enumerate(vocab) if any(c.startswith(prefix + t) for c in choices)]
    assert ([] if state is None else automaton.allowed(state, vocab)) == expected


@few
@given(st.text("-0123456789", max_size=6))
def test_an_automaton_of_edges_takes_the_texts_of_its_expression(text: str) -> None:
    arguments = {"edges": NUMBER, "accepting": [2], "vocab": list("-0123456789"), "text": text}
    if not re.match(r"-?\d*$", text):
        with pytest.raises(ToolError, match="no token allows it"):
            call("grammar_automaton", **arguments)
        return
    result = call("grammar_automaton", **arguments)
    if text:
        complete = re.fullmatch(r"-?\d+", text) is not None
        assert result.measures["complete"].value == complete


def test_a_token_whose_first_character_alone_fits_is_masked_out() -> None:
    row = call("grammar_automaton", choices=["true"], vocab=["t", "try", "true"]).table[0]
    assert (row["allowed"], row["mask"]) == (2, "0x00000005")


def test_a_state_that_leads_nowhere_is_cut_off() -> None:
    edges = [*NUMBER, {"source": 0, "chars": "x", "target": 9}]
    result = call("grammar_automaton", edges=edges, accepting=[2], vocab=["x", "1"])
    assert result.table[0]["tokens"] == "'1'"


def test_two_moves_of_one_character_are_refused_by_their_place() -> None:
    edges = [*NUMBER, {"source": 0, "chars": "5", "target": 1}]
    with pytest.raises(ToolError) as caught:
        call("grammar_automaton", edges=edges, accepting=[2], vocab=["1"])
    assert caught.value.field == "edges.4.chars"


def test_a_state_that_no_token_leaves_is_warned_of() -> None:
    result = call("grammar_automaton", choices=["ab"], vocab=["a"])
    assert result.measures["stuck_states"].value == 1
    assert any("would hang" in warning for warning in result.warnings)


def test_forced_text_that_a_token_reaches_over_is_warned_of() -> None:
    vocab = ['{"k": ', '"', 'x"', ' "x', "y", '"}']
    choices = ['{"k": "x"}', '{"k": "y"}']
    over = call("grammar_automaton", choices=choices, vocab=[*vocab, ': "x'])
    assert over.measures["forced_start"].value == len('{"k": "')
    assert any("': \"x'" in w or "reaches on" in w for w in over.warnings)


def test_forced_text_that_no_token_crosses_brings_no_warning() -> None:
    result = call("grammar_automaton", choices=["ab1", "ab2"], vocab=["a", "b", "ab", "1", "2"])
    assert result.measures["forced_start"].value == 2
    assert not result.warnings


def test_a_loop_that_is_forced_for_ever_ends() -> None:
    edges = [
        {"source": 0, "chars": "a", "target": 0},
        {"source": 0, "chars": "b", "target": 1},
        {"source": 1, "chars": "c", "target": 1},
    ]
    with pytest.raises(ToolError, match="no accepting state"):
        call("grammar_automaton", edges=edges, accepting=[7], vocab=["a"])


@few
@given(st.integers(1, 300_000))
def test_a_mask_has_a_bit_for_every_token_in_whole_words(vocab: int) -> None:
    size = call("grammar_mask", vocab=vocab, forward_ms=10).value
    assert size % 4 == 0
    assert 0 <= size * 8 - vocab < 32


def test_a_mask_behind_the_forward_pass_costs_nothing_until_it_is_longer() -> None:
    arguments = {"vocab": 100_000, "check_ns": 100, "batch": 1}
    for forward, overlapped, exposed in ((15, True, 0), (8, True, 2), (15, False, 10)):
        result = call("grammar_mask", **arguments, forward_ms=forward, overlapped=overlapped)
        assert result.measures["exposed_ms"].value == pytest.approx(exposed)


def test_threads_take_whole_requests() -> None:
    arguments = {"vocab": 100_000, "check_ns": 100, "forward_ms": 10, "batch": 5}
    times = [call("grammar_mask", threads=n, **arguments).measures["mask_ms"].value for n in (1, 4)]
    assert times == pytest.approx([50, 20])


def test_compiling_in_the_scheduler_stops_everyone_and_in_workers_only_its_own() -> None:
    measures = CATALOG["grammar_compile"].call(CATALOG["grammar_compile"].example).measures
    assert measures["stalled"].value == pytest.approx(0.24)
    assert measures["mean_ms"].value < 13


def test_workers_that_cannot_keep_up_are_refused() -> None:
    with pytest.raises(ToolError) as caught:
        call("grammar_compile", compile_ms=500, requests_per_s=10, new_share=1, step_ms=20)
    assert caught.value.field == "threads"


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [("abc", "abc"), ("a-d", "abcd"), ("a\\-d", "a-d"), ("-a", "-a"), ("a-", "a-"), ("\\\\", "\\")],
)
def test_a_class_of_characters_is_read_as_written(pattern: str, expected: str) -> None:
    assert "".join(characters(pattern)) == expected


def test_a_grammar_that_would_take_seconds_is_refused() -> None:
    edges = [{"source": n, "chars": "一-鿿" * 30, "target": n} for n in range(300)]
    with pytest.raises(ToolError, match="moves in all"):
        call("grammar_automaton", edges=edges, accepting=[0], vocab=["a"])
