"""Loading folders of cards: what is accepted, and how faults are told."""

import os
from collections.abc import Generator
from errno import EACCES
from pathlib import Path, PosixPath

import pytest

from questions.faults import Fault, InvalidCard, UnknownCard
from questions.library import MAX_BYTES, load
from tests.questions.conftest import WriteCard


def faults_of(folder: Path) -> tuple[Fault, ...]:
    with pytest.raises(InvalidCard) as caught:
        load(folder)
    return caught.value.faults


def only_fault(folder: Path) -> Fault:
    (fault,) = faults_of(folder)
    return fault


def line_of(path: Path, text: str) -> int:
    lines = path.read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if text in line)


def test_the_template_is_a_valid_card(write_card: WriteCard, folder: Path) -> None:
    write_card()
    card = load(folder).get("MY-001")
    assert card.facts[0].value == 600
    assert card.model_answer.startswith("I would read less")


def test_the_answers_are_read_paragraph_by_paragraph(write_card: WriteCard, folder: Path) -> None:
    write_card()
    card = load(folder).get("MY-001")
    assert len(card.model_answer.split("\n")) == 5
    assert "\n" not in card.short_answer


def test_the_hash_changes_with_the_content(write_card: WriteCard, folder: Path) -> None:
    write_card()
    before = load(folder).get("MY-001").hash
    write_card(("The disk. Reading once", "The disk, for reading once"))
    assert load(folder).get("MY-001").hash != before


def test_an_unknown_card_names_the_nearest_ids(write_card: WriteCard, folder: Path) -> None:
    write_card()
    with pytest.raises(UnknownCard, match="did you mean MY-001"):
        load(folder).get("my-01")


def test_an_unknown_field_is_refused_at_its_line(write_card: WriteCard, folder: Path) -> None:
    path = write_card(("difficulty: easy", "dificulty: easy"))
    messages = {(fault.line, fault.message) for fault in faults_of(folder)}
    line = line_of(path, "dificulty")
    assert (line, "dificulty: unknown field; remove it or correct its name") in messages


def test_a_wrong_value_names_field_value_and_remedy(write_card: WriteCard, folder: Path) -> None:
    path = write_card(("difficulty: easy", "difficulty: trivial"))
    fault = only_fault(folder)
    expected = "difficulty: 'trivial': input should be 'easy', 'medium' or 'hard'"
    assert str(fault) == f"{path}:{line_of(path, 'trivial')}: {expected}"


def test_all_faults_of_all_files_are_told_at_once(write_card: WriteCard, folder: Path) -> None:
    write_card(("difficulty: easy", "difficulty: trivial"), ("kind: technical", "kind: quiz"))
    write_card(("id: MY-001", "id: MY-002"), ("limit_s: 180", "limit_s: 1"), name="MY-002")
    assert [fault.path.stem for fault in faults_of(folder)] == ["MY-001", "MY-001", "MY-002"]


def test_an_id_twice_in_two_folders_is_refused(write_card: WriteCard, folder: Path) -> None:
    path = write_card()
    other = folder / "other"
    other.mkdir()
    (other / path.name).write_bytes(path.read_bytes())
    with pytest.raises(InvalidCard, match="is also the id of"):
        load(folder, other)


def test_the_id_must_equal_the_file_name(write_card: WriteCard, folder: Path) -> None:
    write_card(name="MY-002")
    assert "must equal the file's name, 'MY-002'" in only_fault(folder).message


def test_a_related_card_must_exist(write_card: WriteCard, folder: Path) -> None:
    path = write_card(("sources:\n", "related: [MY-999]\nsources:\n"))
    fault = only_fault(folder)
    assert (fault.line, fault.message) == (
        line_of(path, "MY-999"),
        "related[0]: 'MY-999': name another card of the library",
    )


def test_a_folder_that_does_not_exist_is_a_fault(tmp_path: Path) -> None:
    assert "no such folder" in only_fault(tmp_path / "nowhere").message


class Closed(PosixPath):
    """A folder that may not be looked into, also for root."""

    def iterdir(self) -> Generator["Closed", None, None]:
        raise PermissionError(EACCES, "Permission denied", str(self))


def test_a_folder_that_may_not_be_looked_into_is_a_fault(tmp_path: Path) -> None:
    assert only_fault(Closed(tmp_path)).message == "cannot be read: Permission denied"


def test_a_file_that_is_too_large_is_not_read(write_card: WriteCard, folder: Path) -> None:
    path = write_card()
    path.write_bytes(path.read_bytes() + b" " * MAX_BYTES)
    assert only_fault(folder).message.startswith(f"larger than {MAX_BYTES} bytes")


def test_a_pipe_is_not_waited_on(folder: Path) -> None:
    os.mkfifo(folder / "MY-001.md")
    assert only_fault(folder).message == "not a file; a card is one Markdown file"


def test_infinity_is_no_value(write_card: WriteCard, folder: Path) -> None:
    path = write_card(("value: 60\n", "value: 1e999\n"))
    fault = only_fault(folder)
    assert (fault.line, fault.message.split(":")[0]) == (line_of(path, "1e999"), "facts[3].value")


def test_bytes_that_are_not_utf8_are_told_with_their_line(
    write_card: WriteCard, folder: Path
) -> None:
    path = write_card()
    path.write_bytes(path.read_bytes().replace(b"my own interview", b"my \xff interview"))
    fault = only_fault(folder)
    assert (fault.line, fault.message) == (17, "not UTF-8 text; save it as UTF-8")


@pytest.mark.parametrize("mark", ["\u202e", "\u200b", "\x1b", "\x00", "\u2066"])
def test_hidden_characters_are_refused(write_card: WriteCard, folder: Path, mark: str) -> None:
    path = write_card(("Whether you find", f"Whether{mark} you find"))
    fault = only_fault(folder)
    assert fault.line == line_of(path, "tests: Whether")
    assert f"U+{ord(mark):04X}" in fault.message


def test_windows_line_ends_are_accepted(write_card: WriteCard, folder: Path) -> None:
    path = write_card()
    path.write_bytes(path.read_bytes().replace(b"\n", b"\r\n"))
    assert load(folder).get("MY-001").title.startswith("A nightly")


@pytest.mark.parametrize("name", ["model_answer", "short_answer", "hash"])
def test_the_answers_and_the_hash_are_no_fields(
    write_card: WriteCard, folder: Path, name: str
) -> None:
    write_card(("theme: data", f"{name}: x\ntheme: data"))
    assert "not a field of the front matter" in only_fault(folder).message


def test_a_missing_heading_is_told(write_card: WriteCard, folder: Path) -> None:
    write_card(("## In sixty seconds", "## In a minute"))
    assert "expected '## In sixty seconds'" in only_fault(folder).message


def test_a_file_without_front_matter_is_told(folder: Path) -> None:
    (folder / "MY-001.md").write_text("# A card\n", encoding="utf-8")
    assert "must begin with YAML" in only_fault(folder).message
