"""The radix cache: splits, locks, evictions, and that no slot is ever lost or given twice."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.engine.radix_run import VERBS, RadixRun
from tools.engine.script import read_script
from tools.result import Result, ToolError

few = settings(derandomize=True, max_examples=150, deadline=None, database=None)


def run(ops: str, **given_: Any) -> Result:
    return CATALOG["radix_sim"].call({"ops": ops, **given_})


def value(result: Result, key: str) -> float:
    return result.measures[key].value


def test_an_edge_splits_where_two_prompts_part() -> None:
    result = run("admit a 1-20,101-110; admit b 1-20,201-210")
    assert (value(result, "splits"), value(result, "nodes"), value(result, "hit_tokens")) == (
        1,
        3,
        20,
    )


def test_an_exact_repeat_computes_its_last_token() -> None:
    assert value(run("admit a 1-20; admit b 1-20"), "hit_tokens") == 19


def test_a_split_edge_stays_locked_in_both_parts() -> None:
    result = run("admit a 1-20,101-110; admit b 1-20,201-210; evict 40")
    assert (value(result, "protected"), value(result, "evicted_tokens")) == (40, 0)


def test_a_finished_request_leaves_its_answer_to_be_hit() -> None:
    result = run("admit a 1-10; append a 50-54; finish a; admit b 1-10,50-54,99")
    assert value(result, "hit_tokens") == 15


def test_the_least_recently_used_leaf_goes_first_and_its_parent_only_after_it() -> None:
    ops = "admit a 1-4,10-13; finish a; admit b 1-4,20-23; finish b; match 1-4,10-13; evict 1"
    assert run(ops).table[-1]["evicted"] == 4
    assert run(f"{ops}; match 1-4,10-13").table[-1]["hit"] == 8
    assert run(f"{ops}; match 1-4,20-23").table[-1]["hit"] == 4


def test_a_parent_that_lost_its_children_can_be_evicted_in_the_same_call() -> None:
    result = run("admit a 1-4,10-13; finish a; admit b 1-4,20-23; finish b; evict 12")
    assert (value(result, "nodes"), value(result, "free")) == (0, 200)


def test_a_running_requests_path_is_not_evicted_for_another() -> None:
    result = run("admit a 1-60; admit b 101-160", capacity=100)
    assert value(result, "refused") == 1
    assert value(result, "protected") == 60


def test_a_refused_request_gives_its_lock_back() -> None:
    result = run("admit a 1-10; finish a; admit b 1-10,20-99; evict 10", capacity=20)
    assert (value(result, "refused"), value(result, "evicted_tokens")) == (1, 10)


def test_only_whole_pages_are_shared() -> None:
    result = run("admit a 1-20; admit b 1-20", page_size=16)
    assert (value(result, "hit_tokens"), value(result, "own")) == (16, 8)


@pytest.mark.parametrize(
    ("ops", "remedy"),
    [
        ("finish a", "does not run"),
        ("admit a 1; admit a 2", "runs already"),
        ("evict x", "whole number"),
        ("lock 1", "unknown operation"),
    ],
)
def test_a_bad_operation_is_told_the_remedy(ops: str, remedy: str) -> None:
    with pytest.raises(ToolError, match=remedy):
        run(ops)


NAMES = st.sampled_from("abcd")
TOKENS = st.lists(st.integers(1, 3), min_size=1, max_size=9).map(lambda ts: ",".join(map(str, ts)))
OPS = st.one_of(
    st.builds(lambda n, t: f"admit {n} {t}", NAMES, TOKENS),
    st.builds(lambda n, t: f"append {n} {t}", NAMES, TOKENS),
    st.builds(lambda v, n: f"{v} {n}", st.sampled_from(["finish", "abort"]), NAMES),
    st.builds(lambda t: f"match {t}", TOKENS),
    st.builds(lambda n: f"evict {n}", st.integers(1, 9)),
)


@few
@given(st.lists(OPS, max_size=30), st.integers(9, 40), st.integers(1, 3))
def test_every_slot_is_free_or_in_the_tree_or_with_one_request(
    ops: list[str], capacity: int, page: int
) -> None:
    under_test = RadixRun(capacity, page)
    for op in ops:
        try:
            under_test.run(read_script(op, VERBS)[0])
        except ToolError:
            continue
        tree = [slot for node, _ in under_test.tree for slot in node.slots]
        own = [slot for request in under_test.requests.values() for slot in request.own]
        assert sorted([*under_test.free, *tree, *own]) == list(range(capacity))


@few
@given(st.lists(OPS, max_size=30), st.integers(9, 40), st.integers(1, 3))
def test_locked_and_evictable_tokens_are_those_of_the_tree_and_every_request_keeps_its_path(
    ops: list[str], capacity: int, page: int
) -> None:
    under_test = RadixRun(capacity, page)
    for op in ops:
        try:
            under_test.run(read_script(op, VERBS)[0])
        except ToolError:
            continue
        nodes = [node for node, _ in under_test.tree]
        tree = under_test.tree
        assert tree.protected == sum(len(node.key) for node in nodes if node.locks)
        assert tree.evictable == sum(len(node.key) for node in nodes if not node.locks)
        for request in under_test.requests.values():
            assert path(request.node) == request.tokens[: request.cached]
            assert len(request.own) == len(request.tokens) - request.cached


def path(node: Any) -> list[int]:
    tokens: list[int] = []
    while node.parent:
        tokens = [*node.key, *tokens]
        node = node.parent
    return tokens
