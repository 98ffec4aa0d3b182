"""The plan of a vLLM server: does it fit, with which flags, and what else would."""

import json
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

from interviewer.models.plan import Plan, Wish, make_plan
from interviewer.models.shown import as_shell
from tools.result import ToolError
from viva import main

LLAMA = "meta-llama/Llama-3.3-70B-Instruct"
TWO = Wish(LLAMA, gpu="H200", gpus=2, users=40)


def value(plan: Plan, name: str) -> str | None:
    return next(flag.value for flag in plan.flags if flag.name == name)


def test_seventy_billion_parameters_in_bf16_do_not_fit_on_one_h200() -> None:
    plan = make_plan(Wish(LLAMA, gpu="H200", users=40))
    assert (plan.fits, plan.sequences) == (False, 0)


def test_each_remedy_that_is_said_to_fit_does_fit() -> None:
    plan = make_plan(Wish(LLAMA, gpu="H200", users=40))
    fitting = [remedy.change for remedy in plan.remedies if remedy.fits]
    assert fitting == ["--weights fp8 --kv fp8", "--gpus 2"]
    assert make_plan(TWO).fits


def test_the_room_is_the_cache_over_a_whole_context() -> None:
    # 2 GPUs of 143,771 MiB x 0.92 - 141.1 GB - 2 x 6 GB, over 8,192 tokens of 327,680 B
    room = (2 * 143_771 * 2**20 * 0.92 - 141.107e9 - 12e9) / (8_192 * 327_680)
    assert make_plan(TWO).sequences == int(room)


def test_a_step_with_a_prefill_stays_below_four_a_second() -> None:
    # 2 x 70e9 FLOP x 1,024 tokens at half of 2 x 989 TFLOPS are 145 ms; 2,048 would be 290.
    assert value(make_plan(TWO), "--max-num-batched-tokens") == "1024"


def test_people_being_scored_have_seats_too() -> None:
    assert value(make_plan(TWO), "--max-num-seqs") == "50"


@pytest.mark.parametrize(
    ("model", "parser"),
    [(LLAMA, "llama3_json"), ("Qwen/Qwen3-32B", "hermes"), ("openai/gpt-oss-120b", "openai")],
)
def test_the_parser_follows_the_model(model: str, parser: str) -> None:
    assert value(make_plan(Wish(model)), "--tool-call-parser") == parser


def test_a_cached_prefix_costs_less_than_one_that_is_not() -> None:
    line = make_plan(TWO).expected[1]
    cached, whole = (float(number) for number in re.findall(r"([\d.]+) ms", line))
    assert cached < whole / 5


def test_a_context_that_would_do_is_offered() -> None:
    wish = replace(TWO, users=50)
    (change,) = [r.change for r in make_plan(wish).remedies if r.change.startswith("--context")]
    assert make_plan(replace(wish, context=int(change[10:]))).fits


def test_a_context_in_which_no_round_can_be_scored_is_not_offered() -> None:
    changes = [remedy.change for remedy in make_plan(replace(TWO, users=60)).remedies]
    assert [change for change in changes if change.startswith("--context")] == []
    assert "--users 46" in changes


def test_an_unknown_gpu_is_refused_with_a_remedy() -> None:
    with pytest.raises(ToolError, match="gpu"):
        make_plan(Wish(LLAMA, gpu="H2000"))


def test_the_printed_plan_is_a_script_that_bash_takes(tmp_path: Path) -> None:
    script = tmp_path / "plan.sh"
    script.write_text("vllm() { printf '%s\\n' \"$@\"; }\n" + as_shell(make_plan(TWO)))
    out = subprocess.run(["bash", script], capture_output=True, text=True, check=True)
    assert out.stdout.split("\n")[:2] == ["serve", LLAMA]
    assert out.stdout.split("\n")[2:-1] == make_plan(TWO).arguments()


def test_a_plan_that_does_not_fit_ends_with_1_and_is_json_on_demand() -> None:
    ran = CliRunner().invoke(
        main, ["model", "plan", "--gpu", "H200", "--model", LLAMA, "--users", "40", "--json"]
    )
    assert ran.exit_code == 1
    assert json.loads(ran.stdout)["fits"] is False


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("plan", "--model", "x", "--config", "{binary}"), "binary: not UTF-8"),
        (("check", "http://[::1"), "http://[::1: begin with http://"),
        (("check", "gpu-host:8000"), "gpu-host:8000: begin with http://"),
        (
            ("serve", "--model", "x", "--python", "/bin/true", "--log", "{folder}/no/such"),
            "No such file or directory; vLLM was not started",
        ),
    ],
)
def test_what_cannot_be_read_asked_or_written_is_named(
    arguments: tuple[str, ...], says: str, tmp_path: Path
) -> None:
    binary = tmp_path / "binary"
    binary.write_bytes(b"\xff\xfe")
    given = [part.format(binary=binary, folder=tmp_path) for part in arguments]
    ran = CliRunner().invoke(main, ["model", *given])
    assert ran.exit_code in (1, 2)
    assert says in ran.output
