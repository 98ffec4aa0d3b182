"""Sound that is read in lies apart until it counts; what a kill leaves of it is swept."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from interviewer.clock import utc_now
from interviewer.errors import BackupFault
from interviewer.takes.shelf import Shelf
from interviewer.takes.staging import staging, sweep_staging

STAGE = """
import sys
from pathlib import Path
from interviewer.takes.staging import staging
with staging(Path(sys.argv[1])) as made:
    (made / "0").write_bytes(b"half a recording")
    print(made, flush=True)
    sys.stdin.read()
"""


@contextmanager
def importing(folder: Path) -> Iterator[tuple["subprocess.Popen[str]", Path]]:
    """A process that is reading sound in, and its folder."""
    command = [sys.executable, "-c", STAGE, str(folder)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, text=True, stdin=pipe, stdout=pipe) as process:
        assert process.stdout is not None
        yield process, Path(process.stdout.readline().strip())
        process.kill()


def test_a_killed_import_leaves_a_folder_that_the_next_one_deletes(tmp_path: Path) -> None:
    with importing(tmp_path / "audio") as (process, left):
        process.kill()
        process.wait()
        assert (left / "0").exists()
    with staging(tmp_path / "audio") as made:
        assert made.is_dir()
        assert not left.exists()
    assert not made.exists()


async def test_a_server_sweeps_what_a_killed_import_left(tmp_path: Path) -> None:
    with importing(tmp_path / "audio") as (process, left):
        process.kill()
        process.wait()
    await Shelf(tmp_path / "audio", keep_days=30).sweep(utc_now())
    assert not left.exists()


def test_an_import_that_goes_on_is_left_alone(tmp_path: Path) -> None:
    with importing(tmp_path / "audio") as (_, made):
        sweep_staging(tmp_path / "audio")
        with pytest.raises(BackupFault, match="let it end"), staging(tmp_path / "audio"):
            pass
        assert (made / "0").exists()


@pytest.mark.parametrize("name", [".import-mine/0", ".import-abcd1234/notes.txt", "abcd1234/0"])
def test_what_is_not_of_an_import_is_never_swept(tmp_path: Path, name: str) -> None:
    (tmp_path / name).parent.mkdir()
    (tmp_path / name).write_text("mine")
    sweep_staging(tmp_path)
    assert (tmp_path / name).read_text() == "mine"


def test_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "0").write_text("mine")
    (tmp_path / ".import-abcd1234").symlink_to(tmp_path / "mine")
    sweep_staging(tmp_path)
    assert (tmp_path / "mine" / "0").exists()
