"""Sound that a person keeps: packed, played and deleted."""

import asyncio
import os
import shutil
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path

import pytest

from interviewer.assembly import open_viva
from interviewer.child import Child, start
from interviewer.clock import utc_now
from interviewer.errors import ConfigError
from interviewer.settings import load_settings
from interviewer.takes import packing, shelf
from interviewer.takes.shelf import Shelf
from interviewer.takes.take import Notes, write_notes
from tests.interviewer.dictating import SAID, Spoken, endings, heard, record, spoken
from tests.patience import until


@asynccontextmanager
async def packing_halted(patch: pytest.MonkeyPatch) -> AsyncIterator[asyncio.Event]:
    """Sound is packed, and its WAV file deleted, only when the event is set."""
    pack, may_go_on = packing.pack, asyncio.Event()

    async def halted(path: Path) -> bool:
        await may_go_on.wait()
        return await pack(path)

    with patch.context() as patched:
        patched.setattr(packing, "pack", halted)
        yield may_go_on


async def sent_with_sound(at: Spoken) -> None:
    dictation = await at.dictation()
    await record(dictation, 10, keep=True)
    await dictation.done("a1", 10)
    await heard(dictation)
    await dictation.send("a1", SAID)


async def test_sound_that_is_being_packed_is_played_from_the_file_that_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with spoken(tmp_path) as at, packing_halted(monkeypatch) as may_go_on:
        await sent_with_sound(at)
        await asyncio.sleep(0)
        found = asyncio.create_task(at.shelf.sound_file(at.session.id, "a1"))
        await asyncio.wait([found], timeout=0.2)
        assert not found.done()
        assert await at.shelf.kept(at.session.id) == ("a1",)
        may_go_on.set()
        file = await found
        assert file
        with file:
            assert Path(file.name) == tmp_path / "audio" / at.session.id / "a1.webm"


async def test_sound_deleted_while_it_is_packed_does_not_come_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with spoken(tmp_path) as at, packing_halted(monkeypatch) as may_go_on:
        await sent_with_sound(at)
        await asyncio.sleep(0)
        forgotten = asyncio.create_task(at.shelf.forget(at.session.id))
        await asyncio.wait([forgotten], timeout=0.2)
        may_go_on.set()
        await forgotten
        await asyncio.gather(*at.tasks)
        assert not list((tmp_path / "audio").rglob("*.*"))


async def test_a_folder_that_another_process_deletes_meanwhile_is_logged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def deleted_before_its_end(*args: str, **options: int) -> Child:
        process = await start(*args, **options)
        await process.wait()
        shutil.rmtree(Path(args[-1]).parent)
        return process

    monkeypatch.setattr(packing, "start", deleted_before_its_end)
    async with spoken(tmp_path) as at:
        await sent_with_sound(at)
        await asyncio.gather(*at.tasks)
        assert "a1.wav is not put away yet: the disk refused" in caplog.text
        assert not list((tmp_path / "audio").rglob("*.*"))


async def test_an_answer_is_begun_while_the_one_before_it_is_deleted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with spoken(tmp_path) as at:
        before = await at.shelf.begin(at.session.id, "a1", keep=False)
        deleting: list[threading.Thread] = []

        def write_late(path: Path, notes: Notes) -> None:
            discard = at.shelf.discard(before)
            deleting.append(threading.Thread(target=lambda: asyncio.run(discard)))
            deleting[0].start()
            deleting[0].join(0.2)  # Where it need not wait, the folder is gone by now.
            write_notes(path, notes)

        (before.path.parent / "a1.json").unlink()
        before.path.unlink()
        monkeypatch.setattr(shelf, "write_notes", write_late)
        await at.shelf.begin(at.session.id, "a2", keep=True)
        await asyncio.to_thread(deleting[0].join)
        found = await at.shelf.unsent(at.session.id)
        assert found
        assert found.id == "a2"


async def test_sound_is_deleted_once_the_answer_is_sent_unless_it_is_wanted(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5, "gone", keep=False)
        await dictation.done("gone", 5)
        await dictation.send("gone", SAID)
        await at.session.settle()
        await record(dictation, 5, "kept", keep=True)
        await dictation.done("kept", 5)
        await dictation.send("kept", SAID)
        await until(lambda: endings(tmp_path) == [".webm"])
        assert await at.shelf.kept(at.session.id) == ("kept",)


async def test_old_sound_is_swept_and_new_sound_stays(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        await record(await at.dictation(), 5)
        path = next((tmp_path / "audio").glob("*/a1.wav"))
        assert await at.shelf.sweep(utc_now()) == 0
        old = (utc_now() - timedelta(days=31)).timestamp()
        os.utime(path, (old, old))
        assert await at.shelf.sweep(utc_now()) == 1
        assert not path.exists()


async def test_the_sound_of_a_round_can_be_forgotten(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        await record(await at.dictation(), 5)
        await at.shelf.forget(at.session.id)
        assert list((tmp_path / "audio").rglob("*.*")) == []


@pytest.mark.parametrize("name", ["notes/2024.txt", "0123456789abcdef/song.mp3", "album/a1.wav"])
async def test_old_files_that_are_not_of_viva_are_never_swept(tmp_path: Path, name: str) -> None:
    foreign, empty = tmp_path / "audio" / name, tmp_path / "audio" / "empty"
    for folder in (foreign.parent, empty):
        folder.mkdir(parents=True)
    foreign.write_bytes(b"mine")
    old = (utc_now() - timedelta(days=400)).timestamp()
    os.utime(foreign, (old, old))
    assert await Shelf(tmp_path / "audio", keep_days=30).sweep(utc_now()) == 0
    assert foreign.exists()
    assert empty.exists()


async def test_a_folder_that_can_hold_no_sound_is_refused_at_the_start(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    env = {
        "VIVA_DATABASE_URL": f"sqlite:///{tmp_path}/viva.db",
        "VIVA_VOICE": "endpoint",
        "VIVA_VOICE_BASE_URL": "http://127.0.0.1:9/v1",
        "VIVA_VOICE_MODEL": "none",
    }
    refused = load_settings(env | {"VIVA_AUDIO_FOLDER": f"{tmp_path}/file/sound"}, tmp_path)
    with pytest.raises(ConfigError, match=r"VIVA_AUDIO_FOLDER=.*/file/sound: name a folder"):
        async with open_viva(refused):
            pass
    usable = load_settings(env | {"VIVA_AUDIO_FOLDER": f"{tmp_path}/yet/to/be/made"}, tmp_path)
    async with open_viva(usable) as viva:
        assert viva.dictations is not None
