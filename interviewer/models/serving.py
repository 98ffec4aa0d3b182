"""Runs vLLM as a process of its own, in an environment or container of its own, and ends it whole.

Knows processes and one health page; nothing of rounds.
"""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from interviewer.errors import ConfigError
from interviewer.models.plan import Plan

IMAGE = "docker.io/vllm/vllm-openai:v0.32.0"
OWN_FOLDER = Path(".venv-vllm")
PATIENCE_S = 1_800.0
"""A 70B model takes minutes to load; one that must be downloaded first takes longer."""
GRACE_S = 20.0
LOG_LINES = 15
_QUIET = {"VLLM_NO_USAGE_STATS": "1", "DO_NOT_TRACK": "1"}
"""Viva calls nobody but the model, and lets nobody be called."""


@dataclass(frozen=True, slots=True)
class Launch:
    """A command that serves a model at `url` (without /v1), and its environment's additions."""

    command: tuple[str, ...]
    url: str
    log: Path
    env: Mapping[str, str] = field(default_factory=dict)


def in_environment(python: Path, plan: Plan, log: Path, extra: Sequence[str] = ()) -> Launch:
    """vLLM of another Python environment than Viva's, whose pins differ."""
    if not python.is_file():
        raise ConfigError(f"--python {python}: there is no such file")
    if python.parent.parent.resolve() == Path(sys.prefix).resolve():
        raise ConfigError(
            f"--python {python} is Viva's own environment, whose pins vLLM would break: "
            f"make one of its own with `uv venv {OWN_FOLDER}`"
        )
    module = ("-m", "vllm.entrypoints.openai.api_server", "--model", plan.wish.model)
    command = (str(python), *module, *plan.arguments(), *extra)
    return Launch(command, _url(plan), log, _QUIET)


def in_container(
    engine: str, plan: Plan, log: Path, image: str = IMAGE, extra: Sequence[str] = ()
) -> Launch:
    """vLLM's own image, with all GPUs and the host's model cache; published on the wish's host."""
    wish = plan.wish
    cache = Path(os.environ.get("HF_HOME", Path.home() / ".cache" / "huggingface"))
    # Inside, it must listen on all addresses; which one is open outside is said by --publish.
    arguments = plan.arguments()
    arguments[arguments.index("--host") + 1] = "0.0.0.0"
    command = (
        *(engine, "run", "--rm", "--init", "--gpus", "all", "--ipc", "host"),
        *("--publish", f"{wish.host}:{wish.port}:{wish.port}"),
        *("--volume", f"{cache}:/root/.cache/huggingface", "--env", "HF_TOKEN"),
        *(part for name, value in _QUIET.items() for part in ("--env", f"{name}={value}")),
        *(image, "--model", wish.model, *arguments, *extra),
    )
    return Launch(command, _url(plan), log)


def found_engine() -> Path | str:
    """A Python with vLLM beside Viva, or a container engine. ConfigError says how to get one."""
    own = OWN_FOLDER / "bin" / "python"
    if own.is_file():
        return own
    for engine in ("docker", "podman"):
        if shutil.which(engine):
            return engine
    raise ConfigError(
        "no vLLM found: neither docker nor podman is here, and there is no "
        f"{own}. Make one: uv venv {OWN_FOLDER} && "
        f"uv pip install --python {own} -r deploy/vllm.txt"
    )


@contextmanager
def running(
    launch: Launch,
    progress: Callable[[float, str], None] = lambda seconds, line: None,
    patience_s: float = PATIENCE_S,
) -> Iterator["subprocess.Popen[bytes]"]:
    """Start, wait until it is healthy, and stop it with all of its children at the end.

    `progress` gets the seconds so far and the log's last line. ConfigError where it does not start.
    """
    process = _started(launch)
    try:
        _wait_healthy(process, launch, progress, patience_s)
        yield process
    finally:
        stop(process)


def _started(launch: Launch) -> "subprocess.Popen[bytes]":
    try:
        with launch.log.open("wb") as log:
            return subprocess.Popen(
                launch.command,
                env={**os.environ, **launch.env},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,  # one group, so that no worker outlives it
            )
    except OSError as error:
        raise ConfigError(f"{error.filename}: {error.strerror}; vLLM was not started") from error


def stop(process: "subprocess.Popen[bytes]") -> None:
    """Ask, then insist; returns when the whole group is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL):
        if process.poll() is not None:
            break
        process.send_signal(number)
        try:
            process.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            continue
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def last_lines(log: Path, number: int = LOG_LINES) -> list[str]:
    """The end of the log, for people."""
    with log.open("rb") as file:
        file.seek(max(0, log.stat().st_size - 64_000))
        return file.read().decode("utf-8", "replace").splitlines()[-number:]


def _url(plan: Plan) -> str:
    host = plan.wish.host if plan.wish.host not in ("0.0.0.0", "::") else "127.0.0.1"
    return f"http://{host}:{plan.wish.port}"


def _wait_healthy(
    process: "subprocess.Popen[bytes]",
    launch: Launch,
    progress: Callable[[float, str], None],
    patience_s: float,
) -> None:
    begun = time.monotonic()
    while not _healthy(launch.url):
        waited = time.monotonic() - begun
        lines = last_lines(launch.log)
        if process.poll() is not None:
            shown = "\n  ".join(lines)
            raise ConfigError(
                f"vLLM ended with {process.returncode} before it was ready; {launch.log} ends:"
                f"\n  {shown}"
            )
        progress(waited, lines[-1] if lines else "starting")
        if waited > patience_s:
            raise ConfigError(f"vLLM was not ready within {patience_s:g} s; see {launch.log}")
        time.sleep(0.25)


def _healthy(url: str) -> bool:
    import httpx2

    try:
        return httpx2.get(f"{url}/health", timeout=2).status_code == 200
    except httpx2.TransportError:
        return False
