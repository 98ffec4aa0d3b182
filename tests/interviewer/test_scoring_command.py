"""`viva score`: one answer as text or JSON, many answers line by line."""

import json
from pathlib import Path

from click.testing import CliRunner, Result

from interviewer.commands import score
from tests.interviewer.scoring_cases import QUESTION, WHOLE

MODES = ("typed", "spoken")


def run(*arguments: str, text: str | bytes = "") -> Result:
    return CliRunner().invoke(score, arguments, input=text)


def row(row_id: str, answer: str, card: str = "NO-SUCH-CARD", question: str = QUESTION) -> str:
    fields = {"id": row_id, "card": card, "question": question, "mode": "typed", "answer": answer}
    return json.dumps(fields)


def test_an_answer_from_standard_input_gets_a_readable_scorecard() -> None:
    done = run("--card", "INF-010", "-", text="About twenty users fit, because memory decides it.")
    assert done.exit_code == 0
    assert "Claim: " in done.stdout
    assert "“About twenty users fit, because memory decides it.” (turn 1)" in done.stdout


def test_own_cards_may_lie_in_several_folders(tmp_path: Path) -> None:
    template = (Path(__file__).parents[2] / "docs" / "card-template.md").read_text("utf-8")
    for card in ("MY-001", "MY-002"):
        (tmp_path / card).mkdir()
        own = template.replace("id: MY-001", f"id: {card}")
        (tmp_path / card / f"{card}.md").write_text(own, encoding="utf-8")
    both = f"{tmp_path / 'MY-001'}:{tmp_path / 'MY-002'}"
    arguments = ["--card", "MY-002", "--json", "-"]
    done = CliRunner().invoke(score, arguments, input=WHOLE, env={"VIVA_CARDS": both})
    assert done.exit_code == 0
    assert json.loads(done.stdout)["scorer"].startswith("rule/")


def test_json_prints_the_whole_scorecard() -> None:
    done = run("--card", "INF-010", "--json", "-", text=WHOLE)
    assert json.loads(done.stdout)["scorer"].startswith("rule/")


def test_hostile_text_cannot_move_the_terminals_cursor() -> None:
    hostile = (
        "I would take six \x1b[2J\x1b]0;owned\x07 people\u202e, because that \x9b31m decides it."
    )
    shown = run("--card", "INF-010", "-", text=hostile).stdout
    assert not {"\x1b", "\x07", "\x9b", "\u202e"} & set(shown)


def test_every_row_gets_a_line_with_levels_quotes_and_flags() -> None:
    done = run("--jsonl", "-", text=row("a", WHOLE) + "\n" + row("b", "") + "\n")
    first, second = map(json.loads, done.stdout.splitlines())
    assert list(first) == [
        *("id", "claim", "number", "tradeoff", "nextstep", "overall"),
        *("quotes", "wrong_numbers", "red_flags"),
    ]
    assert first["quotes"]["claim"] in WHOLE
    assert (second["id"], second["claim"], second["overall"]) == ("b", None, None)
    assert done.exit_code == 0


def test_a_bad_line_is_named_and_the_good_ones_are_still_written() -> None:
    lines = [
        row("a", WHOLE),
        "{not json",
        '{"id": "c"}',
        row("d", WHOLE, question=""),
        row("e", WHOLE),
    ]
    done = run("--jsonl", "-", text="\n".join(lines))
    assert [json.loads(line)["id"] for line in done.stdout.splitlines()] == ["a", "e"]
    assert [line.split(":")[0] for line in done.stderr.splitlines()] == [
        "line 2",
        "line 3",
        "line 4",
    ]
    assert done.exit_code == 1


def test_a_line_that_is_not_utf8_is_named() -> None:
    done = run("--jsonl", "-", text=b'{"id": "\xff"}\n' + row("b", WHOLE).encode())
    assert done.stderr.startswith("line 1: not UTF-8")
    assert json.loads(done.stdout)["id"] == "b"


def test_a_row_of_a_card_that_does_not_exist_is_scored_by_its_question() -> None:
    done = run("--jsonl", "-", text=row("a", WHOLE, card="BEH-NOPE"))
    assert json.loads(done.stdout)["overall"] is not None


def test_an_answer_that_is_too_long_is_refused_with_the_limit_named() -> None:
    done = run("--card", "INF-010", "-", text="word " * 5_000)
    assert done.exit_code == 2
    assert "20,000" in done.stderr


def test_a_spoken_row_may_be_as_long_as_a_spoken_answer_of_a_round() -> None:
    rows = ({"id": m, "card": "INF-010", "mode": m, "answer": "so " * 8_000} for m in MODES)
    done = run("--jsonl", "-", text="\n".join(json.dumps(one) for one in rows))
    assert done.stderr.startswith("line 1: the answer has 24,000 characters; shorten it to 20,000")
    assert json.loads(done.stdout)["id"] == "spoken"


def test_a_row_of_an_unknown_mode_is_refused_by_name() -> None:
    done = run("--jsonl", "-", text=json.dumps({"id": "a", "mode": "sung", "answer": WHOLE}))
    assert done.stderr.startswith("line 1: mode: Input should be 'typed' or 'spoken'")


def test_an_unknown_card_is_a_usage_error() -> None:
    done = run("--card", "FDE-WHO", "-", text=WHOLE)
    assert done.exit_code == 2
    assert "FDE-WHY" in done.stderr


def test_the_judge_without_a_model_says_what_to_set(tmp_path: Path) -> None:
    environment = {"VIVA_LLM": "card", "VIVA_JUDGE": "rule"}
    done = CliRunner().invoke(
        score, ["--card", "INF-010", "--scorer", "judge", "-"], input=WHOLE, env=environment
    )
    assert done.exit_code == 2
    assert "VIVA_JUDGE" in done.stderr
