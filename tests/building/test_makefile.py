"""What `make` would run to fill an environment that is there already, whoever made it."""

import shutil
import subprocess
from pathlib import Path

MAKEFILE = Path(__file__).parents[2] / "Makefile"
SYNC = "sync --frozen --inexact --quiet"


def planned(folder: Path) -> list[str]:
    """The commands, with only the `bin` of a checkout on the path."""
    for name in ("bin", ".venv/bin"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    for name in (".venv/bin/python", "pyproject.toml", "uv.lock"):
        (folder / name).touch()
    make = shutil.which("make")
    assert make is not None
    ran = subprocess.run(
        [make, "-n", "-f", str(MAKEFILE), ".venv/.dev"],
        cwd=folder,
        env={"PATH": str(folder / "bin")},
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in ran.stdout.splitlines() if not line.startswith("touch")]


def test_an_environment_without_uv_gets_one_where_none_is_on_the_path(tmp_path: Path) -> None:
    assert planned(tmp_path) == [
        ".venv/bin/python -m ensurepip >/dev/null",
        ".venv/bin/python -m pip install --quiet uv",
        f"UV_PROJECT_ENVIRONMENT=.venv .venv/bin/uv {SYNC}",
    ]


def test_the_uv_on_the_path_is_used_where_there_is_one(tmp_path: Path) -> None:
    uv = tmp_path / "bin" / "uv"
    uv.parent.mkdir()
    uv.write_text("#!/bin/sh\n")
    uv.chmod(0o755)
    assert planned(tmp_path) == [f"UV_PROJECT_ENVIRONMENT=.venv {uv} {SYNC}"]
