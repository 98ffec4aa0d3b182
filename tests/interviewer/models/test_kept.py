"""What was found is kept per model and version, and lost by no half-written file."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from interviewer.errors import ConfigError
from interviewer.models.findings import Finding, Report
from interviewer.models.kept import in_force, keep, newest, read_reports

URL = "http://127.0.0.1:9/v1"  # the discard port: nobody answers


def report(version: str = "0.32.0", model: str = "m-1", minute: int = 0) -> Report:
    return Report(
        base_url=URL,
        model=model,
        version=version,
        at=datetime(2026, 11, 29, 12, minute, tzinfo=UTC),
        findings=(Finding(ability="tools_free", state="no", detail="HTTP 400"),),
    )


def test_a_report_is_read_back_as_it_was(tmp_path: Path) -> None:
    keep(tmp_path / "checks.json", report())
    assert read_reports(tmp_path / "checks.json") == [report()]


def test_a_newer_report_of_the_same_version_takes_the_older_ones_place(tmp_path: Path) -> None:
    path = tmp_path / "checks.json"
    for made in (report(), report("0.31.0"), report(minute=5)):
        keep(path, made)
    assert [r.at.minute for r in read_reports(path) if r.version == "0.32.0"] == [5]
    assert len(read_reports(path)) == 2


def test_the_newest_report_of_a_model_counts(tmp_path: Path) -> None:
    path = tmp_path / "checks.json"
    for made in (report(minute=9), report("0.31.0", minute=5), report(model="other", minute=30)):
        keep(path, made)
    found = newest(path, URL, "m-1")
    assert found is not None
    assert found.version == "0.32.0"


def test_a_file_that_is_no_report_is_refused_with_the_remedy(tmp_path: Path) -> None:
    path = tmp_path / "checks.json"
    path.write_text('[{"model": 1}]')
    with pytest.raises(ConfigError, match="viva model check"):
        read_reports(path)


@pytest.mark.anyio
async def test_a_server_that_is_down_is_taken_at_its_last_word(tmp_path: Path) -> None:
    keep(tmp_path / "checks.json", report())
    found = await in_force(tmp_path / "checks.json", URL, "m-1")
    assert found is not None
    assert not found.capabilities.tools
