"""What an operator runs against the real server: the check, and what the plan takes for granted."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from interviewer.models.families import families
from interviewer.models.kept import newest
from tests.vllm.server import Running, VllmServer, installed


def test_the_check_tells_by_effect_what_the_server_can_do(vllm: Running, tmp_path: Path) -> None:
    viva = Path(sys.executable).parent / "viva"
    command = [str(viva), "model", "check", vllm.root, "--json"]
    out = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    states = {f["ability"]: f["state"] for f in json.loads(out.stdout)["findings"]}
    # Whether a model of 135M parameters calls a tool by itself is up to its words.
    assert states.pop("tools_free") in ("unknown", "yes", "ignored")
    assert set(states.values()) == {"yes"}
    assert len(states) == 9
    kept = newest(tmp_path / "viva-checks.json", vllm.url, vllm.model)
    assert kept is not None
    assert kept.version


def test_the_server_is_announced_with_the_settings_that_reach_it(vllm: Running) -> None:
    if not isinstance(vllm, VllmServer):
        pytest.skip("the server was started by somebody else")
    assert f"VIVA_LLM=vllm VIVA_LLM_BASE_URL={vllm.url} VIVA_LLM_MODEL=smollm2" in vllm.shown


@pytest.mark.parametrize("folder", ["tool_parsers", "reasoning"])
def test_the_plans_parsers_are_parsers_of_this_vllm(folder: str) -> None:
    (registry,) = installed().glob(f"lib/*/site-packages/vllm/{folder}/__init__.py")
    known = set(re.findall(r'^    "(\w+)": \(', registry.read_text(), re.MULTILINE))
    field = "tool_parser" if folder == "tool_parsers" else "reasoning_parser"
    named = {getattr(family, field) for family in families()} - {None}
    assert len(known) > 20
    assert named <= known
