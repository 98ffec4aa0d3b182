"""What must be known to repeat a run: commit, content hashes, versions, time."""

import subprocess
from collections.abc import Iterable, Mapping
from datetime import datetime
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Literal

from evals.budget import Meter, RoleUse
from evals.results import RunRecord
from interviewer.clock import utc_now

ROOT = Path(__file__).parents[1]
NAMED = ("viva", "pydantic", "scipy", "scikit-learn", "statsmodels")
Subject = Literal["scorer", "judge", "interviewer", "tools", "voice"]


def record(
    subject: Subject,
    identity: str,
    *,
    started: datetime,
    files: Iterable[Path],
    hashes: Mapping[str, str],
    settings: Mapping[str, str],
    notices: Iterable[str] = (),
    roles: Iterable[RoleUse] = (),
) -> RunRecord:
    """The record of a run that ends now."""
    return RunRecord(
        subject=subject,
        identity=identity,
        roles=tuple(roles),
        commit=_git("rev-parse", "--short=12", "HEAD"),
        dirty=bool(_git("status", "--porcelain")),
        cases={file.name: file_hash(file) for file in files},
        hashes=dict(hashes),
        repeats=int(settings.get("repeats", "1")),
        settings=dict(settings),
        versions={name: _version(name) for name in NAMED},
        started=started,
        finished=utc_now(),
        notices=tuple(notices),
    )


def role_uses(models: Mapping[str, str], meter: Meter) -> list[RoleUse]:
    """Each role with its model and what it spent."""
    return [
        RoleUse(role=role, model=model, **({"spent": spent} if spent else {}))
        for role, model in models.items()
        for spent in [meter.by_role.get(role)]
    ]


def file_hash(file: Path) -> str:
    """16 hex digits over a file's bytes."""
    return sha256(file.read_bytes()).hexdigest()[:16]


def _git(*arguments: str) -> str:
    try:
        found = subprocess.run(
            ["git", "-C", str(ROOT), *arguments], capture_output=True, text=True, check=False
        )
    except OSError:
        return ""
    return found.stdout.strip() if found.returncode == 0 else ""


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "not installed"
