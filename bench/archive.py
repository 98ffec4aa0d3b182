"""A whole history out into one file and in again: fresh processes, their time and peak memory."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from bench.startup import VIVA


@dataclass(frozen=True)
class Reading:
    """Seconds of a process, its largest resident set in MB (1e6 bytes), and the file's size."""

    seconds: float
    peak_mb: float
    file_mb: float


def measure(url: str, folder: Path) -> tuple[Reading, Reading]:
    """`viva export --all` of that database, and `viva import` into an empty one."""
    archive, fresh = folder / "history.zip", f"sqlite:///{folder / 'fresh.db'}"
    out = _run(url, archive, "export", "--all", str(archive))
    return out, _run(fresh, archive, "import", str(archive))


def _run(url: str, archive: Path, *command: str) -> Reading:
    at = time.perf_counter()
    started = subprocess.Popen(
        [VIVA, *command],
        env={**os.environ, "VIVA_DATABASE_URL": url},
        stdout=subprocess.DEVNULL,
    )
    _, status, usage = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0, f"viva {' '.join(command)} failed"
    seconds = time.perf_counter() - at
    return Reading(seconds, usage.ru_maxrss * 1024 / 1e6, archive.stat().st_size / 1e6)
