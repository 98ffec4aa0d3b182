"""A whole history out into one file and in again: fresh processes, their time and peak memory."""

import os
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage

from bench.startup import VIVA


@dataclass(frozen=True)
class Reading:
    """Seconds of a process by the clock and of CPU, its largest resident set and the archive's size
    in MB (1e6 bytes).
    """

    seconds: float
    cpu_s: float
    peak_mb: float
    file_mb: float


def measure(url: str, folder: Path) -> tuple[Reading, Reading]:
    """`viva export --all` of that database, and `viva import` into an empty one."""
    archive, fresh = folder / "history.zip", f"sqlite:///{folder / 'fresh.db'}"
    out = _run(url, archive, "export", "--all", str(archive))
    return out, _run(fresh, archive, "import", str(archive))


def _run(url: str, archive: Path, *command: str) -> Reading:
    at, spent, peak = time.perf_counter(), _children_s(), 0.0
    environment = {**os.environ, "VIVA_DATABASE_URL": url}
    running = subprocess.Popen([VIVA, *command], env=environment, stdout=subprocess.DEVNULL)
    while running.poll() is None:
        peak = max(peak, _peak_mb(running.pid))
        time.sleep(0.02)
    seconds = time.perf_counter() - at
    assert running.returncode == 0, f"viva {' '.join(command)} failed"
    return Reading(seconds, _children_s() - spent, peak, archive.stat().st_size / 1e6)


def _children_s() -> float:
    usage = getrusage(RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _peak_mb(pid: int) -> float:
    """So far; 0 once it has ended. The kernel's own figure for a child that has ended would begin
    with the memory of the parent that started it.
    """
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0
