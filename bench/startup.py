"""Wall time of fresh processes: the help, and a server to its first page."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from urllib.request import urlopen

from bench.calculators import EVERY_TOOL, IMPORT
from bench.relay import viva

VIVA = str(Path(sys.executable).parent / "viva")
KEEPS_BYTECODE = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}


def _run(*command: str) -> float:
    at = time.perf_counter()
    subprocess.run(command, capture_output=True, check=True, env=KEEPS_BYTECODE)
    return (time.perf_counter() - at) * 1e3


def help_ms(times: int = 7) -> float:
    """`viva --help`, the median, after one run that compiles."""
    _run(VIVA, "--help")
    return median(_run(VIVA, "--help") for _ in range(times))


def interpreter_ms() -> float:
    """A bare interpreter, median of seven."""
    return median(_run(sys.executable, "-c", "pass") for _ in range(7))


def imports_ms() -> float:
    """The floor of a server: importing what serves and stores, median of three."""
    code = "import fastapi, uvicorn, sqlmodel, jinja2, websockets, msgspec"
    return median(_run(sys.executable, "-c", code) for _ in range(3))


def catalogue_ms(times: int = 7) -> tuple[float, ...]:
    """CPU time of a bare interpreter, of one that imports the catalogue and of one that loads every
    tool; medians, after one run each that compiles.
    """
    codes = ("pass", IMPORT, EVERY_TOOL)
    return tuple(median([_cpu_ms(code) for _ in range(times + 1)][1:]) for code in codes)


def _cpu_ms(code: str) -> float:
    command = (sys.executable, "-c", f"{code}\nimport time; print(time.process_time())")
    ran = subprocess.run(command, capture_output=True, check=True, env=KEEPS_BYTECODE)
    return float(ran.stdout) * 1e3


def first_page_ms(times: int = 5) -> float:
    """From starting the process to the home page, the median on a migrated database."""
    with tempfile.TemporaryDirectory() as folder:
        _first_page(folder)
        return median(_first_page(folder) for _ in range(times))


def _first_page(folder: str) -> float:
    at = time.perf_counter()
    with viva("", llm=False, folder=folder) as (port, _):
        while True:
            try:
                with urlopen(f"http://127.0.0.1:{port}/", timeout=5) as page:
                    page.read()
                    return (time.perf_counter() - at) * 1e3
            except OSError:
                time.sleep(0.01)
