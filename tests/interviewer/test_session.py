"""A live round: what is recorded, what is refused, and how it goes on after failures."""

import asyncio
from pathlib import Path

import pytest

from interviewer.errors import (
    Busy,
    ConflictingResend,
    InvalidUtterance,
    LLMError,
    RoundOver,
    StoreUnavailable,
    UtteranceTooLong,
)
from interviewer.events import (
    CandidateSpoke,
    InterviewerSpoke,
    ModelFailed,
    Recorded,
    RoundEnded,
    RoundScored,
    SpeechInterrupted,
)
from interviewer.notices import Delta, Notice, Status
from interviewer.session import NUDGE, RoundSession
from interviewer.utterance import LONGEST
from tests.interviewer.stage import (
    CARD,
    CLOSING,
    FakeClock,
    ScriptedInterviewer,
    probe,
    question,
    stage,
)
from tests.patience import until

ANSWER = "Twenty users, because 54.7 GB of cache over 2.68 GB each is 20.4."


def types(session: RoundSession) -> list[str]:
    return [item.event.type for item in session.log]


async def test_a_round_opens_with_the_cards_question_and_waits(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        assert types(session) == ["RoundStarted", "InterviewerSpoke"]
        assert session.state.turns[0].text == session.card.question
        assert session.status == "listening"


async def test_fault_01_the_same_id_twice_is_one_event_and_the_same_acknowledgement(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        seq = await session.hear("a", ANSWER)
        await session.settle()
        assert await session.hear("a", ANSWER) == seq
        assert types(session).count("CandidateSpoke") == 1


async def test_fault_01_also_across_a_restart(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        seq, round_id = await session.hear("a", ANSWER), session.id
        await session.settle()
    async with stage(tmp_path) as on:
        session = await on.rounds.open(round_id)
        assert await session.hear("a", ANSWER) == seq


async def test_fault_02_the_same_id_with_another_text_is_a_conflict(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", ANSWER)
        await session.settle()
        with pytest.raises(ConflictingResend):
            await session.hear("a", "something else")


async def test_fault_06_of_two_answers_at_once_one_runs_and_the_other_is_busy(
    tmp_path: Path,
) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        both = await asyncio.gather(
            session.hear("a", ANSWER), session.hear("b", ANSWER), return_exceptions=True
        )
        assert [type(outcome) for outcome in both] == [int, Busy]


async def test_two_callers_open_one_session(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        round_id = (await on.rounds.start(CARD)).id
        first, second = await asyncio.gather(on.rounds.open(round_id), on.rounds.open(round_id))
        assert first is second


async def test_an_answer_of_20000_characters_is_kept_whole(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", "x" * LONGEST)
        assert len(session.state.answers[0].text) == LONGEST


@pytest.mark.parametrize(
    ("text", "error"), [("x" * (LONGEST + 1), UtteranceTooLong), ("a\ud800b", InvalidUtterance)]
)
async def test_what_cannot_be_kept_is_refused_and_the_floor_stays(
    tmp_path: Path, text: str, error: type[Exception]
) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        with pytest.raises(error):
            await session.hear("a", text)
        assert session.status == "listening"


async def test_a_late_answer_is_kept_whole_and_marked_as_over(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        on.clock.pass_(200)
        await session.hear("a", ANSWER)
        said = session.state.answers[0].answer
        assert said == CandidateSpoke(client_id="a", text=ANSWER, elapsed_s=200, over_s=20)


async def test_time_left_survives_a_restart(tmp_path: Path) -> None:
    clock = FakeClock()
    async with stage(tmp_path, clock=clock) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
    clock.pass_(50)
    async with stage(tmp_path, clock=clock) as on:
        reading = (await on.rounds.open(session.id)).clock()
        assert reading is not None
        assert reading.left_s == 130


async def test_time_is_called_once_to_whoever_listens(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        on.clock.pass_(181)
        session.watch(lambda _: None)
        await until(lambda: session.state.turns[-1].text == NUDGE)
        assert session.status == "listening"
        session.watch(lambda _: None)
        await asyncio.sleep(0.02)
        assert [turn.text for turn in session.state.turns].count(NUDGE) == 1


async def test_let_me_think_keeps_the_interviewer_silent(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.pause("t")
        on.clock.pass_(181)
        session.watch(lambda _: None)
        await asyncio.sleep(0.02)
        assert len(session.state.turns) == 1


async def test_stop_keeps_what_was_heard_and_cancels_the_models_call(tmp_path: Path) -> None:
    model = ScriptedInterviewer([["How many ", asyncio.Event(), question()]])
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await until(lambda: session.speech == "How many ")
        await session.interrupt()
        assert session.log[-1].event == SpeechInterrupted(text="How many ", speaker=model.name)
        assert (session.status, model.cancelled) == ("listening", 1)


async def test_move_on_is_accepted_while_the_interviewer_speaks(tmp_path: Path) -> None:
    model = ScriptedInterviewer([[question()], ["Which", asyncio.Event()], [CLOSING]])
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", ANSWER)
        await until(lambda: session.speech == "Which")
        await session.move_on("m")
        await session.settle()
        assert types(session)[-5:] == [
            "SpeechInterrupted",
            "CandidateMovedOn",
            "InterviewerSpoke",
            "RoundEnded",
            "RoundScored",
        ]


async def test_fault_08_a_late_watcher_gets_prefix_and_rest_without_a_hole(tmp_path: Path) -> None:
    gate = asyncio.Event()
    model = ScriptedInterviewer([["How many ", gate, "users?", question()]])
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await until(lambda: session.speech == "How many ")
        heard: list[Notice] = []
        prefix = session.speech
        session.watch(heard.append)
        gate.set()
        await session.settle()
        assert heard[0] == Delta(len(prefix), "users?")


async def test_the_interviewer_thinks_until_its_first_word_and_then_speaks(tmp_path: Path) -> None:
    model = ScriptedInterviewer([[question()], ["Which ", "one?", probe()]])
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        heard: list[Notice] = []
        session.watch(heard.append)
        await session.hear("a", ANSWER)
        await session.settle()
        assert [notice for notice in heard if not isinstance(notice, Recorded)] == [
            Status("thinking"),
            Delta(0, "Which "),
            Status("speaking"),
            Delta(6, "one?"),
            Status("listening"),
        ]


async def test_fault_25_when_the_last_listener_leaves_the_model_call_is_cancelled(
    tmp_path: Path,
) -> None:
    model = ScriptedInterviewer([["How", asyncio.Event()], [question()]])
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await until(lambda: session.speech == "How")
        session.watch(lambda _: None)()
        await until(lambda: model.cancelled == 1)
        session.advance()
        await session.settle()
        assert types(session) == ["RoundStarted", "InterviewerSpoke"]


@pytest.mark.parametrize("kind", ["unreachable", "truncated"])
async def test_fault_09_and_27_a_failed_model_is_recorded_and_the_card_goes_on(
    tmp_path: Path, kind: str
) -> None:
    failure = LLMError(kind, "connection refused")  # type: ignore[arg-type]
    model = ScriptedInterviewer([[question()], ["Which num", failure]])
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", ANSWER)
        await session.settle()
        failed = session.log[-2].event
        assert failed == ModelFailed(role="interviewer", kind=kind, message="connection refused")
        assert session.state.turns[-1].spoke is not None
        assert session.state.turns[-1].spoke.speaker == "card"


async def test_a_model_that_is_away_at_the_start_is_noticed_at_the_start(tmp_path: Path) -> None:
    model = ScriptedInterviewer([[question()]], warm_error=LLMError("unreachable", "refused"))
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await until(lambda: session.state.interviewer == "card")
        assert types(session) == ["RoundStarted", "InterviewerSpoke", "ModelFailed"]


async def test_a_fault_of_ours_in_the_background_is_logged(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    model = ScriptedInterviewer([[question()]], warm_error=ValueError("a bug"))
    async with stage(tmp_path, model) as on:
        session = await on.rounds.start(CARD)
        await until(lambda: "ValueError: a bug" in caplog.text)
        assert session.id in caplog.text


async def test_finish_ends_at_once_and_scores_what_was_said(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", ANSWER)
        await session.settle()
        seq = await session.finish("f")
        await session.settle()
        assert types(session)[-2:] == ["RoundEnded", "RoundScored"]
        assert session.log[seq - 1].event == RoundEnded(reason="left")
        with pytest.raises(RoundOver):
            await session.hear("b", "one more thing")


async def test_an_empty_answer_is_not_assessed(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", "  ")
        await session.settle()
        await session.finish("f")
        await session.settle()
        scorecard = session.state.scorecards[0]
        assert scorecard.overall is None
        assert [score.state for score in scorecard.scores] == ["not_assessed"] * 4


async def test_a_whole_round_without_a_model_ends_in_a_scorecard(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        while session.status == "listening":
            await session.hear(f"a{session.state.seq}", ANSWER)
            await session.settle()
        assert isinstance(session.log[-1].event, RoundScored)
        probes = [t.spoke for t in session.state.turns if t.spoke and t.spoke.purpose == "probe"]
        assert 1 <= len(probes) <= 4


async def test_a_curveball_is_given_no_advice_for_the_question_as_it_was(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start("INF-010", drill="curveball")
        await session.settle()
        await session.hear("a", ANSWER)
        await session.settle()
        card = session.state.scorecards[-1]
        assert card.say_instead == ""
        assert not [score for score in card.scores if "For this question" in score.improve]


async def test_a_clarification_is_answered_and_not_scored(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", "Could you repeat the question, please?")
        await session.settle()
        assert session.state.turns[-1].text.startswith("Once more: ")
        assert session.status == "listening"
        await session.finish("b")
        await session.settle()
        assert session.state.scorecards[-1].overall is None


async def test_a_round_killed_before_the_follow_up_goes_on_after_a_restart(tmp_path: Path) -> None:
    silent = ScriptedInterviewer([[question()], ["Wh", asyncio.Event()]])
    async with stage(tmp_path, silent) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        await session.hear("a", ANSWER)
    async with stage(tmp_path, ScriptedInterviewer([[probe()]])) as on:
        session = await on.rounds.open(session.id)
        session.advance()
        await session.settle()
        assert types(session)[-2:] == ["CandidateSpoke", "InterviewerSpoke"]


async def test_fault_19_while_the_database_refuses_the_round_stalls_and_then_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("interviewer.session.RETRY_STORE_S", 0.01)
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        append, failing = on.store.append, True

        async def refuse(*args: object, **kwargs: object) -> object:
            if failing and isinstance(args[2], InterviewerSpoke):
                raise StoreUnavailable("disk full")
            return await append(*args, **kwargs)  # type: ignore[arg-type]

        monkeypatch.setattr(on.store, "append", refuse)
        await session.hear("a", ANSWER)
        await until(lambda: session.status == "stalled")
        failing = False
        await session.settle()
        assert types(session)[-2:] == ["CandidateSpoke", "InterviewerSpoke"]


async def test_fault_20_a_cancelled_caller_undoes_nothing(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        session = await on.rounds.start(CARD)
        await session.settle()
        hearing = asyncio.create_task(session.hear("a", ANSWER))
        await asyncio.sleep(0)
        hearing.cancel()
        await until(lambda: "CandidateSpoke" in types(session))
        assert await session.hear("a", ANSWER) == session.state.heard["a"].seq


async def test_fault_30_no_task_is_left_over_after_a_hundred_rounds(tmp_path: Path) -> None:
    async with stage(tmp_path) as on:
        before = len(asyncio.all_tasks())
        for _ in range(100):
            session = await on.rounds.start(CARD)
            await session.settle()
            await session.finish("f")
            await session.settle()
        del session
        await until(lambda: len(asyncio.all_tasks()) <= before)
