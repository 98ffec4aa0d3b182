"""A spoken answer from its first frame to its place in the log, without a browser."""

import asyncio
import shutil
import wave
from pathlib import Path
from types import SimpleNamespace

import pytest

from interviewer.dictation import Stored, TakeNotice, Told
from interviewer.dictations import Dictations
from interviewer.errors import (
    RoundOver,
    StoreUnavailable,
    TakeRefused,
    UtteranceTooLong,
    VoiceError,
)
from interviewer.events import CandidateSpoke, RoundScored
from interviewer.heard import Heard
from interviewer.takes import take as takes
from interviewer.takes import wav
from interviewer.takes.shelf import Shelf
from interviewer.voice.recogniser import Tell
from interviewer.voice.scripted import ScriptedRecogniser
from tests.interviewer.dictating import FRAME, SAID, endings, heard, record, spoken
from tests.patience import until


def states(told: list[Told]) -> list[str]:
    return list(dict.fromkeys(item.state for item in told if isinstance(item, TakeNotice)))


async def test_what_was_said_is_heard_checked_and_sent_with_both_texts(tmp_path: Path) -> None:
    async with spoken(tmp_path, "I would patch them.") as at:
        dictation = await at.dictation()
        await record(dictation, 30)
        await dictation.done("a1", 30)
        await until(lambda: "heard" in states(at.told))
        await dictation.send("a1", SAID)
        event = at.session.state.answers[-1].answer
        assert isinstance(event, CandidateSpoke)
        assert (event.text, event.mode) == (SAID, "spoken")
        assert event.heard
        assert event.heard.text == "I would patch them."
        assert event.heard.seconds == pytest.approx(3.0)
        assert states(at.told) == ["recording", "hearing", "heard", "gone"]


async def test_frames_are_on_the_disk_before_they_are_acknowledged(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await dictation.begin("a1", keep=False)
        path = next((tmp_path / "audio").glob("*/a1.wav"))
        on_disk: list[tuple[int, int]] = []

        def told(item: Told) -> None:
            if isinstance(item, Stored):
                on_disk.append((item.wanted, wav.frames_in(path)))

        dictation.tell = told
        for number in range(20):
            await dictation.put(number, FRAME)
        await until(lambda: bool(on_disk) and on_disk[-1][0] == 20)
        assert all(acknowledged <= there for acknowledged, there in on_disk)


async def test_another_process_goes_on_where_the_sound_was_cut(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        await record(await at.dictation(), 7)
        path = next((tmp_path / "audio").glob("*/a1.wav"))
        with path.open("ab") as file:
            file.write(b"half a frame")
        again = await at.dictation()
        assert again.notice
        assert (again.notice.state, again.notice.wanted) == ("recording", 7)
        await again.begin("a1", keep=False)
        await again.put(7, FRAME)
        await again.done("a1", 8)
        await heard(again)
        assert at.recogniser.answer == FRAME * 8


async def test_a_done_answer_is_heard_after_a_restart(tmp_path: Path) -> None:
    async with spoken(tmp_path, VoiceError("crashed", "the worker died"), SAID) as at:
        first = await at.dictation()
        await record(first, 5)
        await first.done("a1", 5)
        await heard(first)
        again = await at.dictation()
        await heard(again)
        assert again.notice
        assert again.notice.review
        assert again.notice.review.text == SAID


async def test_a_failed_recognition_keeps_the_sound_and_is_tried_again_at_done(
    tmp_path: Path,
) -> None:
    async with spoken(tmp_path, VoiceError("busy", "too many wait"), SAID) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await heard(dictation)
        assert dictation.notice
        assert (dictation.notice.state, dictation.notice.problem) == ("failed", "too many wait")
        await dictation.done("a1", 5)
        await heard(dictation)
        assert dictation.notice.state == "heard"


async def test_a_missing_frame_is_asked_for_before_the_answer_is_heard(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 3)
        await dictation.put(4, FRAME)
        assert at.last == Stored(3)
        await dictation.done("a1", 5)
        assert at.told[-1] == TakeNotice("a1", "recording", wanted=3)
        assert at.recogniser.asked == []


async def test_the_clock_stands_still_from_done_to_sent(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        at.on.clock.pass_(40)
        await dictation.done("a1", 5)
        at.on.clock.pass_(500)
        await heard(dictation)
        clock = at.session.clock()
        assert clock
        assert clock.left_s == clock.limit_s - 40
        await dictation.send("a1", SAID)
        answer = at.session.state.answers[-1].answer
        assert answer
        assert (answer.elapsed_s, answer.over_s) == (40, 0)


async def test_a_discarded_answer_leaves_nothing_and_the_clock_has_run_on(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        at.on.clock.pass_(60)
        await dictation.discard("a1")
        assert list((tmp_path / "audio").rglob("*.*")) == []
        clock = at.session.clock()
        assert clock
        assert clock.left_s == clock.limit_s - 60
        await record(dictation, 1, "a2")


async def test_going_on_after_done_takes_the_words_back(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await heard(dictation)
        await dictation.begin("a1", keep=False)
        assert dictation.notice == TakeNotice("a1", "recording", wanted=5)
        await dictation.put(5, FRAME)
        await dictation.done("a1", 6)
        await heard(dictation)
        assert at.recogniser.answer == FRAME * 6


async def test_a_crash_between_the_log_and_the_folder_is_mended_by_the_next_visit(
    tmp_path: Path,
) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await asyncio.gather(*at.tasks)
        await at.session.hear("a1", SAID, "spoken")
        again = await at.dictation()
        assert again.notice is None
        assert endings(tmp_path) == []


async def test_a_resend_of_a_sent_answer_gets_the_same_acknowledgement(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        assert await dictation.send("a1", SAID) == await dictation.send("a1", SAID)
        assert len(at.session.state.answers) == 1


async def test_a_second_answer_waits_for_the_first(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 2)
        with pytest.raises(TakeRefused, match="send or discard"):
            await dictation.begin("a2", keep=False)


async def test_thirty_minutes_are_kept_and_the_next_frame_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(takes, "LONGEST_FRAMES", 10)
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 10)
        with pytest.raises(TakeRefused, match="press Done"):
            await dictation.put(10, FRAME)
        await dictation.done("a1", 10)
        await heard(dictation)
        assert at.recogniser.answer == FRAME * 10


async def test_a_disk_that_refuses_a_frame_is_said_and_the_frame_is_wanted_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 3)

        def full(*args: object) -> None:
            raise OSError(28, "No space left on device")

        with monkeypatch.context() as patched:
            patched.setattr(wav, "write", full)
            await dictation.put(3, FRAME)
            await until(lambda: isinstance(at.last, Stored) and bool(at.last.problem))
        assert isinstance(at.last, Stored)
        assert at.last.wanted == 3
        assert "No space left" in at.last.problem
        await dictation.put(3, FRAME)
        await until(lambda: at.last == Stored(4))


async def test_a_full_disk_is_said_before_an_answer_is_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: SimpleNamespace(free=1000))
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        with pytest.raises(StoreUnavailable, match="free some"):
            await dictation.begin("a1", keep=False)


@pytest.mark.parametrize("take_id", ["../../etc/passwd", "", "a/b", ".", "a.json", "x" * 65])
async def test_an_id_that_is_no_file_name_is_refused(tmp_path: Path, take_id: str) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        with pytest.raises(TakeRefused):
            await dictation.begin(take_id, keep=False)
        assert await at.shelf.sound_file(at.session.id, take_id) is None


async def test_nothing_is_recorded_in_a_round_that_is_over(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        await at.session.finish("f1")
        await at.session.settle()
        with pytest.raises(RoundOver):
            await (await at.dictation()).begin("a1", keep=False)


async def test_an_unreadable_note_beside_the_sound_is_no_answer(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        folder = tmp_path / "audio" / at.session.id
        folder.mkdir(parents=True)
        (folder / "a1.json").write_text('{"id": "a1", "keep"')
        wav.create(folder / "a1.wav")
        assert (await at.dictation()).notice is None


async def test_a_corrected_answer_is_scored_as_heard_and_as_sent(tmp_path: Path) -> None:
    async with spoken(tmp_path, "I would patch them.") as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await heard(dictation)
        await dictation.send("a1", SAID)
        await at.session.settle()
        await at.session.finish("f1")
        await at.session.settle()
        kinds = [i.event.text for i in at.session.log if isinstance(i.event, RoundScored)]
        assert kinds == ["heard", "sent"]
        state = at.session.state
        assert [n.said for n in state.heard_scorecards[-1].numbers] == []
        assert "14.6 ms" in [n.said for n in state.scorecards[-1].numbers]


async def test_an_answer_sent_as_it_was_heard_is_scored_once(tmp_path: Path) -> None:
    async with spoken(tmp_path, SAID) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await heard(dictation)
        await dictation.send("a1", SAID)
        await at.session.settle()
        await at.session.finish("f1")
        await at.session.settle()
        assert len(at.session.state.scorecards) == 1
        assert at.session.state.heard_scorecards == ()


async def test_a_done_answer_is_a_plain_wav_file(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        with wave.open(str(next((tmp_path / "audio").glob("*/a1.wav")))) as file:
            assert (file.getframerate(), file.getnchannels(), file.getsampwidth()) == (16000, 1, 2)
            assert file.readframes(99_999) == FRAME * 5


async def test_sending_while_it_is_being_heard_ends_the_recognition(tmp_path: Path) -> None:
    class Endless(ScriptedRecogniser):
        cancelled = False

        async def transcribe(
            self, pcm: bytes, prompt: str = "", *, tell: Tell | None = None, caption: bool = False
        ) -> Heard:
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled = True
            return Heard()

    async with spoken(tmp_path) as at:
        at.recogniser = endless = Endless()
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await asyncio.sleep(0)
        await dictation.discard("a1")
        assert dictation.notice is None
        await record(dictation, 2, "a2")
        assert isinstance(endless, Endless)


async def test_what_was_not_sent_is_deleted_when_the_round_has_ended(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await at.session.finish("f1")
        await dictation.abandon()
        assert endings(tmp_path) == []


async def test_the_next_visit_deletes_what_an_ended_round_left(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        await record(await at.dictation(), 5)
        await at.session.finish("f1")
        assert (await at.dictation()).notice is None
        assert endings(tmp_path) == []


async def test_an_answer_that_is_refused_can_be_shortened_and_sent_again(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await heard(dictation)
        with pytest.raises(UtteranceTooLong):
            await dictation.send("a1", "x" * 40_001)
        assert dictation.notice
        assert dictation.notice.state == "heard"
        await dictation.send("a1", SAID)
        assert at.session.state.answers[-1].text == SAID


async def test_where_there_can_be_no_folder_answers_are_typed(tmp_path: Path) -> None:
    async with spoken(tmp_path) as at:
        (tmp_path / "audio").write_text("a file where the folder should be")
        dictations = Dictations(Shelf(tmp_path / "audio", 30), at.recogniser)
        await dictations.sweep()
        dictation = await dictations.of(at.session)
        assert dictation
        with pytest.raises(StoreUnavailable):
            await dictation.begin("a1", keep=False)
        await at.session.hear("s1", SAID)
        assert at.session.state.answers[-1].text == SAID
        await dictations.aclose()


async def test_a_crash_before_the_first_frame_leaves_an_answer_that_can_begin(
    tmp_path: Path,
) -> None:
    async with spoken(tmp_path) as at:
        await record(await at.dictation(), 0)
        next((tmp_path / "audio").glob("*/a1.wav")).unlink()
        again = await at.dictation()
        assert again.notice is None
        await record(again, 3)
        assert again.notice
        assert again.notice.wanted == 3


async def test_going_on_in_the_moment_of_done_lets_the_answer_be_heard_later(
    tmp_path: Path,
) -> None:
    async with spoken(tmp_path, SAID) as at:
        dictation = await at.dictation()
        await record(dictation, 5)
        await dictation.done("a1", 5)
        await dictation.begin("a1", keep=False)  # the recognition had no time to begin
        await dictation.done("a1", 5)
        await heard(dictation)
        assert dictation.notice
        assert dictation.notice.state == "heard"
