"""The state of a round, folded from its events. Pure: no clock, no I/O, no model."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from hashlib import blake2b

from interviewer.events import (
    Beside,
    CandidateMovedOn,
    CandidatePaused,
    CandidateSpoke,
    InterviewerSpoke,
    ModelFailed,
    Recorded,
    RoundEnded,
    RoundScored,
    RoundStarted,
    SpeechInterrupted,
    StatementDropped,
    ToolCalled,
    ToolReturned,
    TurnMarked,
)
from interviewer.transcript import Turn
from rubrics.scorecard import Scorecard


class Phase(StrEnum):
    """Whose move it is."""

    ASKING = "asking"
    ANSWERING = "answering"
    CLOSING = "closing"
    SCORING = "scoring"
    OVER = "over"


class Step(StrEnum):
    """What the shell does next."""

    SPEAK = "speak"
    WAIT = "wait"
    END = "end"
    SCORE = "score"
    DONE = "done"


@dataclass(frozen=True, slots=True)
class Heard:
    """Where an utterance with a client id was recorded, to recognise a resend."""

    seq: int
    digest: str


@dataclass(frozen=True, slots=True)
class Question:
    """The question at hand: when it was asked, the time for it, and what it is after."""

    asked_at: datetime
    limit_s: int
    spoke: InterviewerSpoke
    thinking: bool = False
    nudged: bool = False


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A tool call of the interviewer's turn at hand; `returned` is None while it is pending."""

    called: ToolCalled
    returned: ToolReturned | None = None


@dataclass(frozen=True, slots=True)
class Round:
    """One interview on one card."""

    seq: int = 0
    started: RoundStarted | None = None
    started_at: datetime | None = None
    phase: Phase = Phase.ASKING
    turns: tuple[Turn, ...] = ()
    question: Question | None = None
    heard: dict[str, Heard] = field(default_factory=dict)
    interviewer: str = "card"
    probes: tuple[str, ...] = ()
    declined: tuple[str, ...] = ()
    """Parts that the candidate declined to be asked for again."""
    tool_uses: tuple[ToolUse, ...] = ()
    """Calls of the turn at hand."""
    tool_results: dict[str, ToolUse] = field(default_factory=dict)
    dropped: tuple[StatementDropped, ...] = ()
    failures: tuple[ModelFailed, ...] = ()
    ended: RoundEnded | None = None
    scorecards: tuple[Scorecard, ...] = ()
    heard_scorecards: tuple[Scorecard, ...] = ()
    """Of spoken answers before any correction; none where nothing was corrected."""
    marks: dict[int, TurnMarked] = field(default_factory=dict)
    """Bookmarks and notes, by the number of their turn."""

    @property
    def answers(self) -> tuple[Turn, ...]:
        """The candidate's turns."""
        return tuple(turn for turn in self.turns if turn.speaker == "candidate")


def digest(text: str) -> str:
    """A short hash of an utterance, to tell a resend from a conflict."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()


def replay(events: Iterable[Recorded]) -> Round:
    """Fold a log into the state that it stands for."""
    state = Round()
    for recorded in events:
        state = evolve(state, recorded)
    return state


def next_step(state: Round) -> Step:
    """What the shell must do next; calling it again after a crash gives the same answer."""
    match state.phase:
        case Phase.ASKING:
            return Step.SPEAK
        case Phase.ANSWERING:
            return Step.WAIT
        case Phase.CLOSING:
            return Step.END
        case Phase.SCORING:
            return Step.SCORE
        case Phase.OVER:
            return Step.DONE


def evolve(state: Round, recorded: Recorded) -> Round:
    """The state after one more event."""
    event, state = recorded.event, replace(state, seq=recorded.seq)
    if isinstance(event, Beside):
        return state
    match event:
        case RoundStarted():
            return replace(
                state, started=event, started_at=recorded.at, interviewer=event.interviewer
            )
        case InterviewerSpoke():
            return _interviewer_spoke(state, event, recorded)
        case CandidateSpoke():
            return _candidate_spoke(state, event, recorded)
        case CandidatePaused() | CandidateMovedOn():
            return _waived(state, event)
        case SpeechInterrupted():
            return _interrupted(state, event, recorded)
        case ToolCalled() | ToolReturned() | StatementDropped():
            return _tool_event(state, event)
        case ModelFailed():
            return _model_failed(state, event)
        case RoundEnded() | RoundScored() | TurnMarked():
            return _closing_event(state, event)


def _turn(state: Round, speaker: str, text: str, at: datetime) -> Turn:
    return Turn(number=len(state.turns) + 1, speaker=speaker, text=text, at=at, seq=state.seq)


def _hear(state: Round, client_id: str, text: str) -> Round:
    return replace(state, heard={**state.heard, client_id: Heard(state.seq, digest(text))})


def _interviewer_spoke(state: Round, event: InterviewerSpoke, recorded: Recorded) -> Round:
    turn = replace(_turn(state, "interviewer", event.text, recorded.at), spoke=event)
    state = replace(state, turns=(*state.turns, turn))
    if event.purpose == "nudge":
        nudged = replace(state.question, nudged=True) if state.question else None
        return replace(state, question=nudged)
    probes = (*state.probes, event.probe) if event.probe else state.probes
    state = replace(state, probes=probes, tool_uses=())
    if event.limit_s is None:
        return replace(state, phase=Phase.CLOSING, question=None)
    question = Question(asked_at=recorded.at, limit_s=event.limit_s, spoke=event)
    return replace(state, phase=Phase.ANSWERING, question=question)


def _candidate_spoke(state: Round, event: CandidateSpoke, recorded: Recorded) -> Round:
    turn = replace(_turn(state, "candidate", event.text, recorded.at), answer=event)
    state = _hear(state, event.client_id, event.text)
    return replace(state, turns=(*state.turns, turn), phase=Phase.ASKING, question=None)


def _model_failed(state: Round, event: ModelFailed) -> Round:
    interviewer = "card" if event.role == "interviewer" else state.interviewer
    return replace(state, failures=(*state.failures, event), interviewer=interviewer)


def _waived(state: Round, event: CandidatePaused | CandidateMovedOn) -> Round:
    if isinstance(event, CandidateMovedOn):
        return _moved_on(state, event)
    paused = replace(state.question, thinking=True) if state.question else None
    return replace(_hear(state, event.client_id, "pause"), question=paused)


def _moved_on(state: Round, event: CandidateMovedOn) -> Round:
    part = state.question.spoke.part if state.question else None
    declined = (*state.declined, part) if part else state.declined
    state = _hear(state, event.client_id, "move on")
    return replace(state, phase=Phase.ASKING, question=None, declined=declined)


def _interrupted(state: Round, event: SpeechInterrupted, recorded: Recorded) -> Round:
    """A stop gives the floor to the candidate,
    with the time that the interrupted question would have had."""
    spoke = InterviewerSpoke(text=event.text, purpose="probe", speaker=event.speaker, limit_s=60)
    turn = replace(
        _turn(state, "interviewer", event.text, recorded.at), spoke=spoke, interrupted=True
    )
    question = Question(asked_at=recorded.at, limit_s=60, spoke=spoke)
    return replace(
        state, turns=(*state.turns, turn), phase=Phase.ANSWERING, question=question, tool_uses=()
    )


def _tool_event(state: Round, event: ToolCalled | ToolReturned | StatementDropped) -> Round:
    match event:
        case ToolCalled():
            return replace(state, tool_uses=(*state.tool_uses, ToolUse(event)))
        case ToolReturned():
            uses = tuple(
                replace(use, returned=event) if use.called.call == event.call else use
                for use in state.tool_uses
            )
            done = {use.called.call: use for use in uses if use.returned is not None}
            return replace(state, tool_uses=uses, tool_results={**state.tool_results, **done})
        case StatementDropped():
            return replace(state, dropped=(*state.dropped, event))


def _closing_event(state: Round, event: RoundEnded | RoundScored | TurnMarked) -> Round:
    match event:
        case RoundEnded():
            return replace(state, ended=event, phase=Phase.SCORING, question=None)
        case RoundScored(text="heard"):
            return replace(state, heard_scorecards=(*state.heard_scorecards, event.scorecard))
        case RoundScored():
            return replace(state, phase=Phase.OVER, scorecards=(*state.scorecards, event.scorecard))
        case TurnMarked():
            return replace(state, marks={**state.marks, event.turn: event})
