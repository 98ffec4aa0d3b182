"""`viva doctor` as a person runs it."""

import json
import os
import subprocess
import sys
from pathlib import Path

from tests.fakes.upstream import Upstream, UpstreamServer
from tests.servers import VivaServer

VIVA = Path(sys.executable).parent / "viva"


def doctor(folder: Path, **env: str) -> tuple[int, dict[str, dict[str, str]]]:
    """Exit code, and the checks by part."""
    plain = {name: value for name, value in os.environ.items() if not name.startswith("VIVA_")}
    out = subprocess.run(
        [VIVA, "doctor", "--json"], cwd=folder, env=plain | env, capture_output=True, text=True
    )
    return out.returncode, {check["part"]: check for check in json.loads(out.stdout)}


def test_a_fresh_installation_is_usable_without_a_model(tmp_path: Path) -> None:
    code, checks = doctor(tmp_path)
    assert code == 0
    assert checks["database"]["detail"].startswith("sqlite 3.")
    assert "card interviewer" in checks["interviewer"]["detail"]


def test_a_model_that_answers_is_usable(tmp_path: Path) -> None:
    with UpstreamServer(Upstream()) as upstream:
        env = {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": upstream.url, "VIVA_LLM_MODEL": "fake"}
        code, checks = doctor(tmp_path, **env)
    assert (code, checks["interviewer"]["state"]) == (0, "ok")


def test_a_model_that_lists_itself_but_does_not_answer_is_broken(tmp_path: Path) -> None:
    with UpstreamServer(Upstream(fails_with=400)) as upstream:
        env = {"VIVA_LLM": "vllm", "VIVA_LLM_BASE_URL": upstream.url, "VIVA_LLM_MODEL": "fake"}
        code, checks = doctor(tmp_path, **env)
    assert (code, checks["interviewer"]["state"]) == (1, "broken")


def test_voice_is_absent_without_harm_until_it_is_set(tmp_path: Path) -> None:
    code, checks = doctor(tmp_path)
    assert (code, checks["voice"]["state"]) == (0, "absent")


def test_a_voice_model_that_is_not_there_is_broken_and_the_rest_is_usable(tmp_path: Path) -> None:
    code, checks = doctor(tmp_path, VIVA_VOICE="whisper", VIVA_VOICE_MODEL=str(tmp_path))
    assert (code, checks["voice"]["state"]) == (1, "broken")
    assert checks["database"]["state"] == "ok"


def test_a_bad_setting_is_the_only_thing_said(tmp_path: Path) -> None:
    code, checks = doctor(tmp_path, VIVA_PORT="http")
    assert code == 1
    assert checks["settings"]["detail"].startswith("VIVA_PORT=http")


def test_a_database_in_use_is_not_broken(tmp_path: Path) -> None:
    with VivaServer(tmp_path):
        code, checks = doctor(tmp_path, VIVA_DATABASE_URL=f"sqlite:///{tmp_path}/viva.db")
    assert code == 0
    assert "in use by a running Viva" in checks["database"]["detail"]
