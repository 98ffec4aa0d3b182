"""A real vLLM, started by `viva model serve` in an environment of its own, or one that runs.

Knows no round.
"""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from types import TracebackType

import httpx2

from tests.patience import PATIENCE_S
from tests.servers import free_port

ROOT = Path(__file__).parents[2]
MODEL = "smollm2"
TEMPLATE = ROOT / "deploy" / "chatml_tools.jinja"
SEATS = 4
"""Requests that run at once; few, so that a test can fill the queue."""
LENGTH = 8_192
ENDLESS = {
    "type": "object",
    "properties": {"story": {"type": "string", "minLength": 4_000}},
    "required": ["story"],
    "additionalProperties": False,
}
"""The schema of a reply that ends by its limit of tokens only. One that the model may end can be
over before a test has looked: its length depends on sampling and on the processor's rounding.
"""
ENDLESS_TOKENS = 6_000
"""The limit of such a reply: a minute's work or more."""


def installed() -> Path:
    """The folder of vLLM and its model; installed now where they are not."""
    made = subprocess.run(
        [ROOT / "scripts" / "install-vllm"],
        env={**os.environ, "PYTHON": sys.executable},
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return Path(made.stdout.strip())


class Running:
    """A vLLM that somebody started: VIVA_TEST_VLLM_URL names its root, without /v1."""

    def __init__(self, root: str, model: str = MODEL) -> None:
        self.root = root
        self.url = f"{root}/v1"
        self.model = model

    def metric(self, name: str) -> float:
        """The sum of a metric over its labels, such as `num_requests_running`."""
        text = httpx2.get(f"{self.root}/metrics", timeout=PATIENCE_S).text
        values = re.findall(rf"^vllm:{name}(?:{{[^}}]*}})? (\S+)$", text, re.MULTILINE)
        assert values, name
        return sum(map(float, values))

    def until(self, name: str, value: float, within_s: float = 120.0) -> float:
        """Wait until a metric has this value; what it was at last."""
        end = time.monotonic() + within_s
        while (now := self.metric(name)) != value and time.monotonic() < end:
            time.sleep(0.05)
        return now


@asynccontextmanager
async def left_running(vllm: Running) -> AsyncIterator[None]:
    """An endless reply begins in the block and is left in it: the server stops far from its end."""
    before = await asyncio.to_thread(vllm.metric, "generation_tokens_total")
    yield
    assert await asyncio.to_thread(vllm.until, "num_requests_running", 0) == 0
    made = await asyncio.to_thread(vllm.metric, "generation_tokens_total") - before
    assert made < ENDLESS_TOKENS / 2


class VllmServer(Running):
    """As an operator starts it; leaving the block is Ctrl-C."""

    def __init__(self, home: Path, folder: Path, template: Path = TEMPLATE) -> None:
        port = free_port()
        super().__init__(f"http://127.0.0.1:{port}")
        self.shown = ""
        """What the command said once the server was ready."""
        self._folder = folder
        self._command = [
            *(str(Path(sys.executable).parent / "viva"), "model", "serve"),
            *("--model", str(home / "model"), "--name", MODEL, "--port", str(port)),
            *("--python", str(home / "bin" / "python"), "--tool-parser", "hermes"),
            *("--context", str(LENGTH), "--log", str(folder / "vllm.log")),
            *("--chat-template", str(template)),
            *("--", "--enforce-eager", "--max-num-seqs", str(SEATS)),
            # The Messages API of today's models takes no temperature: it is set here.
            *("--override-generation-config", '{"temperature": 0.0}'),
            # Blanks between the parts of a JSON text have no bound: a small model may stay there.
            "--structured-outputs-config",
            '{"backend": "xgrammar", "disable_any_whitespace": true}',
        ]

    def __enter__(self) -> "VllmServer":
        quiet = {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "VLLM_CPU_KVCACHE_SPACE": "1"}
        self._process = subprocess.Popen(
            self._command,
            cwd=self._folder,
            env={**os.environ, **quiet},
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.shown += line
            if line.startswith("VIVA_LLM="):
                return self
        raise AssertionError(f"vLLM did not start:\n{self.log()[-4000:]}")

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def stop(self) -> int:
        """Ctrl-C; the exit status."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGINT)
        out, _ = self._process.communicate(timeout=2 * PATIENCE_S)
        self.shown += out
        return self._process.returncode

    def log(self) -> str:
        return (self._folder / "vllm.log").read_text(errors="replace")
