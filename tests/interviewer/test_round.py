"""The fold: events in, state out."""

from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from interviewer.clock import Clock
from interviewer.events import (
    CandidateMovedOn,
    CandidatePaused,
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    ModelFailed,
    Recorded,
    RoundEnded,
    RoundStarted,
    SpeechInterrupted,
    ToolCalled,
    ToolReturned,
)
from interviewer.round import Phase, Round, Step, evolve, next_step, replay

START = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)
GOLDEN = Path(__file__).parents[1] / "golden" / "events-v1.jsonl"
STARTED = RoundStarted(
    card="INF-001",
    card_hash="h",
    title="t",
    question="How fast?",
    kind="technical",
    rubric="technical",
    limit_s=180,
    interviewer="some-model",
)
QUESTION = InterviewerSpoke(text="How fast?", purpose="question", speaker="card", limit_s=180)
PROBE = InterviewerSpoke(
    text="Which number?", purpose="probe", speaker="card", probe="p1", part="number", limit_s=60
)
ANSWER = CandidateSpoke(client_id="c1", text="14.6 ms")
CLOSING = InterviewerSpoke(text="Thank you.", purpose="closing", speaker="card")


def test_an_event_and_its_copy_keep_no_set_of_the_fields_that_were_given() -> None:
    copied = STARTED.model_copy(update={"loop": "acme"})
    assert (copied.loop, copied.card) == ("acme", "INF-001")
    kept = [event.model_fields_set for event in (STARTED, PROBE, copied)]
    assert all(fields is kept[0] for fields in kept)
    assert kept[0] == set()


def after(*events: Event) -> Round:
    return replay(
        Recorded(seq=i, at=START + timedelta(seconds=i), event=event)
        for i, event in enumerate(events, 1)
    )


@pytest.mark.parametrize(
    ("events", "step"),
    [
        ([STARTED], Step.SPEAK),
        ([STARTED, QUESTION], Step.WAIT),
        ([STARTED, QUESTION, ANSWER], Step.SPEAK),
        ([STARTED, QUESTION, ANSWER, PROBE], Step.WAIT),
        ([STARTED, QUESTION, CandidatePaused(client_id="t")], Step.WAIT),
        ([STARTED, QUESTION, CandidateMovedOn(client_id="m")], Step.SPEAK),
        ([STARTED, SpeechInterrupted(text="How", speaker="card")], Step.WAIT),
        ([STARTED, QUESTION, ANSWER, CLOSING], Step.END),
        ([STARTED, QUESTION, ANSWER, CLOSING, RoundEnded(reason="finished")], Step.SCORE),
        ([STARTED, QUESTION, RoundEnded(reason="left")], Step.SCORE),
    ],
)
def test_the_next_step_follows_from_the_log(events: list[Event], step: Step) -> None:
    assert next_step(after(*events)) is step


def test_turns_are_numbered_over_both_speakers() -> None:
    turns = after(STARTED, QUESTION, ANSWER, PROBE).turns
    assert [(turn.number, turn.speaker) for turn in turns] == [
        (1, "interviewer"),
        (2, "candidate"),
        (3, "interviewer"),
    ]


def test_a_probe_asked_is_remembered_and_a_declined_part_too() -> None:
    state = after(STARTED, QUESTION, ANSWER, PROBE, CandidateMovedOn(client_id="m"))
    assert (state.probes, state.declined) == (("p1",), ("number",))


def test_the_clock_starts_with_the_question_and_not_with_the_round() -> None:
    question = after(STARTED, QUESTION).question
    assert question is not None
    assert question.asked_at == START + timedelta(seconds=2)


def test_thinking_stops_no_clock() -> None:
    state = after(STARTED, QUESTION, CandidatePaused(client_id="t"))
    assert state.question is not None
    assert state.question.thinking
    assert Clock.read(state.question, START + timedelta(seconds=12)).left_s == 170


def test_a_tool_call_is_pending_until_it_returned() -> None:
    called = ToolCalled(call="1", tool="stats", arguments="{}")
    state = after(STARTED, QUESTION, ANSWER, called)
    assert [use.returned for use in state.tool_uses] == [None]
    returned = ToolReturned(call="1", ok=True, result={"value": 1})
    state = evolve(state, Recorded(seq=5, at=START, event=returned))
    assert state.tool_results["1"].returned == returned
    assert after(STARTED, QUESTION, ANSWER, called, returned, PROBE).tool_uses == ()


def test_after_a_failure_the_card_interviewer_asks() -> None:
    failed = ModelFailed(role="interviewer", kind="timeout", message="no token in 30 s")
    state = after(STARTED, QUESTION, failed)
    assert (state.interviewer, state.failures) == ("card", (failed,))


@pytest.mark.parametrize(
    ("elapsed", "left", "over", "warning"),
    [
        (0, 180, 0, None),
        (90, 90, 0, "half"),
        (150, 30, 0, "thirty"),
        (180, 0, 0, "over"),
        (200, 0, 20, "over"),
        (-5, 180, 0, None),
    ],
)
def test_the_clock_warns_at_half_and_at_thirty_seconds(
    elapsed: int, left: float, over: float, warning: str | None
) -> None:
    question = after(STARTED, QUESTION).question
    assert question is not None
    clock = Clock.read(question, question.asked_at + timedelta(seconds=elapsed))
    assert (clock.left_s, clock.over_s, clock.warning) == (left, over, warning)


def test_the_golden_log_of_version_1_replays() -> None:
    state = replay(
        Recorded.model_validate_json(line) for line in GOLDEN.read_text("utf-8").splitlines()
    )
    assert state.phase is Phase.OVER
    assert [turn.speaker for turn in state.turns].count("candidate") == 2
    assert state.scorecards[0].numbers[0].verdict == "right"


EVENTS = st.lists(
    st.sampled_from(
        [
            QUESTION,
            PROBE,
            ANSWER,
            CLOSING,
            CandidatePaused(client_id="t"),
            CandidateMovedOn(client_id="m"),
            SpeechInterrupted(text="x", speaker="card"),
            RoundEnded(reason="left"),
        ]
    ),
    max_size=12,
)


@given(EVENTS, st.integers(0, 12))
@settings(max_examples=80, deadline=None, derandomize=True)
def test_fault_07_a_snapshot_with_the_tail_equals_the_whole(events: list[Event], cut: int) -> None:
    log = [Recorded(seq=i, at=START, event=e) for i, e in enumerate([STARTED, *events], 1)]
    snapshot = replay(log[:cut])
    for recorded in log[cut:]:
        snapshot = evolve(snapshot, recorded)
    assert snapshot == replay(log)
