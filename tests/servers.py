"""A real Viva in a process of its own, on a free port with a database of its own."""

import atexit
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import httpx2

from tests.patience import PATIENCE_S


def free_port() -> int:
    """A port for a server, also after its restart: a socket that is bound to it and never listens
    keeps everybody away from it but a server that may share it (SO_REUSEADDR, as all do).
    """
    keeper = socket.socket()
    keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    keeper.bind(("127.0.0.1", 0))
    atexit.register(keeper.close)
    return int(keeper.getsockname()[1])


class VivaServer:
    """`viva serve` as a person starts it; `kill` is SIGKILL, `stop` is SIGTERM."""

    def __init__(
        self,
        folder: Path,
        env: Mapping[str, str] | None = None,
        command: Sequence[str] = (str(Path(sys.executable).parent / "viva"), "serve"),
    ) -> None:
        self.folder = folder
        self._command = command
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        # Servers are started again and again: with bytecode written they start in half the time.
        inherited = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
        self._env = {
            **{name: value for name, value in inherited.items() if not name.startswith("VIVA_")},
            "VIVA_DATABASE_URL": f"sqlite:///{folder}/viva.db",
            "VIVA_PORT": str(self.port),
            **(env or {}),
        }
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Start, and return when the health page answers."""
        log = (self.folder / "viva.log").open("ab")
        with log:
            self._process = subprocess.Popen(
                self._command, cwd=self.folder, env=self._env, stdout=log, stderr=log
            )
        end = time.monotonic() + PATIENCE_S
        while not self._answers():
            if self._process.poll() is not None or time.monotonic() > end:
                raise AssertionError(f"viva did not start:\n{self.log()}")
            time.sleep(0.05)

    def _answers(self) -> bool:
        try:
            return httpx2.get(f"{self.url}/healthz", timeout=2).status_code == 200
        except httpx2.TransportError:
            return False

    def log(self) -> str:
        return (self.folder / "viva.log").read_text(errors="replace")

    def kill(self) -> None:
        """SIGKILL, without warning."""
        self._signal(signal.SIGKILL)

    def stop(self) -> int:
        """SIGTERM; returns the exit status."""
        return self._signal(signal.SIGTERM)

    def _signal(self, number: signal.Signals) -> int:
        assert self._process is not None
        self._process.send_signal(number)
        return self._process.wait(PATIENCE_S)

    def __enter__(self) -> "VivaServer":
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None and self._process.poll() is None:
            self.kill()
