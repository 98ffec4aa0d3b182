"""Starting and ending the process that serves a model; a stand-in takes vLLM's place."""

import os
import sys
from pathlib import Path

import pytest

from interviewer.errors import ConfigError
from interviewer.models.plan import Wish, make_plan
from interviewer.models.serving import Launch, in_container, in_environment, running
from tests.patience import wait_until
from tests.servers import free_port

PLAN = make_plan(Wish("smollm2", name="mine"))
STAND_IN = """
import os, sys, time
from http.server import BaseHTTPRequestHandler, HTTPServer
class Healthy(BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200); self.end_headers()
    def log_message(self, *_): pass
print("loading", flush=True)
child = os.fork()
if child == 0:
    import signal; signal.signal(signal.SIGINT, signal.SIG_IGN); time.sleep(600)
print(f"child {child}", flush=True)
HTTPServer(("127.0.0.1", int(sys.argv[1])), Healthy).serve_forever()
"""


def launch(tmp_path: Path, code: str) -> Launch:
    port = free_port()
    command = (sys.executable, "-c", code, str(port))
    return Launch(command, f"http://127.0.0.1:{port}", tmp_path / "vllm.log")


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text()
    except (FileNotFoundError, ProcessLookupError):  # The latter where it ends as it is read.
        return False
    return state.rsplit(")", 1)[1].split()[0] != "Z"


def test_leaving_the_block_ends_the_server_and_its_children(tmp_path: Path) -> None:
    started = launch(tmp_path, STAND_IN)
    with running(started) as process:
        child = int(started.log.read_text().split("child ")[1].split()[0])
    assert process.returncode is not None
    wait_until(lambda: not _alive(child))


def test_a_server_that_ends_before_it_is_ready_is_told_with_its_last_words(tmp_path: Path) -> None:
    failing = launch(tmp_path, "import sys; sys.exit('CUDA out of memory')")
    with pytest.raises(ConfigError, match="CUDA out of memory"), running(failing):
        pass


def test_a_server_that_is_never_ready_is_ended(tmp_path: Path) -> None:
    stuck = launch(tmp_path, "import time; time.sleep(600)")
    seen: list[float] = []
    with (
        pytest.raises(ConfigError, match="not ready within"),
        running(stuck, lambda seconds, _: seen.append(seconds), patience_s=0.3),
    ):
        pass
    assert seen


def test_vivas_own_environment_is_refused() -> None:
    with pytest.raises(ConfigError, match="own environment"):
        in_environment(Path(sys.executable), PLAN, Path("vllm.log"))


def test_a_container_listens_inside_and_is_published_on_loopback_only() -> None:
    command = in_container("docker", PLAN, Path("vllm.log")).command
    assert command[command.index("--publish") + 1] == "127.0.0.1:8001:8001"
    assert command[command.index("--host") + 1] == "0.0.0.0"
    assert os.path.basename(command[0]) == "docker"
