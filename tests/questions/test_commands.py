"""The `viva questions` commands, as a person or a script runs them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from questions.commands import questions
from tests.questions.conftest import WriteCard


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(questions, arguments, env={"VIVA_CARDS": None, **environment})


def test_list_as_json_is_an_array_of_objects_with_id_and_hooks() -> None:
    cards = json.loads(run("list", "--json").stdout)
    card = next(card for card in cards if card["id"] == "INF-010")
    assert card["hooks"] == ["INF-010"]
    assert {"title", "kind", "theme", "limit_s", "difficulty", "round"} <= card.keys()


def test_list_can_be_narrowed_to_a_theme() -> None:
    cards = json.loads(run("list", "--theme", "inference", "--json").stdout)
    assert {card["theme"] for card in cards} == {"inference"}


def test_show_prints_the_question_and_the_model_answer() -> None:
    result = run("show", "INF-010")
    assert result.exit_code == 0
    assert "How many 8K-token users" in result.stdout
    assert "Model answer:" in result.stdout


def test_show_of_an_unknown_card_names_the_nearest_and_ends_with_2() -> None:
    result = run("show", "fde-who")
    assert (result.exit_code, "FDE-WHY" in result.stderr) == (2, True)


def test_check_of_the_bundled_cards_finds_no_fault() -> None:
    result = run("check")
    assert (result.exit_code, "no fault" in result.stdout) == (0, True)


def test_check_prints_file_and_line_of_each_fault_and_ends_with_1(
    write_card: WriteCard, folder: Path
) -> None:
    path = write_card(("kind: technical", "kind: quiz"))
    result = run("check", str(folder))
    assert result.exit_code == 1
    assert result.stdout.startswith(f"{path}:6: kind: 'quiz'")


def test_own_cards_are_listed_beside_the_bundled_ones(write_card: WriteCard, folder: Path) -> None:
    write_card()
    ids = [card["id"] for card in json.loads(run("list", "--json", VIVA_CARDS=str(folder)).stdout)]
    assert {"MY-001", "INF-010"} <= set(ids)


@pytest.mark.parametrize("command", [(), ("list",), ("show",), ("check",)])
def test_each_help_text_has_an_example(command: tuple[str, ...]) -> None:
    assert "viva questions" in run(*command, "--help").stdout.split("Examples:")[1]
