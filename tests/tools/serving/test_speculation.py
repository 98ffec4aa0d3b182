"""Speculation: the bonus token, acceptance by position, trees, counters, traces, batches."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.result import Result, ToolError
from tools.serving.acceptance import best_tree, expected_tokens, paths

few = settings(derandomize=True, max_examples=40, deadline=None, database=None)
RATES = st.lists(st.floats(0, 1), max_size=8)


def call(tool: str, **arguments: object) -> Result:
    return CATALOG[tool].call(arguments)


def value(tool: str, measure: str, **arguments: object) -> float:
    return call(tool, **arguments).measures[measure].value


@few
@given(RATES)
def test_a_step_yields_between_one_token_and_all_drafts_and_the_bonus(alphas: list[float]) -> None:
    assert 1 <= expected_tokens(alphas) <= len(alphas) + 1


def test_bug_21_the_bonus_token_is_not_dropped() -> None:
    assert value("spec_decode", "expected_tokens", alpha=1, gamma=4) == 5
    assert value("spec_decode", "expected_tokens", alpha=0, gamma=4) == 1


def test_bug_21_gamma_is_a_number_of_drafts_and_alpha_a_rate() -> None:
    with pytest.raises(ToolError, match="alpha"):
        call("spec_decode", alpha=4, gamma=0)


def test_bug_21_a_verification_without_accepted_drafts_emits_one_token() -> None:
    assert value("spec_counters", "acceptance_length", drafts=10, accepted=0) == 1


def test_a_rate_per_position_counts_only_after_those_before_it() -> None:
    found = value("spec_decode", "expected_tokens", alphas=[0.5, 1.0, 0.0, 1.0])
    assert found == 1 + 0.5 + 0.5


def test_heads_that_draft_in_one_pass_pay_for_one_pass() -> None:
    chain, heads = (
        value("spec_decode", "speedup", alpha=0.8, gamma=4, draft_cost=0.1, parallel=p)
        for p in (False, True)
    )
    assert chain == pytest.approx(3.3616 / 1.4)
    assert heads == pytest.approx(3.3616 / 1.1)


def test_a_dear_drafter_makes_no_draft_the_best_length() -> None:
    result = call("spec_decode", alpha=0.5, gamma=4, draft_cost=1)
    assert result.measures["best_gamma"].value == 0
    assert "slower than plain decoding" in " ".join(result.warnings)


def test_at_the_break_even_rate_nothing_is_gained() -> None:
    rate = value("spec_decode", "break_even_alpha", alpha=0.8, gamma=4, draft_cost=0.1)
    found = value("spec_decode", "speedup", alpha=rate, gamma=4, draft_cost=0.1)
    assert found == pytest.approx(1)


def test_alpha_and_alphas_together_are_refused() -> None:
    with pytest.raises(ToolError, match="either alpha or alphas"):
        call("spec_decode", alpha=0.8, alphas=[0.8])


def test_more_drafts_than_rates_are_refused() -> None:
    with pytest.raises(ToolError, match="gamma"):
        call("spec_decode", alphas=[0.8], gamma=2)


# --- workload and batch ---


def test_own_lengths_are_never_slower_than_one_for_all() -> None:
    mix = [{"name": "code", "alpha": 0.9, "share": 1}, {"name": "chat", "alpha": 0.4, "share": 2}]
    cheap, dear = (value("spec_mix", "gain", classes=mix, draft_cost=c) for c in (0.02, 0.2))
    assert 0 <= cheap < dear


def test_a_class_that_slows_down_is_named() -> None:
    mix = [{"name": "code", "alpha": 0.95, "share": 9}, {"name": "chat", "alpha": 0, "share": 1}]
    assert "chat is slower" in call("spec_mix", classes=mix, draft_cost=0.1).warnings[0]


DRAFTER = {"name": "d", "alphas": [0.8] * 4, "weights_gb": 2}


def test_the_gain_ends_where_verification_becomes_arithmetic() -> None:
    asked = {"drafters": [DRAFTER], "weights_gb": 140, "params_b": 70, "gpu": "H100"}
    small, large = (value("spec_batch", "speedup", batch=b, **asked) for b in (1, 2048))
    assert small > 3
    assert large < 1


def test_a_long_context_keeps_speculation_worth_while() -> None:
    asked = {"drafters": [DRAFTER], "model": "Llama-3.3-70B", "gpu": "H100", "gpus": 8}
    short, long = (
        value("spec_batch", "speedup", batch=256, context=c, **asked) for c in (256, 8192)
    )
    assert long > short


def test_the_winner_of_two_drafters_flips_with_the_batch() -> None:
    good = {"name": "deep", "alphas": [0.8] * 6, "weights_gb": 8}
    light = {"name": "light", "alphas": [0.6], "weights_gb": 1}
    found = call(
        "spec_batch", drafters=[good, light], weights_gb=140, params_b=70, gpu="H100"
    ).measures["flip_batch"]
    assert found.label.startswith("light overtakes deep")


def test_a_target_of_figures_and_of_a_model_at_once_is_refused() -> None:
    with pytest.raises(ToolError, match="not both"):
        call("spec_batch", drafters=[DRAFTER], gpu="H100", model="Llama-3.3-70B", weights_gb=1)


# --- trees ---


def test_a_tree_of_single_children_is_a_chain() -> None:
    tree = call("spec_tree", ranks=[0.7], branches=[1, 1, 1], chain=3).measures
    assert tree["expected_tokens"].value == pytest.approx(tree["chain_tokens"].value)


@few
@given(st.integers(1, 20), st.lists(st.floats(0.01, 0.24), min_size=1, max_size=4))
def test_the_best_tree_beats_the_chain_and_the_star(nodes: int, ranks: list[float]) -> None:
    ranks = sorted(ranks, reverse=True)
    best = sum(paths(best_tree(nodes, ranks), ranks))
    assert best >= sum(ranks[0] ** d for d in range(1, nodes + 1)) - 1e-12
    assert best >= sum(ranks[:nodes]) - 1e-12


def test_a_node_sees_its_ancestors_and_not_its_siblings() -> None:
    table = call("spec_tree", ranks=[0.5, 0.3], parents=[-1, -1, 0, 0]).table
    assert [row["mask"] for row in table] == ["1...", ".1..", "1.1.", "1..1"]


def test_a_tree_and_a_chain_are_equal_at_the_flip() -> None:
    asked = {"ranks": [0.6, 0.2, 0.1], "branches": [3, 1, 1], "draft_cost": 0.05}
    flip = value("spec_tree", "flip_cost_per_token", **asked)
    there = call("spec_tree", cost_per_token=flip, **asked).measures
    assert there["speedup"].value == pytest.approx(there["chain_speedup"].value)


def test_chances_that_exceed_one_together_are_refused() -> None:
    with pytest.raises(ToolError, match="sum at most 1"):
        call("spec_tree", ranks=[0.8, 0.4], branches=[2])


def test_a_node_before_its_parent_is_refused() -> None:
    with pytest.raises(ToolError, match="after its parent"):
        call("spec_tree", ranks=[0.8], parents=[1, -1])


# --- counters ---


def test_a_counter_that_fell_is_a_reset_and_not_a_rate() -> None:
    with pytest.raises(ToolError, match="reset"):
        call("spec_counters", drafts=5, accepted=9, drafts_before=50, accepted_before=3)


@pytest.mark.parametrize(
    "per_position", [[9, 9], [4, 6], [6, 5]], ids=["more than drafts", "rising", "another sum"]
)
def test_positions_that_contradict_the_totals_are_refused(per_position: list[int]) -> None:
    with pytest.raises(ToolError, match="per_position"):
        call("spec_counters", drafts=8, accepted=10, per_position=per_position)


def test_tokens_behind_an_end_are_counted_as_cut() -> None:
    assert value("spec_counters", "cut_tokens", drafts=10, accepted=20, emitted=27) == 3


def test_more_emitted_than_verified_tokens_are_refused() -> None:
    with pytest.raises(ToolError, match="emitted"):
        call("spec_counters", drafts=10, accepted=20, emitted=31)


# --- traces ---


def test_a_rejection_emits_the_correction_and_gives_slots_back() -> None:
    row = call("spec_trace", target=[1, 2, 3, 4], drafts=[[2, 9, 9]]).table[0]
    assert (row["accepted"], row["emitted"], row["computed"], row["rolled_back"]) == (1, 2, 4, 2)


def test_a_full_acceptance_emits_the_bonus_token() -> None:
    row = call("spec_trace", target=[1, 2, 3, 4], drafts=[[2, 3]]).table[0]
    assert (row["accepted"], row["emitted"], row["rolled_back"]) == (2, 3, 0)


def test_nothing_is_emitted_behind_the_end_of_the_text() -> None:
    row = call("spec_trace", target=[1, 2, 7, 4, 5], drafts=[[2, 7, 4]], eos=7).table[-1]
    assert (row["accepted"], row["emitted"], row["end"]) == (3, 2, "eos")


def test_an_output_limit_cuts_the_bonus_token() -> None:
    result = call("spec_trace", target=[1, 2, 3, 4], drafts=[[2, 3]], max_tokens=3)
    assert result.measures["emitted"].value == 2
    assert result.table[-1]["end"] == "limit"


def test_a_text_that_repeats_nothing_accepts_nothing() -> None:
    result = call("prompt_lookup", prompt="a b c", output="x y z w")
    assert result.measures["accepted"].value == 0
    assert "only the cost remains" in result.warnings[0]


def test_a_longer_match_drafts_less_and_misses_less() -> None:
    asked = CATALOG["prompt_lookup"].example
    found = CATALOG["prompt_lookup"].call(asked).measures
    drafted = [found[f"drafted_match_{n}"].value for n in (1, 2, 3)]
    assert drafted == sorted(drafted, reverse=True)
