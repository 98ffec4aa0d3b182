"""`viva practice`: a round in the terminal, over the same socket."""

import asyncio
import io
import subprocess
import threading
from pathlib import Path
from typing import Any

import pytest

from interviewer.events import InterviewerSpoke, ModelFailed, Recorded, ToolCalled
from interviewer.scoring.report import as_text
from interviewer.store import EventStore
from rubrics.library import load_rubrics
from rubrics.scorecard import Evidence, NumberFinding, Part, RedFlag, Score, Scorecard
from tests.patience import PATIENCE_S, until
from tests.scorecards import all_parts
from tests.web.rig import CARD, LIBRARY, Rig, Script, rig
from tests.web.test_server import VIVA, environment
from web import wire
from web.practice import Answers, Practice, Quit
from web.remote import Server, ServerError
from web.terminal import HELP, Screen, clock_text

HOSTILE = "\x1b[2J\x1b]0;owned\x07\u202egnp.exe\x9b31m"


def practise(
    folder: Path, database: str, *arguments: str, answers: str = "", **more: str
) -> "subprocess.CompletedProcess[str]":
    return subprocess.run(
        [VIVA, "practice", *arguments],
        cwd=folder,
        env=environment(database, **more),
        input=answers,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        timeout=PATIENCE_S,
    )


def test_a_round_from_a_pipe_ends_in_a_scorecard(tmp_path: Path, database: str) -> None:
    answers = "Memory decides it.\nAbout twenty users.\n\nEvery user pays in time per token.\n"
    result = practise(tmp_path, database, CARD, answers=answers)
    assert result.returncode == 0, result.stderr
    assert "for your answer]" in result.stdout
    given, question = (
        result.stdout.index("Given: "),
        result.stdout.index(LIBRARY.get(CARD).question),
    )
    assert given < question
    assert f"{CARD}   overall" in result.stdout
    assert result.stderr == ""


@pytest.mark.parametrize("locale", ["C", "C.UTF-8"])
def test_bytes_that_are_no_text_are_replaced_in_an_answer(
    tmp_path: Path, database: str, locale: str
) -> None:
    answers = "Memory decides \udcff it.\n\nEvery user pays.\n"
    result = practise(tmp_path, database, CARD, answers=answers, LC_ALL=locale)
    assert result.returncode == 0, result.stderr
    assert f"{CARD}   overall" in result.stdout
    assert "Memory decides \ufffd it." in result.stdout


def test_leaving_keeps_the_round_to_be_taken_up(tmp_path: Path, database: str) -> None:
    left = practise(tmp_path, database, CARD, answers="/quit\n")
    round_id = left.stdout.split()[-1]
    resumed = practise(tmp_path, database, "--resume", round_id, answers="/finish\n")
    assert resumed.returncode == 0, resumed.stderr
    assert "round is over" in resumed.stdout


def test_an_unknown_card_fails_and_says_so(tmp_path: Path, database: str) -> None:
    result = practise(tmp_path, database, "NOPE")
    assert result.returncode == 1
    assert "no card has this id" in result.stderr


def test_no_card_at_all_is_a_usage_error(tmp_path: Path, database: str) -> None:
    assert practise(tmp_path, database).returncode == 2


def test_a_wrong_setting_is_a_usage_error(tmp_path: Path, database: str) -> None:
    result = practise(tmp_path, database, CARD, VIVA_LLM="hal9000")
    assert result.returncode == 2
    assert "VIVA_LLM" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_server_that_is_not_there_is_named(tmp_path: Path, database: str) -> None:
    result = practise(tmp_path, database, CARD, "--server", "http://127.0.0.1:9")
    assert result.returncode == 1
    assert "127.0.0.1:9" in result.stderr


@pytest.mark.parametrize("server", ["localhost:8000", "http://[::1", "http://"])
def test_a_server_at_no_address_is_a_usage_error(
    tmp_path: Path, database: str, server: str
) -> None:
    result = practise(tmp_path, database, CARD, "--server", server)
    assert result.returncode == 2
    assert f"--server {server}: begin with http://" in result.stderr


def test_an_empty_line_ends_an_answer() -> None:
    answers = Answers()
    assert answers.take("First line.\n") is None
    assert answers.take("Second line.\n") is None
    frame = answers.take("\n")
    assert isinstance(frame, wire.Say)
    assert frame.text == "First line.\nSecond line."


@pytest.mark.parametrize(
    ("line", "kind"),
    [
        ("/think", wire.Think),
        ("/move", wire.MoveOn),
        ("/finish", wire.Finish),
        ("/stop", wire.Stop),
    ],
)
def test_a_command_stands_on_its_own(line: str, kind: type[object]) -> None:
    assert isinstance(Answers().take(line + "\n"), kind)


def test_empty_lines_alone_say_nothing() -> None:
    assert Answers().take("\n") is None


def test_quit_leaves() -> None:
    with pytest.raises(Quit):
        Answers().take("/quit\n")


class Printed:
    """A screen and all that it has printed."""

    def __init__(self) -> None:
        self.text = ""
        self.screen = Screen(self._write)

    def _write(self, text: str) -> None:
        self.text += text

    def event(self, event: Any) -> None:
        recorded = Recorded(seq=1, at="2026-01-01T00:00:00Z", event=event)
        self.screen.show({"type": "event", **recorded.model_dump(mode="json")})


def test_streamed_words_are_not_printed_twice() -> None:
    printed = Printed()
    printed.screen.show({"type": "delta", "offset": 0, "text": "Why "})
    printed.screen.show({"type": "delta", "offset": 4, "text": "so?"})
    printed.event(InterviewerSpoke(text="Why so?", purpose="probe", speaker="card", limit_s=60))
    assert printed.text.count("Why so?") == 1
    assert "[1:00 for your answer]" in printed.text


def test_hostile_text_cannot_steer_the_terminal() -> None:
    printed = Printed()
    printed.screen.show({"type": "delta", "offset": 0, "text": HOSTILE})
    printed.screen.show({"type": "problem", "code": "x", "message": HOSTILE})
    printed.event(InterviewerSpoke(text=HOSTILE, purpose="probe", speaker="card"))
    printed.event(ToolCalled(call="1", tool=HOSTILE, arguments="{}"))
    printed.event(ModelFailed(role="interviewer", kind="server", message=HOSTILE))
    assert not set(printed.text) & set("\x1b\x07\u202e\x9b")


def test_a_hostile_scorecard_cannot_either() -> None:
    evidence = Evidence(turn=1, quote=HOSTILE, start=0, end=1)
    card = Scorecard(
        rubric="technical",
        rubric_hash="h",
        scorer=HOSTILE,
        card=CARD,
        card_hash="h",
        scores=all_parts(Score(part=Part.CLAIM, level=2, reason=HOSTILE, evidence=(evidence,))),
        overall=None,
        numbers=(NumberFinding(said=HOSTILE, turn=1, start=0, end=1, verdict="wrong"),),
        red_flags=(RedFlag(flag=HOSTILE),),
        say_instead=HOSTILE,
    )
    text = as_text(card, load_rubrics()["technical"])
    assert "not assessed" in text
    assert not set(text) & set("\x1b\x07\u202e\x9b")


def test_a_warning_is_printed_once() -> None:
    printed = Printed()
    for left in (20.0, 15.0):
        frame = {"limit_s": 180, "left_s": left, "over_s": 0, "warning": "thirty"}
        printed.screen.show({"type": "clock", **frame})
    assert printed.text.count("30 seconds left") == 1


def test_seconds_are_shown_as_a_clock() -> None:
    assert (clock_text(180), clock_text(65)) == ("3:00", "1:05")


async def test_help_says_the_commands_and_is_no_part_of_an_answer(store: EventStore) -> None:
    printed = Printed()
    async with rig(store, Script(turns=("Why?",))) as running:
        session = await running.start()
        practice = Practice(Server(running.url), session.id, printed.screen)
        await practice.run(io.StringIO("One\n/help\nand two.\n"))
    said = [item.event.text for item in session.log if item.event.type == "CandidateSpoke"]
    assert said == ["One\nand two."]
    assert HELP in printed.text


async def test_a_broken_line_is_mended_and_the_answer_stored_once(store: EventStore) -> None:
    printed = Printed()
    async with rig(store, Script(turns=("Why?", "And?"))) as running:
        session = await running.start()
        practice = Practice(Server(running.url), session.id, printed.screen)

        def cut(recorded: Any) -> None:
            if getattr(getattr(recorded, "event", None), "type", "") == "CandidateSpoke":
                for connection in running.connections:
                    connection.close(wire.CloseCode.RESTART, "cut by the test")

        session.watch(cut)
        await practice.run(io.StringIO("One.\n\nTwo.\n"))
    said = [item.event.text for item in session.log if item.event.type == "CandidateSpoke"]
    assert said == ["One.", "Two."]
    assert printed.screen.scorecard is not None


async def test_commands_from_a_pipe_are_taken_in_their_order(store: EventStore) -> None:
    printed, lines = Printed(), "/think\nOne.\n\n/move\nThree.\n"
    async with rig(store, Script(turns=("Why?", "And?", "So?"))) as running:
        session = await running.start()
        await Practice(Server(running.url), session.id, printed.screen).run(io.StringIO(lines))
    kinds = [i.event.type for i in session.log if i.event.type.startswith("Candidate")]
    assert kinds == ["CandidatePaused", "CandidateSpoke", "CandidateMovedOn", "CandidateSpoke"]


async def test_an_interruption_before_there_is_a_line_keeps_nothing_waiting(
    store: EventStore,
) -> None:
    printed = Printed()
    async with rig(store, Script(turns=("Why?",))) as running, asyncio.timeout(PATIENCE_S):
        session = await running.start()
        practice = Practice(Server(running.url), session.id, printed.screen)
        await practice.run(io.StringIO("/stop\nOne.\n"))
    assert [turn.text for turn in session.state.answers] == ["One."]


async def test_a_refused_answer_does_not_stop_the_next(store: EventStore) -> None:
    printed, lines = Printed(), "a" * 20_001 + "\n\nShorter.\n"
    async with rig(store, Script(turns=("Why?",))) as running:
        session = await running.start()
        await Practice(Server(running.url), session.id, printed.screen).run(io.StringIO(lines))
    assert "not accepted" in printed.text
    assert [turn.text for turn in session.state.answers] == ["Shorter."]


async def test_a_round_opened_elsewhere_is_not_fought_over(running: Rig) -> None:
    session = await running.start()
    practice = Practice(Server(running.url), session.id, Printed().screen)
    source, release = io.StringIO(), threading.Event()
    source.readline = lambda *_: release.wait() and ""  # type: ignore[method-assign,assignment]
    task = asyncio.create_task(practice.run(source))
    await until(lambda: bool(running.connections))
    async with running.live(session.id):
        with pytest.raises(ServerError, match="opened elsewhere"):
            await task
    release.set()
