"""The scorecard of spoken answers: delivery beside the score, both texts, and sound that plays."""

import re
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

import httpx2
import pytest

from interviewer.dictations import Dictations
from interviewer.heard import Heard, HeardWord, Span
from interviewer.session import RoundSession
from interviewer.store import EventStore
from interviewer.takes import wav
from interviewer.takes.shelf import Shelf
from interviewer.voice.scripted import ScriptedRecogniser
from tests.patience import PATIENCE_S
from tests.web.rig import Rig, rig

SAID = (
    "Um, I would batch continuously, because a decode step reads all weights for each token. "
    "So 70 GB over 4.8 TB/s is 14.6 ms. The trade-off is, uh, latency per user."
)


def heard(text: str = SAID) -> Heard:
    """Fifteen seconds of speech with a pause of two and a half in the middle."""
    words = text.split()
    step = 12.5 / len(words)
    starts = [n * step + (2.5 if n * step >= 6 else 0) for n in range(len(words))]
    return Heard(
        text=text,
        words=tuple(
            HeardWord(text=word, start=at, end=at + step, confidence=0.9)
            for word, at in zip(words, starts, strict=True)
        ),
        speech=(Span(start=0, end=6), Span(start=8.5, end=15)),
        seconds=15,
        recogniser="scripted",
    )


@pytest.fixture
async def speaking(store: EventStore, tmp_path: Path) -> AsyncIterator[Rig]:
    async with rig(store) as made:
        shelf = Shelf(tmp_path / "audio", 30)
        viva = replace(made.viva, dictations=Dictations(shelf, ScriptedRecogniser()))
        made.app.state.viva = made.viva = viva
        yield made


async def spoken(at: Rig, said: Heard, sent: str) -> RoundSession:
    """A scored round with one spoken answer."""
    session = await at.start()
    await session.settle()
    await session.hear("a1", sent, "spoken", said)
    await session.settle()
    await session.finish("f1")
    await session.settle()
    return session


async def page(at: Rig, path: str) -> str:
    async with httpx2.AsyncClient(base_url=at.url, timeout=PATIENCE_S) as client:
        return (await client.get(path)).raise_for_status().text


async def keep(at: Rig, session: RoundSession) -> bytes:
    """Sound of a second and a half for the answer; its file's bytes."""
    dictations = at.viva.dictations
    assert dictations
    take = await dictations.shelf.begin(session.id, "a1", keep=True)
    for number in range(15):
        await take.put(number, b"\1\2" * (wav.FRAME_BYTES // 2))
    await take.settle()
    return take.path.read_bytes()


async def test_delivery_stands_beside_the_score_with_a_timeline(speaking: Rig) -> None:
    session = await spoken(speaking, heard(), SAID)
    html = await page(speaking, f"/rounds/{session.id}/scorecard")
    assert html.count("<svg") == 2
    assert "pause of 2.5 s" in html
    assert "1 um, 1 uh" in html
    assert re.search(r"first number, \d+ s", html)
    assert "No part of the score" in html


async def test_a_typed_answer_has_no_delivery(running: Rig) -> None:
    session = await running.start()
    await session.settle()
    await session.hear("a1", SAID)
    await session.settle()
    await session.finish("f1")
    await session.settle()
    assert "How you said it" not in await page(running, f"/rounds/{session.id}/scorecard")


async def test_delivery_moves_no_level(speaking: Rig) -> None:
    slow = heard().model_copy(update={"seconds": 150.0})
    fast = await spoken(speaking, heard(), SAID)
    late = await spoken(speaking, slow, SAID)
    levels = [[s.level for s in each.state.scorecards[-1].scores] for each in (fast, late)]
    assert levels[0] == levels[1]


async def test_a_corrected_answer_shows_both_texts_and_both_levels(speaking: Rig) -> None:
    said = heard(SAID.replace("14.6 ms", "40 miles"))
    session = await spoken(speaking, said, SAID)
    html = await page(speaking, f"/rounds/{session.id}/scorecard")
    assert "is 40 miles." in html
    assert "As heard" in html


async def test_an_answer_of_a_few_words_says_that_there_is_nothing_to_measure(
    speaking: Rig,
) -> None:
    session = await spoken(speaking, heard("Batch them."), "Batch them.")
    assert "nothing to measure" in await page(speaking, f"/rounds/{session.id}/scorecard")


async def test_kept_sound_is_played_in_ranges(speaking: Rig) -> None:
    session = await spoken(speaking, heard(), SAID)
    sound = await keep(speaking, session)
    path = f"/rounds/{session.id}/sound/a1"
    assert f'src="{path}"' in await page(speaking, f"/rounds/{session.id}/scorecard")
    async with httpx2.AsyncClient(base_url=speaking.url, timeout=PATIENCE_S) as client:
        whole = await client.get(path)
        part = await client.get(path, headers={"range": "bytes=44-99"})
    assert (whole.status_code, whole.content) == (200, sound)
    assert (part.status_code, part.content) == (206, sound[44:100])
    assert whole.headers["cache-control"] == "no-store"


async def test_sound_that_is_deleted_as_it_is_handed_out_plays_to_its_end(speaking: Rig) -> None:
    session = await spoken(speaking, heard(), SAID)
    sound = await keep(speaking, session)
    dictations = speaking.viva.dictations
    assert dictations

    class Deleting(Shelf):
        async def sound_file(self, round_id: str, take_id: str) -> BinaryIO | None:
            found = await super().sound_file(round_id, take_id)
            await self.forget(round_id)
            return found

    dictations.shelf = Deleting(dictations.shelf.folder, 30)
    async with httpx2.AsyncClient(base_url=speaking.url, timeout=PATIENCE_S) as client:
        path = f"/rounds/{session.id}/sound/a1"
        part = await client.get(path, headers={"range": "bytes=44-"})
        gone = await client.get(path)
    assert (part.status_code, part.content) == (206, sound[44:])
    assert gone.status_code == 404


async def test_where_a_password_is_set_sound_is_for_who_has_logged_in(
    store: EventStore, tmp_path: Path
) -> None:
    async with rig(store, password="correct horse") as made:
        shelf = Shelf(tmp_path / "audio", 30)
        made.app.state.viva = replace(made.viva, dictations=Dictations(shelf, ScriptedRecogniser()))
        async with httpx2.AsyncClient(base_url=made.url, timeout=PATIENCE_S) as client:
            answers = [
                await client.get("/rounds/0123456789abcdef/sound/a1"),
                await client.post("/rounds/0123456789abcdef/sound/delete"),
                await client.post("/voice/check", content=b""),
            ]
    assert {answer.status_code for answer in answers} == {401}


async def test_sound_is_deleted_and_the_words_stay(speaking: Rig) -> None:
    session = await spoken(speaking, heard(), SAID)
    await keep(speaking, session)
    async with httpx2.AsyncClient(base_url=speaking.url, timeout=PATIENCE_S) as client:
        await client.post(f"/rounds/{session.id}/sound/delete")
        gone = await client.get(f"/rounds/{session.id}/sound/a1")
    assert gone.status_code == 404
    html = await page(speaking, f"/rounds/{session.id}/scorecard")
    assert "<audio" not in html
    assert "How you said it" in html


@pytest.mark.parametrize("take", ["..%2f..%2fviva.db", "a1.wav", "%00", "nobody"])
async def test_no_other_file_is_ever_served(speaking: Rig, take: str) -> None:
    session = await spoken(speaking, heard(), SAID)
    async with httpx2.AsyncClient(base_url=speaking.url, timeout=PATIENCE_S) as client:
        answer = await client.get(f"/rounds/{session.id}/sound/{take}")
    assert answer.status_code in (404, 422)


async def test_the_check_reads_back_what_was_heard_and_keeps_nothing(
    speaking: Rig, tmp_path: Path
) -> None:
    dictations = speaking.viva.dictations
    assert dictations
    dictations.recogniser = ScriptedRecogniser("The cache grows.")
    async with httpx2.AsyncClient(base_url=speaking.url, timeout=PATIENCE_S) as client:
        answer = await client.post("/voice/check", content=b"\1\2" * 48_000)
        long = await client.post("/voice/check", content=b"\1\2" * 150_000)
    assert answer.json() == {"text": "The cache grows."}
    assert long.status_code == 422
    assert not (tmp_path / "audio").exists()


async def test_without_a_recogniser_nothing_of_voice_can_be_asked_for(running: Rig) -> None:
    session = await running.start()
    async with httpx2.AsyncClient(base_url=running.url, timeout=PATIENCE_S) as client:
        answers = [
            await client.post("/voice/check", content=b""),
            await client.get(f"/rounds/{session.id}/sound/a1"),
            await client.post(f"/rounds/{session.id}/sound/delete"),
        ]
    assert {answer.status_code for answer in answers} == {409}
