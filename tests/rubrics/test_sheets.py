"""The rubric sheets: complete, hashed by content, and every fault named by file and line."""

from pathlib import Path

import pytest

from rubrics.library import SHEETS, InvalidRubric, load_rubrics, read_sheet
from rubrics.schema import FILE, schema_text
from rubrics.scorecard import Part


def changed(tmp_path: Path, old: str, new: str) -> Path:
    """The technical sheet with one thing changed, as a file of its own."""
    text = (SHEETS / "technical.yaml").read_text()
    assert old in text
    file = tmp_path / "technical.yaml"
    file.write_text(text.replace(old, new, 1))
    return file


def faults(file: Path) -> tuple[str, ...]:
    with pytest.raises(InvalidRubric) as raised:
        read_sheet(file)
    return raised.value.faults


@pytest.mark.parametrize("name", ["technical", "behavioural"])
def test_a_sheet_has_the_four_parts_with_four_anchored_levels(name: str) -> None:
    rubric = load_rubrics()[name]
    assert [criterion.part for criterion in rubric.criteria] == list(Part)
    assert all(sorted(criterion.levels) == [1, 2, 3, 4] for criterion in rubric.criteria)


def test_the_schema_file_is_fresh() -> None:
    assert FILE.read_text(encoding="utf-8") == schema_text()


def test_layout_and_comments_do_not_change_the_hash(tmp_path: Path) -> None:
    again = changed(tmp_path, "id: technical", "# a comment\n\nid:   technical")
    assert read_sheet(again).hash == load_rubrics()["technical"].hash


def test_a_changed_anchor_changes_the_hash(tmp_path: Path) -> None:
    other = changed(tmp_path, "No trade-off is named.", "No trade-off was named.")
    assert read_sheet(other).hash != load_rubrics()["technical"].hash


def test_an_unknown_field_is_named_with_its_line(tmp_path: Path) -> None:
    file = changed(tmp_path, "id: technical", "id: technical\nweight: 3")
    assert faults(file)[0].startswith("technical.yaml:5: weight: ")


def test_a_missing_level_is_named_with_the_line_of_its_criterion(tmp_path: Path) -> None:
    file = changed(tmp_path, "      1: No trade-off is named.\n", "")
    (fault,) = faults(file)
    line = 1 + file.read_text().split("  - part: tradeoff")[0].count("\n")
    assert fault.startswith(f"technical.yaml:{line}: criteria.2: ")
    assert "anchor each of 1, 2, 3 and 4" in fault


def test_a_part_out_of_order_is_refused(tmp_path: Path) -> None:
    file = changed(tmp_path, "- part: claim", "- part: number")
    assert "in order" in faults(file)[0]


def test_two_checks_with_one_id_are_refused(tmp_path: Path) -> None:
    file = changed(tmp_path, "id: claim_direct", "id: claim_answers")
    assert "claim_answers" in faults(file)[0]


def test_bad_yaml_is_named_with_its_line(tmp_path: Path) -> None:
    file = changed(tmp_path, "version: 2", "version: [1")
    assert faults(file)[0].startswith("technical.yaml:")


def test_a_key_given_twice_is_refused(tmp_path: Path) -> None:
    file = changed(tmp_path, "version: 2", "version: 2\nversion: 2")
    assert faults(file) == ("technical.yaml:6: the key 'version' is given twice",)


def test_an_alias_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "technical.yaml"
    file.write_text("id: &x technical\nversion: 2\ntitle: *x\n")
    assert "aliases are not accepted" in faults(file)[0]


def test_a_sheet_that_is_not_named_after_its_id_is_refused(tmp_path: Path) -> None:
    changed(tmp_path, "id: technical", "id: technisch")
    with pytest.raises(InvalidRubric, match="must be the file's name"):
        load_rubrics(tmp_path)


def test_all_faults_of_all_sheets_are_listed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text("id: 7\n")
    with pytest.raises(InvalidRubric) as raised:
        load_rubrics(tmp_path)
    assert {fault.split(":")[0] for fault in raised.value.faults} == {"one.yaml", "two.yaml"}
