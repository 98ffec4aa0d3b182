"""Cases A to L of what vLLM 0.31's own block manager did, step for step."""

from typing import Any

import pytest

from tests.tools.golden import load
from tools.architecture import CachedLayers
from tools.cache_layout import blocks_per_sequence
from tools.catalog import CATALOG

CASES: dict[str, dict[str, Any]] = {
    case["id"]: case for case in load("vllm_oracle.json")["kv_manager"]
}
SHARED = "0-47"


def rows(ops: str, **given: Any) -> list[dict[str, Any]]:
    return list(CATALOG["block_manager_sim"].call({"ops": ops, **given}).table)


def numbers(text: str) -> list[int]:
    """The ids in the brackets of an oracle's sentence."""
    inside = text.partition("[")[2].partition("]")[0]
    return [int(part) for part in inside.split(",")]


def hits(text: str) -> int:
    return int(text.removeprefix("hit "))


def test_a_shared_prefix_is_hit_and_freed_blocks_are_reused_in_vllms_order() -> None:
    ops = CASES["A"]["ops"]
    found = rows(
        f"admit r0 0-54; admit r1 {SHARED},100-104; free r0; free r1; "
        f"admit r2 {SHARED},200-205; free r2; admit r3 500-659",
        blocks=11,
    )
    assert found[0]["table"] == [numbers(ops[0][2])]
    assert (found[1]["hit"], found[1]["new"]) == (hits(ops[1][1]), numbers(ops[1][2]))
    assert (found[1]["free"], found[1]["used"] / 10) == (5, 0.5)
    assert found[3]["free_order"] == numbers(ops[2][2])
    assert (found[4]["hit"], found[4]["new"]) == (hits(ops[3][1]), numbers(ops[3][2]))
    assert found[4]["free"] == 6
    assert found[6]["table"] == [numbers(ops[4][2])]


@pytest.mark.parametrize(
    ("prompt", "case"),
    [
        ("0-31", "identical 32-token prompt"),
        ("0-32", "33 tokens"),
        ("0-15", "16 tokens"),
        ("0-16", "17 tokens"),
    ],
)
def test_b_a_hit_is_short_of_the_last_token_and_whole_blocks(prompt: str, case: str) -> None:
    assert rows(f"admit a 0-31; admit b {prompt}")[1]["hit"] == CASES["B"]["cases"][case]


def test_c_an_equal_block_gets_an_id_of_its_own_and_no_second_key() -> None:
    result = CATALOG["block_manager_sim"].call({"ops": "admit a 0-31; admit b 0-31"})
    assert result.table[1]["new"] == [3]
    assert result.measures["prefixes"].value == 2


@pytest.mark.parametrize(
    ("prompt", "case"),
    [
        ("0-39 salt=a", "salt a"),
        ("0-39 salt=b", "salt b"),
        ("0-39", "no salt"),
        ("999,1-39 salt=a", "salt a, first token changed"),
    ],
)
def test_d_a_salt_parts_tenants(prompt: str, case: str) -> None:
    assert rows(f"admit a 0-39 salt=a; find {prompt}")[1]["hit"] == CASES["D"]["cases"][case]


def test_e_groups_hit_together_with_null_blocks_outside_the_window() -> None:
    ops = f"admit a 0-54; admit b {SHARED},100-104"
    found = rows(ops, blocks=21, groups="full,sliding:32,sliding:32")
    assert "[1-4],[5-8],[9-12]" in CASES["E"]["expect"]
    assert found[0]["table"] == [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]]
    assert "[1,2,3],[0,6,7],[0,10,11]" in CASES["E"]["expect"]
    assert [table[:3] for table in found[1]["table"]] == [[1, 2, 3], [0, 6, 7], [0, 10, 11]]
    assert found[1]["new"] == [13, 14, 15]


def test_f_blocks_that_left_the_window_are_given_back() -> None:
    table = rows("admit a 0-199; append a 7", groups="sliding:64")[1]["table"][0]
    live = sum(block != 0 for block in table)
    assert CASES["F"]["expect"] == f"{live} live blocks in a {len(table)}-entry table"


def test_h_the_reservations_are_those_that_the_calculators_use() -> None:
    cases = CASES["H"]["cases"]
    layers = {
        "full blocks per request": CachedLayers("full", 1, 8, 256),
        "sliding 1024 blocks per request": CachedLayers("sliding", 1, 8, 256, window=1024),
        "chunked-local 8192 blocks per request": CachedLayers("chunked", 1, 8, 256, window=8192),
    }
    for name, group in layers.items():
        assert blocks_per_sequence(group, 16_384, 16, 1024) == cases[name]


def test_j_a_token_without_a_block_waits_until_one_is_freed() -> None:
    ops = "admit a 0-79; admit b 100-179; append a 7; free b; append a 7"
    found = rows(ops, blocks=11)
    assert found[2]["refused"]
    assert numbers(CASES["J"]["expect"]) == found[4]["new"]


def test_k_a_prompt_that_never_fits_is_refused_at_its_first_chunk() -> None:
    ops = "admit a 0-199 chunk=32"
    assert rows(ops, blocks=11)[0]["refused"]
    assert rows(ops, blocks=11, reserve_full=False)[0]["new"] == numbers(CASES["K"]["expect"])


def test_l_the_tail_of_a_freed_prefix_goes_first() -> None:
    found = rows("admit a 0-63; free a; admit b 100-147; find 0-63", blocks=7)
    assert found[1]["free_order"] == numbers(CASES["L"]["expect"])
    assert found[3]["hit"] == 48
