"""Counting FDE postings: the title rules, the boards' documented shapes, and what breaks them."""

import json

import pytest

from tests.tools.market.answers import ASHBY, GREENHOUSE, HTML, LEVER, board
from tools.catalog import CATALOG
from tools.market.snapshots import postings
from tools.market.titles import kind
from tools.result import Result, ToolError


def count(*boards: dict[str, object]) -> Result:
    return CATALOG["fde_postings"].call({"boards": list(boards)})


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Forward Deployed Engineer (FDE) - SF", "titled"),
        ("Senior Forward-Deployed Engineer", "titled"),
        ("Lead, Deployed Engineering", "titled"),
        ("Deployed Engineer", "titled"),
        ("Software Engineer, Agent", "family"),
        ("Technical Deployment Lead", "family"),
        ("Deployment Strategist", "family"),
        ("Agent Product Manager", "family"),
        ("Applied AI Architect", "family"),
        ("Solutions Architect", "other"),
        ("Employed Engineer Relations", "other"),
        ("Deployments Coordinator", "other"),
    ],
)
def test_a_title_is_told_apart_by_the_rules(title: str, expected: str) -> None:
    assert kind(title) == expected


def test_the_three_boards_are_counted_in_their_own_shapes() -> None:
    result = count(board(ASHBY, "ashby"), board(GREENHOUSE, "greenhouse"), board(LEVER, "lever"))
    assert [row["titled"] for row in result.table] == [1, 1, 1]
    assert [row["family"] for row in result.table] == [3, 2, 2]
    assert result.measures["total"].value == 10


def test_the_family_includes_the_titled_ones() -> None:
    result = count(board(ASHBY, "ashby"))
    assert result.measures["family"].value == 3
    assert result.table[0]["family_only"] == 2


def test_every_row_carries_the_day_of_its_answer() -> None:
    result = count(board(ASHBY, "ashby"), {**board(LEVER, "lever"), "fetched": "2026-10-09"})
    assert [row["date"] for row in result.table] == ["2026-10-07", "2026-10-09"]
    assert any("different days" in line for line in result.warnings)


def test_the_answer_itself_is_not_repeated_in_the_result() -> None:
    assert "response" not in count(board(ASHBY, "ashby")).model_dump_json()


def test_the_snapshot_is_what_the_source_states() -> None:
    table = CATALOG["fde_postings"].call({"snapshot": "2026-10-07"}).table
    rows = {row["company"]: (row["total"], row["titled"], row.get("family")) for row in table}
    assert rows == {
        "OpenAI": (823, 26, 102),
        "Sierra": (197, 0, 69),
        "Anthropic": (639, 6, 57),
        "Databricks": (888, 99, None),
        "Palantir": (314, 80, None),
    }


def test_every_snapshot_of_the_data_file_can_be_asked_for() -> None:
    asked = CATALOG["fde_postings"].schema()["properties"]["snapshot"]
    assert [asked["const"]] == [day.isoformat() for day in postings().snapshots]


def test_an_empty_board_counts_nothing() -> None:
    result = count(board({"jobs": [], "meta": {"total": 0}}, "greenhouse"))
    assert result.value == 0
    assert "titled_share" not in result.measures


def test_a_posting_without_a_title_is_counted_and_said() -> None:
    result = count(board({"jobs": [{"id": 1}, {"title": None}, {"title": " "}]}, "ashby"))
    assert result.measures["total"].value == 3
    assert any("3 postings without a title" in line for line in result.warnings)


def test_an_unlisted_posting_is_counted_and_said() -> None:
    assert any("1 posting unlisted" in line for line in count(board(ASHBY, "ashby")).warnings)


def test_a_web_page_instead_of_json_is_named_as_such() -> None:
    with pytest.raises(ToolError, match="is a web page") as caught:
        count(board(HTML, "ashby"))
    assert caught.value.field == "boards.0.response"


def test_half_an_answer_is_not_counted() -> None:
    text = json.dumps(GREENHOUSE)
    with pytest.raises(ToolError, match="only part of the answer arrived"):
        count(board(text[: len(text) // 2], "greenhouse"))


def test_half_a_page_of_a_board_is_not_counted() -> None:
    part = {**GREENHOUSE, "meta": {"total": 639}}
    with pytest.raises(ToolError, match="only part of the board"):
        count(board(part, "greenhouse"))


def test_a_full_first_page_of_lever_is_doubted() -> None:
    result = count(board([{"text": "Designer"}] * 100, "lever"))
    assert any("may be only the first" in line for line in result.warnings)


@pytest.mark.parametrize(
    ("answer", "ats"),
    [
        ({"ok": False, "error": "Document not found"}, "lever"),
        ({"status": 404, "error": "Job not found"}, "greenhouse"),
        ({"message": "Too many requests"}, "ashby"),
        ({"jobs": {"title": "FDE"}}, "ashby"),
        ({"jobs": ["FDE"]}, "ashby"),
        ([1, 2], "lever"),
        (None, "ashby"),
    ],
)
def test_an_answer_of_another_shape_is_an_error_and_never_an_empty_board(
    answer: object, ats: str
) -> None:
    with pytest.raises(ToolError):
        count(board(answer, ats))


def test_the_boards_own_words_are_repeated() -> None:
    with pytest.raises(ToolError, match="Document not found"):
        count(board({"ok": False, "error": "Document not found"}, "lever"))


def test_a_board_without_its_day_is_refused() -> None:
    undated = {name: value for name, value in board(ASHBY, "ashby").items() if name != "fetched"}
    with pytest.raises(ToolError, match="fetched"):
        count(undated)


@pytest.mark.parametrize(
    "given", [{}, {"snapshot": "2026-10-07", "boards": [board(ASHBY, "ashby")]}]
)
def test_either_a_snapshot_or_boards_are_given(given: dict[str, object]) -> None:
    with pytest.raises(ToolError, match="either snapshot or boards"):
        CATALOG["fde_postings"].call(given)
