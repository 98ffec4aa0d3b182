"""The `viva questions` commands, as a person or a script runs them."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tests.questions.conftest import WriteCard
from viva import main


def run(*arguments: str, **environment: str) -> Result:
    return CliRunner().invoke(
        main, ("questions", *arguments), env={"VIVA_CARDS": None, **environment}
    )


def test_list_as_json_is_an_array_of_objects_with_id_and_hooks() -> None:
    cards = json.loads(run("list", "--json").stdout)
    card = next(card for card in cards if card["id"] == "INF-010")
    assert card["hooks"] == ["INF-010"]
    assert {"title", "kind", "theme", "limit_s", "difficulty", "round"} <= card.keys()


def test_list_can_be_narrowed_to_a_theme() -> None:
    cards = json.loads(run("list", "--theme", "inference", "--json").stdout)
    assert {card["theme"] for card in cards} == {"inference"}


@pytest.mark.parametrize("flag", ["--kind", "--theme"])
def test_a_filter_that_no_card_has_is_refused_with_those_that_are_known(flag: str) -> None:
    result = run("list", flag, "nonsense")
    assert (result.exit_code, result.stdout) == (2, "")
    assert f"{flag} 'nonsense'" in result.stderr
    assert "behavioural" in result.stderr


def test_show_fits_a_terminal_of_80_columns() -> None:
    shown = run("show", "FDE-05").stdout
    assert max(map(len, shown.splitlines())) <= 80
    assert ".." not in shown


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


TYPO = ("    tool: calculate ", "    tool: calculator ")
HALF = ('"600 / 2"', '"600 / two"')


def test_check_names_each_fact_that_cannot_be_computed(write_card: WriteCard, folder: Path) -> None:
    path = write_card(TYPO, HALF)
    result = run("check", str(folder))
    first, second = result.stdout.splitlines()
    assert result.exit_code == 1
    assert first.startswith(
        f"{path}:34: card MY-001, fact read-time, tool: 'calculator' is no tool"
    )
    assert second.startswith(f"{path}:50: card MY-001, fact half, arguments.expression")


def test_check_names_each_number_that_rests_on_no_fact(write_card: WriteCard, folder: Path) -> None:
    path = write_card(("Bytes; reading everything takes 100", "Bytes; reading takes 110"))
    result = run("check", str(folder))
    assert result.exit_code == 1
    assert result.stdout.splitlines() == [
        f"{path}:91: probes[1].good: '110 minutes': no fact of the card yields it; "
        "add the fact or correct the number"
    ]


def test_own_cards_are_listed_beside_the_bundled_ones(write_card: WriteCard, folder: Path) -> None:
    write_card()
    ids = [card["id"] for card in json.loads(run("list", "--json", VIVA_CARDS=str(folder)).stdout)]
    assert {"MY-001", "INF-010"} <= set(ids)


@pytest.mark.parametrize("command", [(), ("list",), ("show",), ("check",)])
def test_each_help_text_has_an_example(command: tuple[str, ...]) -> None:
    assert "viva questions" in run(*command, "--help").stdout.split("Examples:")[1]
