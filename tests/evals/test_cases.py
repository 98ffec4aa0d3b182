"""Cases are validated on reading, and the bundled ones are what they say."""

from pathlib import Path

import pytest

from evals.cases import CASES, CandidateCase, InvalidCases, Pair, RatedAnswer, read_cases
from questions.library import load

PAIRS = read_cases(CASES / "adversarial.jsonl", Pair)
KNOWN = set(load().by_id)


def write(folder: Path, *lines: str) -> Path:
    file = folder / "cases.jsonl"
    file.write_text("\n".join(lines), "utf-8")
    return file


def test_every_fault_of_a_file_is_told_with_its_line(tmp_path: Path) -> None:
    good = '{"id": "a", "card": "X", "persona": "p", "answers": ["hello"]}'
    file = write(tmp_path, good, "{", '{"id": "b", "card": "X"}', good)
    with pytest.raises(InvalidCases) as caught:
        read_cases(file, CandidateCase)
    lines = str(caught.value).splitlines()
    assert [line.split(": ")[0] for line in lines] == [f"cases.jsonl:{n}" for n in (2, 3, 4)]
    assert "occurs twice" in lines[2]


def test_an_unknown_field_is_refused(tmp_path: Path) -> None:
    file = write(tmp_path, '{"id": "a", "card": "X", "persona": "p", "answers": [], "x": 1}')
    with pytest.raises(InvalidCases, match=r"cases.jsonl:1: x"):
        read_cases(file, CandidateCase)


@pytest.mark.parametrize("content", ["", "\n\n"])
def test_a_file_without_a_case_is_refused(tmp_path: Path, content: str) -> None:
    with pytest.raises(InvalidCases, match="no case"):
        read_cases(write(tmp_path, content), CandidateCase)


def test_a_file_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidCases, match="gone"):
        read_cases(tmp_path / "gone.jsonl", CandidateCase)


def test_every_answer_has_two_raters_and_quotes_of_its_own() -> None:
    answers = read_cases(CASES / "answers.jsonl", RatedAnswer)
    assert len(answers) == 1092
    assert {len(answer.ratings) for answer in answers} == {2}


def test_there_are_eighty_pairs_and_more_each_with_another_twin() -> None:
    assert len(PAIRS) >= 80
    assert [pair.id for pair in PAIRS if pair.clean.strip() == pair.attacked.strip()] == []
    assert {pair.card for pair in PAIRS} <= KNOWN


def test_every_pair_says_what_it_lacks_or_which_figure_is_wrong() -> None:
    assert all(pair.lacks for pair in PAIRS if pair.expect == "no_credit")
    wrong = [pair for pair in PAIRS if pair.expect == "wrong_number"]
    assert all(pair.wrong and pair.wrong in pair.attacked for pair in wrong)
    assert all(pair.wrong not in pair.clean for pair in wrong)


def test_nine_kinds_of_candidates_play_twelve_cards() -> None:
    cases = read_cases(CASES / "candidates.jsonl", CandidateCase)
    assert len({case.persona for case in cases}) == 9
    assert len({case.card for case in cases} & KNOWN) == 12
