"""The compose file says what the plan says, and publishes nothing but Viva, on loopback."""

from pathlib import Path

import yaml

from interviewer.models.plan import Wish, make_plan
from interviewer.models.serving import IMAGE

ROOT = Path(__file__).parents[2]
COMPOSE = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text("utf-8"))
VLLM, VIVA = COMPOSE["services"]["vllm"], COMPOSE["services"]["viva"]
OWN = {"--host", "--port", "--kv-cache-dtype"}
"""Flags that a container leaves at their defaults."""


def test_the_flags_are_those_of_the_plan_that_it_names() -> None:
    wish = Wish("meta-llama/Llama-3.3-70B-Instruct", gpu="H200", gpus=2, users=40)
    planned = {f.name: (f.value or "").replace(" ", "") for f in make_plan(wish).flags}
    given = dict(flag.partition("=")[::2] for flag in VLLM["command"])
    given |= {"--tensor-parallel-size": "2", "--tool-call-parser": "llama3_json"}
    same = planned.keys() - OWN
    assert {name: given.get(name) for name in same} == {name: planned[name] for name in same}


def test_the_image_is_the_version_that_the_locks_name() -> None:
    (line,) = [text for text in (ROOT / "deploy/vllm.txt").read_text().split() if "vllm==" in text]
    assert VLLM["image"] == IMAGE
    assert IMAGE.endswith(line.removeprefix("vllm==").split("+")[0])


def test_only_viva_is_published_and_on_loopback_only() -> None:
    assert "ports" not in VLLM
    assert VIVA["ports"] == ["127.0.0.1:8000:8000"]
