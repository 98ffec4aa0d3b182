"""Our generic top-level names must load ours, from anywhere, whatever else is installed."""

import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAMES = ("interviewer", "rubrics", "questions", "tools", "web", "evals", "tests")


@pytest.mark.parametrize("package", NAMES)
def test_no_foreign_distribution_owns_one_of_our_names(package: str) -> None:
    owners = set(packages_distributions().get(package, [])) - {"viva"}
    assert owners == set()


@pytest.mark.parametrize("package", NAMES[:-1])
def test_the_installed_packages_are_ours_from_another_folder(package: str, tmp_path: Path) -> None:
    code = f"import {package}; print({package}.__file__)"
    out = subprocess.run(
        [sys.executable, "-P", "-c", code], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert Path(out.stdout.strip()) == ROOT / package / "__init__.py"


def test_the_installed_command_runs_from_another_folder(tmp_path: Path) -> None:
    viva = Path(sys.executable).parent / "viva"
    out = subprocess.run(
        [sys.executable, "-P", str(viva), "--help"], cwd=tmp_path, capture_output=True, text=True
    )
    assert out.returncode == 0
    assert "serve" in out.stdout


def test_nothing_imports_the_command() -> None:
    sources = (path for name in NAMES[:-1] for path in (ROOT / name).rglob("*.py"))
    pattern = re.compile(r"^\s*(import viva|from viva) ?", re.MULTILINE)
    importing = [path for path in sources if pattern.search(path.read_text("utf-8"))]
    assert importing == []


def test_the_help_imports_nothing_heavy() -> None:
    code = (
        "import sys\nfrom viva import main\n"
        "main(['--help'], standalone_mode=False)\n"
        "heavy = {'fastapi', 'sqlmodel', 'openai', 'anthropic', 'pydantic', 'uvicorn', 'numpy'}\n"
        "print(sorted(heavy & set(sys.modules)))"
    )
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.splitlines()[-1] == "[]"


def test_nothing_in_the_repository_points_outside_it() -> None:
    tracked = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split("\0")
    forbidden = ("../" + "shared", "/" + "work/")
    texts = (
        ROOT / path
        for path in tracked
        if path and not path.endswith((".png", ".bin", ".lock", ".webm"))
    )
    found = [
        str(path) for path in texts if any(word in path.read_text("utf-8") for word in forbidden)
    ]
    assert found == []
