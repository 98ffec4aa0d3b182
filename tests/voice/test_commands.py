"""`viva voice` as a person calls it."""

import json
import wave
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from evals.voice.voices import Clip
from viva import main


def viva(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["voice", *arguments])


@pytest.fixture
def wav(tmp_path: Path, spoken: Clip) -> Path:
    path = tmp_path / "answer.wav"
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(16_000)
        file.writeframes(spoken.pcm)
    return path


def test_a_file_is_told_as_json(wav: Path, model: str, spoken: Clip) -> None:
    ran = viva("transcribe", str(wav), "--card", "INF-001", "--model", model, "--json")
    assert ran.exit_code == 0, ran.output
    found = json.loads(ran.stdout)
    assert [(q["value"], q["unit"]) for q in found["quantities"]] == [
        (70.0, "GB"),
        (4.8, "TB/s"),
        (14.6, "ms"),
    ]
    assert [filler["text"].lower() for filler in found["fillers"]] == ["um"]
    (start, end), gaps = spoken.pauses[0], found["pauses"]
    assert any(abs(gap["start"] - start) < 0.15 and abs(gap["end"] - end) < 0.15 for gap in gaps)
    assert {"text", "start", "end", "confidence"} == set(found["words"][0])
    assert found["delivery"] is None  # nine seconds


def test_the_machine_is_measured(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("VIVA_VOICE_MODEL", model)
    found = json.loads(viva("check", "--json").stdout)
    assert found["understood"]
    assert found["pauses"]
    assert found["destination"] is None
    assert 0 < found["peak_bytes"] < 600e6


def test_a_folder_is_checked_and_named_by_setup(model: str) -> None:
    ran = viva("setup", model)
    assert f"VIVA_VOICE_MODEL={model}" in ran.output


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("transcribe", "none.wav"), "none.wav: cannot be read"),
        (("transcribe", "none.wav", "--card", "NO-1"), "NO-1"),
        (("setup", "tests"), "lacks model.bin"),
    ],
)
def test_a_mistake_is_told(arguments: tuple[str, ...], says: str) -> None:
    ran = viva(*arguments)
    assert ran.exit_code != 0
    assert says in ran.output
