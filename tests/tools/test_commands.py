"""`viva tools list` and `run`: flags from the schema, three exit codes, nothing loaded early."""

import json
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from tools.catalog import CATALOG
from tools.checkpoints import entries
from tools.commands import tools


def run(*words: str) -> Result:
    return CliRunner().invoke(tools, words)


def test_the_list_as_json_is_an_array_with_names_and_schemas() -> None:
    listed = json.loads(run("list", "--json").output)
    assert [entry["name"] for entry in listed] == list(CATALOG)
    assert all(entry["schema"]["type"] == "object" for entry in listed)


def test_the_list_for_people_names_groups_and_summaries() -> None:
    text = run("list").output
    assert "memory:" in text
    assert CATALOG["kv_cache"].summary in text


def test_a_run_prints_the_value_with_its_unit() -> None:
    done = run(
        "run", "kv_cache", "--model", "meta-llama/Llama-3.3-70B-Instruct", "--tokens", "8192"
    )
    assert done.exit_code == 0
    assert done.output.startswith("327,680 B/token")


def test_a_run_as_json_is_the_whole_result() -> None:
    done = run("run", "stats", "--successes", "8", "--trials", "11", "--json")
    assert json.loads(done.output)["measures"]["high"]["value"] == pytest.approx(0.90253940709)


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("run kv_cache --model nothing-like-it", 1),
        ("run kv_cache --model Llama-3.3-70B --tokens abc", 1),
        ("run stats --successes 12 --trials 11", 1),
        ("run stats --successes 12", 2),
        ("run kv_cache --modle x", 2),
        ("run nothing", 2),
        ("run kv_cache --config @/does/not/exist", 2),
    ],
)
def test_refused_input_exits_1_and_wrong_usage_2(words: str, code: int) -> None:
    assert run(*shlex.split(words)).exit_code == code


def test_a_switch_is_a_flag_without_a_value() -> None:
    done = run("run", "sample_size", "--p1", "0.01", "--p2", "0.015", "--pooled")
    assert done.output.startswith("7,750 trials/arm")


def test_an_unknown_tool_is_told_with_the_nearest_name() -> None:
    result = run("run", "kv_cash", "--tokens", "1")
    assert (result.exit_code, "did you mean kv_cache" in result.stderr) == (2, True)


def test_a_text_for_a_whole_number_is_refused_in_words_for_people() -> None:
    result = run("run", "kv_cache", "--tokens", "abc")
    assert result.stderr.startswith("Error: --tokens 'abc': should be a whole number. ")


def test_a_refusal_names_the_flag() -> None:
    assert "--tp" in run("run", "kv_cache", "--model", "phi-4", "--tp", "4").output


@pytest.mark.parametrize("name", CATALOG)
def test_the_help_has_an_example_that_runs(name: str) -> None:
    text = " ".join(run("run", name, "--help").output.split())
    example = text.partition("Example: viva tools ")[2].partition(" Options:")[0]
    assert run(*shlex.split(example)).exit_code == 0


def test_a_config_may_be_read_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "config.json"
    file.write_text(json.dumps(entries()["meta-llama/Llama-3.1-8B"].config), "utf-8")
    assert run("run", "kv_cache", "--config", f"@{file}").output.startswith("131,072")


def test_escapes_in_an_argument_do_not_reach_the_terminal() -> None:
    assert "\x1b" not in run("run", "kv_cache", "--model", "\x1b[31mred").output


def test_mounting_the_commands_loads_neither_the_tools_nor_pydantic() -> None:
    code = "import sys, tools.commands; print({'pydantic', 'tools.catalog'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


def test_the_catalogue_loads_nothing_heavy() -> None:
    heavy = "{'numpy', 'scipy', 'openai', 'anthropic', 'fastapi', 'sqlalchemy', 'jinja2'}"
    code = f"import sys, tools.catalog; print({heavy} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"
