"""Kept sound out with everything else and in again, in archives and in backups."""

import json
import os
from hashlib import sha256
from pathlib import Path
from zipfile import ZipFile

import pytest

from tests.interviewer.test_keeping import events, fill, members, run

HEARD = b"RIFF-like bytes \x00\xff" * 9_000
KEPT_AT = 1_780_000_000
LISTED = {
    "round_id": "round-0",
    "file": "a1.webm",
    "bytes": len(HEARD),
    "sha256": sha256(HEARD).hexdigest(),
    "kept_at": KEPT_AT,
}


def home(tmp_path: Path, name: str) -> tuple[str, Path]:
    """An installation of its own: the URL of its database and its folder of sound."""
    (tmp_path / name).mkdir()
    return f"sqlite:///{tmp_path}/{name}/viva.db", tmp_path / name / "viva-audio"


def keep(folder: Path, round_id: str, file: str, content: bytes = HEARD) -> Path:
    place = folder / round_id / file
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    os.utime(place, (KEPT_AT, KEPT_AT))
    return place


def sounds(folder: Path) -> dict[str, tuple[bytes, int]]:
    return {
        str(path.relative_to(folder)): (path.read_bytes(), int(path.stat().st_mtime))
        for path in folder.glob("**/*")
        if path.is_file() and path.name != ".import-lock"
    }


@pytest.fixture
def spoken(tmp_path: Path) -> tuple[str, Path]:
    """Three rounds; two recordings that are kept, and three files that are not."""
    url, folder = home(tmp_path, "one")
    fill(url)
    keep(folder, "round-0", "a1.webm")
    keep(folder, "round-1", "b2.wav", HEARD[:5000])
    keep(folder, "round-2", "unsent.wav")
    keep(folder, "round-2", "unsent.json", b"{}")
    keep(folder, "no-such-round", "a1.webm")
    return url, folder


def test_sound_goes_out_and_in_and_out_again_as_the_same_bytes(
    spoken: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = spoken
    done = run(url, "export", "--all", str(tmp_path / "a.zip"))
    assert "16 rows of event, 2 recordings" in done.output
    two, brought = home(tmp_path, "two")
    assert "2 recordings" in run(two, "import", str(tmp_path / "a.zip")).output
    kept = {name: sounds(folder)[name] for name in ("round-0/a1.webm", "round-1/b2.wav")}
    assert sounds(brought) == kept
    assert (brought / "round-0/a1.webm").stat().st_mode & 0o777 == 0o600
    run(two, "export", "--all", str(tmp_path / "b.zip"))
    assert members(tmp_path / "a.zip") == members(tmp_path / "b.zip")
    assert "0 recordings" in run(two, "import", str(tmp_path / "b.zip")).output


def test_sound_can_be_left_out(spoken: tuple[str, Path], tmp_path: Path) -> None:
    run(spoken[0], "export", "--all", str(tmp_path / "a.zip"), "--no-sound")
    assert set(members(tmp_path / "a.zip")) == {"viva.json", "event.jsonl"}


def test_an_archive_of_the_first_format_is_still_read(
    spoken: tuple[str, Path], tmp_path: Path
) -> None:
    run(spoken[0], "export", "--all", str(tmp_path / "a.zip"), "--no-sound")
    with ZipFile(tmp_path / "a.zip") as archive, ZipFile(tmp_path / "old.zip", "w") as old:
        old.writestr("event.jsonl", archive.read("event.jsonl"))
        old.writestr("viva.json", archive.read("viva.json").replace(b"archive/2", b"archive/1"))
    two, _ = home(tmp_path, "two")
    assert "Added 16 rows" in run(two, "import", str(tmp_path / "old.zip")).output


def meddled(source: Path, target: Path, listed: dict[str, object], member: str) -> str:
    """The archive with one recording: listed so, and lying there under that name."""
    with ZipFile(source) as archive, ZipFile(target, "w") as copy:
        for name in ("event.jsonl", "viva.json"):
            copy.writestr(name, archive.read(name))
        copy.writestr("sound.jsonl", json.dumps(listed) + "\n")
        copy.writestr(member, HEARD)
    return str(target)


@pytest.mark.parametrize(
    ("change", "member", "says"),
    [
        ({"sha256": "0" * 64}, "sound/round-0/a1.webm", "its length or its digest"),
        ({"bytes": 5}, "sound/round-0/a1.webm", "its length or its digest"),
        ({"bytes": 2**40}, "sound/round-0/a1.webm", "sound.jsonl:1: bytes: Input should be less"),
        ({"file": "../../x.webm"}, "sound/round-0/../../x.webm", "sound.jsonl:1: file: String"),
        ({"file": "a1.html"}, "sound/round-0/a1.html", "sound.jsonl:1: file: String"),
        ({"round_id": ".."}, "sound/../a1.webm", "sound.jsonl:1: round_id: String"),
        ({"round_id": "elsewhere"}, "sound/elsewhere/a1.webm", "there is no round elsewhere"),
        ({"kept_at": -1}, "sound/round-0/a1.webm", "sound.jsonl:1: kept_at"),
        ({"more": 1}, "sound/round-0/a1.webm", "sound.jsonl:1: more: Extra"),
        ({}, "sound/round-0/other.webm", "must be in the archive and in sound.jsonl"),
        ({}, "sound", "it holds what no archive holds"),
    ],
)
def test_sound_that_was_meddled_with_is_refused_with_everything_else(
    change: dict[str, object],
    member: str,
    says: str,
    spoken: tuple[str, Path],
    tmp_path: Path,
) -> None:
    run(spoken[0], "export", "--all", str(tmp_path / "a.zip"))
    bad = meddled(tmp_path / "a.zip", tmp_path / "bad.zip", LISTED | change, member)
    two, brought = home(tmp_path, "two")
    done = run(two, "import", bad)
    assert (done.exit_code, says in done.output) == (1, True), done.output
    assert events(two) == []
    assert sounds(brought) == {}
    assert not (tmp_path / "two" / "x.webm").exists()


def test_a_hostile_name_in_an_archive_steers_no_terminal(
    spoken: tuple[str, Path], tmp_path: Path
) -> None:
    run(spoken[0], "export", "--all", str(tmp_path / "a.zip"))
    bad = meddled(tmp_path / "a.zip", tmp_path / "bad.zip", LISTED, "sound/\x1b[2J\u202e")
    done = run(home(tmp_path, "two")[0], "import", bad)
    assert "sound/\u241b[2J\ufffd: it must be in the archive" in done.output


def test_an_encrypted_member_is_refused(spoken: tuple[str, Path], tmp_path: Path) -> None:
    run(spoken[0], "export", "--all", str(tmp_path / "a.zip"))
    whole = bytearray((tmp_path / "a.zip").read_bytes())
    for at in range(len(whole) - 4):
        if whole[at : at + 4] == b"PK\x01\x02":
            whole[at + 8] |= 1
    (tmp_path / "bad.zip").write_bytes(whole)
    done = run(home(tmp_path, "two")[0], "import", str(tmp_path / "bad.zip"))
    assert (done.exit_code, "is encrypted" in done.output) == (1, True)


def test_a_recording_that_differs_from_the_one_here_is_not_overwritten(
    spoken: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = spoken
    run(url, "export", "--all", str(tmp_path / "a.zip"))
    keep(folder, "round-0", "a1.webm", b"another")
    done = run(url, "import", str(tmp_path / "a.zip"))
    assert (done.exit_code, "is here already and differs" in done.output) == (1, True)
    assert (folder / "round-0" / "a1.webm").read_bytes() == b"another"


def test_a_backup_holds_the_sound_and_restoring_adds_what_is_missing(
    spoken: tuple[str, Path], tmp_path: Path
) -> None:
    url, folder = spoken
    done = run(url, "backup", str(tmp_path / "b.db"))
    assert f"Wrote {tmp_path}/b.db.sound.zip: 2 recordings." in done.output
    before = sounds(folder)
    (folder / "round-0" / "a1.webm").unlink()
    done = run(url, "restore", str(tmp_path / "b.db"))
    assert "Restored 3 rounds, 16 events." in done.output
    assert "Added 1 recording." in done.output
    assert sounds(folder) == before


def test_a_backup_without_sound_is_one_file(tmp_path: Path) -> None:
    url, _ = home(tmp_path, "one")
    fill(url)
    run(url, "backup", str(tmp_path / "b.db"))
    assert [path.name for path in tmp_path.glob("b.db*")] == ["b.db"]


def test_what_was_imported_is_purged_with_its_round(
    spoken: tuple[str, Path], tmp_path: Path
) -> None:
    run(spoken[0], "export", "--all", str(tmp_path / "a.zip"))
    two, brought = home(tmp_path, "two")
    run(two, "import", str(tmp_path / "a.zip"))
    run(two, "purge", "--older-than", "1d", "--yes")
    # The first round has a note, which pins it.
    assert set(sounds(brought)) == {"round-0/a1.webm"}
