"""`viva voice setup` against a hub on this machine: whole, cut short, changed, missing, away."""

from pathlib import Path

import pytest

from interviewer.voice.fetch import NOTES, damaged
from tests.voice.hub import Hub, serving
from tests.voice.test_commands import viva

FILES = {"model.bin": b"x" * 100_000, "config.json": b"{}", "tokenizer.json": b"{}"}
REMEDY = "viva voice setup FOLDER"


@pytest.fixture(autouse=True)
def models(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("VIVA_VOICE_MODELS", str(tmp_path / "models"))
    return tmp_path / "models"


@pytest.mark.slow
def test_a_model_is_fetched_checked_and_tried(
    monkeypatch: pytest.MonkeyPatch, models: Path, model: str
) -> None:
    files = {
        file.name: file.read_bytes()
        for file in Path(model).iterdir()
        if file.suffix in (".bin", ".json", ".txt")
    }
    hub = Hub(files)
    with serving(hub) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        ran = viva("setup", "base")
    assert ran.exit_code == 0, ran.output
    assert "numbers understood: yes" in ran.output
    assert f"VIVA_VOICE_MODEL={models / 'base'}" in ran.output
    assert not any("harness" in path or "telemetry" in path for path in hub.asked)


@pytest.mark.parametrize(
    ("hub", "says"),
    [
        (Hub(FILES, cut=5_000), "received 95000 bytes, expected 100000"),
        (Hub(FILES, changed=True), "model.bin is not the file that the hub describes"),
        (Hub(FILES, status=404), "404 Not Found"),
        (Hub(FILES, status=500), "500 Internal Server Error"),
    ],
    ids=["cut short", "changed", "missing", "broken"],
)
def test_a_download_that_fails_says_why_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, models: Path, hub: Hub, says: str
) -> None:
    with serving(hub) as url:
        monkeypatch.setenv("HF_ENDPOINT", url)
        ran = viva("setup", "base")
    assert ran.exit_code != 0
    assert says in ran.output
    assert REMEDY in ran.output
    assert not (models / "base" / "model.bin").exists()


def test_without_a_network_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    ran = viva("setup", "base")
    assert ran.exit_code != 0
    assert "Connection refused" in ran.output
    assert REMEDY in ran.output


def test_a_model_that_nobody_knows_is_told_with_those_that_there_are() -> None:
    ran = viva("setup", "enormous")
    assert ran.exit_code != 0
    assert "'enormous'" in ran.output
    assert "tiny.en" in ran.output


def test_a_small_file_is_known_by_its_git_hash(tmp_path: Path) -> None:
    # of `printf hello | git hash-object --stdin`
    digest = "b6fc4c620b67d95f953a5c1c1230aaab5db5a1b0"
    (tmp_path / NOTES).mkdir(parents=True)
    (tmp_path / NOTES / "config.json.metadata").write_text(f"commit\n{digest}\n1.0\n")
    (tmp_path / "config.json").write_text("hello")
    assert damaged(tmp_path) == []
    (tmp_path / "config.json").write_text("hellO")
    assert damaged(tmp_path) == [tmp_path / "config.json"]
