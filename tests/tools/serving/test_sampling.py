"""Sampling: the kept set by order and ties, and the exact law of rejection sampling."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)
LOGITS = st.lists(st.integers(-8, 8).map(float), min_size=1, max_size=20)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def kept(**arguments: object) -> list[str]:
    return [row["token"] for row in call("sampling_ref", **arguments).table if row["kept"]]


def test_ties_at_the_edge_of_top_k_are_all_kept_unless_cut() -> None:
    asked = {"logits": [1, 3, 3, 3, 0], "top_k": 2}
    assert kept(**asked) == ["1", "2", "3"]
    assert kept(**asked, ties="cut") == ["1", "2"]


def test_top_p_keeps_the_token_that_reaches_it() -> None:
    logits = [0.0, 0.0, 0.0, 0.0]
    assert len(kept(logits=logits, top_p=0.5, ties="cut")) == 2
    assert len(kept(logits=logits, top_p=0.51, ties="cut")) == 3


@few
@given(LOGITS)
def test_top_p_of_1_keeps_every_token_whatever_rounds(logits: list[float]) -> None:
    assert len(kept(logits=logits, top_p=1)) == len(logits)


def test_top_p_of_1_keeps_a_token_too_rare_for_the_sum_to_show() -> None:
    assert kept(logits=[0.0, -50.0], top_p=1) == ["0", "1"]


@few
@given(LOGITS, st.integers(0, 20), st.floats(0.01, 1), st.floats(0, 1), st.randoms())
def test_the_kept_set_does_not_depend_on_the_order_of_the_vocabulary(
    logits: list[float], top_k: int, top_p: float, min_p: float, random: object
) -> None:
    knobs = {"top_k": top_k, "top_p": top_p, "min_p": min_p}
    found = sorted(logits[int(i)] for i in kept(logits=logits, **knobs))
    shuffled = list(logits)
    random.shuffle(shuffled)  # type: ignore[attr-defined]
    assert found == sorted(shuffled[int(i)] for i in kept(logits=shuffled, **knobs))


@few
@given(LOGITS, st.floats(0.1, 10), st.integers(0, 20), st.floats(0.01, 1), st.floats(0, 1))
def test_the_probabilities_of_the_kept_tokens_sum_to_1(
    logits: list[float], temperature: float, top_k: int, top_p: float, min_p: float
) -> None:
    knobs = {"temperature": temperature, "top_k": top_k, "top_p": top_p, "min_p": min_p}
    table = call("sampling_ref", logits=logits, **knobs).table
    assert sum(row["probability"] for row in table) == pytest.approx(1)
    assert kept(logits=logits, **knobs)


def test_temperature_0_is_greedy_and_says_that_logits_tie() -> None:
    result = call("sampling_ref", logits=[1, 5, 5], temperature=0, top_k=3)
    assert [row["probability"] for row in result.table] == [0, 1, 0]
    assert "2 tokens tie" in result.warnings[0]


def test_temperature_after_the_filters_cannot_widen_the_set() -> None:
    asked = {"logits": [2.0, 1.5, 1.0, 0.5, 0.0, -1.0], "temperature": 2, "min_p": 0.3}
    assert len(kept(**asked, order="vllm")) > len(kept(**asked, order="llama.cpp"))


def test_an_engine_that_would_keep_other_tokens_is_named() -> None:
    result = CATALOG["sampling_ref"].call(CATALOG["sampling_ref"].example)
    assert any("llama.cpp's order drops" in warning for warning in result.warnings)


def test_a_huge_logit_does_not_overflow() -> None:
    assert call("sampling_ref", logits=[1e4, -1e4]).measures["top_probability"].value == 1


def test_an_order_that_names_a_step_twice_is_refused() -> None:
    with pytest.raises(ToolError, match="each of the four once"):
        call("sampling_ref", logits=[1, 2], steps=["top_k", "top_k", "top_p", "min_p"])


# --- rejection sampling ---


def law(weights: list[int]) -> list[float]:
    """Tenths that sum to 1."""
    return [weight / sum(weights) for weight in weights]


ROWS = st.lists(st.integers(1, 9), min_size=3, max_size=3).map(law)


@few
@given(st.lists(ROWS, min_size=2, max_size=3), st.data())
def test_the_exact_rule_has_total_variation_zero(
    target: list[list[float]], data: st.DataObject
) -> None:
    draft = [data.draw(ROWS) for _ in target[1:]]
    assert call("speculative_sampling", target=target, draft=draft).value == 0


@pytest.mark.parametrize("rule", ["no_residual", "draft_bonus", "always_accept"])
def test_a_faulty_rule_is_seen_in_the_law(rule: str) -> None:
    example = CATALOG["speculative_sampling"].example
    result = CATALOG["speculative_sampling"].call({**example, "rule": rule})
    assert result.value > 0
    assert result.measures["samples_to_tell"].value > 1


def test_the_residual_is_what_the_draft_had_too_little_of() -> None:
    table = CATALOG["speculative_sampling"].call(CATALOG["speculative_sampling"].example).table
    assert [row["residual_law"] for row in table] == [1, 0, 0]


def test_equal_laws_are_always_accepted() -> None:
    rows = [[0.25, 0.75], [0.25, 0.75]]
    result = call("speculative_sampling", target=rows, draft=rows[:1])
    assert result.measures["acceptance"].value == 1
    assert result.measures["expected_tokens"].value == 2


def test_a_row_as_written_is_exact() -> None:
    rows = [[0.1, 0.2, 0.7], [1.0, 0.0, 0.0]]
    result = call("speculative_sampling", target=rows, draft=[[0.3, 0.3, 0.4]])
    assert result.measures["acceptance"].value == float(Fraction(7, 10))


def test_rows_that_do_not_sum_to_1_are_refused() -> None:
    with pytest.raises(ToolError, match="not 1"):
        call("speculative_sampling", target=[[0.5, 0.4], [0.5, 0.5]], draft=[[0.5, 0.5]])


def test_a_missing_row_for_the_bonus_token_is_refused() -> None:
    with pytest.raises(ToolError, match="bonus"):
        call("speculative_sampling", target=[[0.5, 0.5]], draft=[[0.5, 0.5]])
