"""The paper's model of blocks, what never breaks, and what a bad script is told."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tools.catalog import CATALOG
from tools.engine.paper_blocks import PaperBlocks
from tools.engine.pool import BlockPool, OutOfBlocks
from tools.result import Result, ToolError

DEMO = """admit a 1000-1039,1,2,3
admit b 1000-1039,7,8
fork b b2
append b2 99
admit c 999,1001-1039
admit d 1000-1039 salt=tenant-42
free a
free b
free b2
admit e 1000-1039"""


def run(ops: str, **given_: Any) -> Result:
    return CATALOG["block_manager_sim"].call({"ops": ops, **given_})


def test_the_teaching_demo_prints_what_its_text_says() -> None:
    rows = run(DEMO, blocks=64, mode="paper").table
    hits = [rows[index]["hit"] for index in (0, 1, 4, 5, 9)]
    assert [*hits[:2], rows[3]["free"], *hits[2:]] == [0, 32, 59, 0, 0, 32]


def test_an_exact_repeat_hits_all_in_the_paper_model_and_all_but_a_block_in_vllm() -> None:
    repeat = "admit a 0-31; admit b 0-31"
    assert run(repeat, mode="paper").table[1]["hit"] == 32
    assert run(repeat).table[1]["hit"] == 16


def test_the_paper_model_says_that_vllm_v1_has_no_fork() -> None:
    assert any("vLLM V1 has neither" in line for line in run(DEMO, mode="paper").assumptions)
    with pytest.raises(ToolError, match="no fork"):
        run("admit a 0-31; fork a b")


def test_a_refused_admission_leaves_every_block_free() -> None:
    result = run("admit a 0-47", blocks=2, mode="paper")
    assert result.measures["refused"].value == 1
    assert (result.measures["free_blocks"].value, result.measures["used_blocks"].value) == (2, 0)


def test_the_last_sharer_writes_in_place() -> None:
    result = run("admit a 0-19; fork a b; free a; append b 7", mode="paper", blocks=8)
    assert result.measures["copies"].value == 0


def test_a_full_shared_block_is_not_copied() -> None:
    result = run("admit a 0-15; fork a b; append b 7", mode="paper", blocks=8)
    assert result.measures["copies"].value == 0
    assert result.table[-1]["new"] == [2]


def test_both_sharers_of_an_open_block_end_with_one_each() -> None:
    result = run("admit a 0-19; fork a b; append a 7; append b 8", mode="paper", blocks=8)
    assert result.measures["copies"].value == 1
    assert result.measures["used_blocks"].value == 3


@pytest.mark.parametrize(
    ("ops", "remedy"),
    [
        ("# nothing", "at least one line"),
        ("grow a", "unknown operation"),
        ("admit a", "needs tokens"),
        ("admit a 5-1", "backwards"),
        ("admit a 0-999999999", "tokens in all"),
        ("admit a x", "no token or range"),
        ("admit a 1 speed=2", "no option"),
        ("free a", "not held"),
        ("admit a 1; admit a 2", "held already"),
        ("append a 1", "not held"),
        ("admit <b> 1", "letters, digits"),
        ("admit a 1 chunk=x", "whole number"),
        ("admit a 1;" * 2001, "at most 2,000"),
    ],
)
def test_a_bad_script_is_told_its_line_and_the_remedy(ops: str, remedy: str) -> None:
    with pytest.raises(ToolError, match=remedy) as caught:
        run(ops)
    assert caught.value.field == "ops"


@pytest.mark.parametrize(
    "groups", ["", "full,", "sliding", "sliding:1", "window:4", "full," * 9 + "full"]
)
def test_unknown_groups_are_refused(groups: str) -> None:
    with pytest.raises(ToolError, match="groups") if groups else pytest.raises(ToolError):
        run("admit a 1", groups=groups or "x")


def test_each_step_is_drawn_with_its_blocks() -> None:
    tool = CATALOG["block_manager_sim"]
    result = tool.call(tool.example)
    svg = tool.step_figure(result, 1) or ""
    assert 'role="img"' in svg
    assert "trace-shared" in svg
    assert tool.step_figure(result, len(result.trace)) is None


def test_a_long_script_has_a_bounded_trace_that_says_so() -> None:
    result = run("admit a 1;" + "append a 1;" * 500, block_size=1024, blocks=9)
    assert len(result.trace) == 200
    assert any("first 200 of 501 steps" in line for line in result.warnings)


NAMES = st.sampled_from("abcd")
TOKENS = st.integers(0, 90).map(lambda n: f"0-{n}") | st.integers(0, 60).map(
    lambda n: f"7,1-{n + 1}"
)
PAPER = st.one_of(
    st.builds(lambda n, t: f"admit {n} {t}", NAMES, TOKENS),
    st.builds(lambda n, t: f"append {n} {t}", NAMES, TOKENS),
    st.builds(lambda n, m: f"fork {n} {m}", NAMES, NAMES),
    st.builds(lambda n: f"free {n}", NAMES),
)
few = settings(derandomize=True, max_examples=200, deadline=None, database=None)


def kept(ops: list[str], **given_: Any) -> Result | None:
    """The run of the operations that make sense together, one by one."""
    sound: list[str] = []
    result = None
    for op in ops:
        try:
            result = run("\n".join([*sound, op]), **given_)
        except ToolError:
            continue
        sound.append(op)
    return result


@few
@given(st.lists(PAPER, max_size=14), st.sampled_from(["vllm", "paper"]), st.integers(2, 12))
def test_free_and_used_and_null_are_all_blocks_after_any_operations(
    ops: list[str], mode: str, blocks: int
) -> None:
    result = kept(ops, mode=mode, blocks=blocks, block_size=8)
    for row in result.table if result else ():
        assert row["free"] + row["used"] + row["null"] == blocks


class Model:
    """Contents and owners kept apart from the pool: the oracle of the next test."""

    def __init__(self, blocks: int) -> None:
        self.under_test = PaperBlocks(blocks, 4)
        self.content: dict[str, list[int]] = {}

    def holds(self) -> bool:
        tables = {name: held.table for name, held in self.under_test.sequences.items()}
        owners: dict[int, int] = {}
        for table in tables.values():
            for block in table:
                owners[block] = owners.get(block, 0) + 1
        refs = self.under_test.pool.refs
        return all(refs[block] == owners.get(block, 0) for block in range(1, len(refs)))


OPS = st.lists(
    st.tuples(
        st.sampled_from(["admit", "append", "fork", "free"]), NAMES, NAMES, st.integers(0, 20)
    ),
    max_size=40,
)


@few
@given(OPS, st.integers(1, 9))
def test_references_are_the_tables_that_name_a_block_and_content_is_never_mixed(
    ops: list[tuple[str, str, str, int]], blocks: int
) -> None:
    model = Model(blocks)
    cache = model.under_test
    slots: dict[tuple[int, int], int] = {}
    for verb, name, other, size in ops:
        try:
            if verb == "admit" and name not in cache.sequences:
                hit = cache.admit(name, list(range(size)))
                model.content[name] = list(range(size))
                write(slots, cache.sequences[name].table, model.content[name], hit)
            elif verb == "append" and name in cache.sequences:
                before = list(cache.sequences[name].table)
                cache.append(name, size)
                table = cache.sequences[name].table
                copy(slots, before, table)
                model.content[name].append(size)
                write(slots, table, model.content[name], len(model.content[name]) - 1)
            elif verb == "fork" and name in cache.sequences and other not in cache.sequences:
                cache.fork(name, other)
                model.content[other] = list(model.content[name])
            elif verb == "free" and name in cache.sequences:
                cache.release(name)
        except OutOfBlocks:
            pass
        assert model.holds()
        for held, sequence in cache.sequences.items():
            assert (
                read(slots, sequence.table, len(model.content[str(held)]))
                == model.content[str(held)]
            )


def write(
    slots: dict[tuple[int, int], int], table: list[int], tokens: list[int], start: int
) -> None:
    for at in range(start, len(tokens)):
        slots[table[at // 4], at % 4] = tokens[at]


def copy(slots: dict[tuple[int, int], int], before: list[int], after: list[int]) -> None:
    for old, new in zip(before, after, strict=False):
        for at in range(4):
            if old != new and (old, at) in slots:
                slots[new, at] = slots[old, at]


def read(slots: dict[tuple[int, int], int], table: list[int], length: int) -> list[int]:
    return [slots[table[at // 4], at % 4] for at in range(length)]


def test_taking_too_many_blocks_takes_none() -> None:
    pool = BlockPool(3)
    with pytest.raises(OutOfBlocks):
        pool.take(4)
    assert pool.free_order() == [1, 2, 3]
