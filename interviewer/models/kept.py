"""Keeps what was found about endpoints in a JSON file, per model and version of its server."""

import json
import logging
import os
from pathlib import Path

from pydantic import TypeAdapter, ValidationError

from interviewer.errors import ConfigError
from interviewer.models.findings import Report

logger = logging.getLogger(__name__)
_REPORTS = TypeAdapter(list[Report])
_VERSION_S = 2.0
"""A start of Viva does not wait longer for a dead endpoint."""


def read_reports(path: Path) -> list[Report]:
    """All that is kept; none where there is no file. ConfigError where it cannot be read."""
    try:
        return _REPORTS.validate_json(path.read_bytes())
    except FileNotFoundError:
        return []
    except (OSError, ValidationError) as error:
        raise ConfigError(
            f"VIVA_CHECKS={path}: cannot be read; delete it, and run `viva model check` again"
        ) from error


def keep(path: Path, report: Report) -> None:
    """Add a report in place of an older one of the same model and version, all or nothing."""
    same = (report.base_url, report.model, report.version)
    kept = [r for r in read_reports(path) if (r.base_url, r.model, r.version) != same]
    text = json.dumps([r.model_dump(mode="json") for r in (*kept, report)], indent=1)
    new = path.with_name(f"{path.name}.{os.getpid()}.new")
    try:
        new.write_text(f"{text}\n", encoding="utf-8")
        new.replace(path)
    except OSError as error:
        raise ConfigError(f"VIVA_CHECKS={path}: cannot be written ({error})") from error


def newest(path: Path, base_url: str, model: str) -> Report | None:
    """The newest report of a model, whatever its version."""
    mine = [r for r in read_reports(path) if (r.base_url, r.model) == (base_url, model)]
    return max(mine, key=lambda report: report.at, default=None)


async def in_force(path: Path, base_url: str, model: str) -> Report | None:
    """What is kept of a model, if its server still runs the version that was checked.

    A server that does not say its version now is taken at its last word.
    """
    base_url = base_url.rstrip("/")
    report = newest(path, base_url, model)
    if report is None:
        return None
    from interviewer.models.wire import Wire

    async with Wire(base_url, patience_s=_VERSION_S) as wire:
        version = await wire.version()
    if version in ("", report.version):
        return report
    logger.warning(
        "%s was checked as version %s and runs %s: run `viva model check %s` again",
        *(model, report.version or "unknown", version, base_url),
    )
    return None
