"""A round's log as its page shows it: turns and notes, by the same rules as static/js/turns.js."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from interviewer.events import (
    CandidateMovedOn,
    CandidatePaused,
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    ModelFailed,
    Recorded,
    RoundEnded,
    SpeechInterrupted,
    StatementDropped,
    ToolReturned,
)
from web.views.figures import Chip, Segment, segments

MOVED_ON = "You moved on."
PAUSED = "You asked for time to think. The clock runs on; the interviewer waits."
STOPPED = "stopped by you"
ENDED = "The round is over."
JUDGE_FAILED = "The model that scores could not be used ({kind})."
MODEL_FAILED = "The model could not be used ({kind}). The card interviewer goes on from here."
TOOL_FAILED = "A tool call of the interviewer failed; it was told why."
DROPPED = "A sentence was left out: nothing in this round grounds its number ({quantity})."

_WHO = {"interviewer": "Interviewer", "candidate": "You"}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the conversation; `aside` stands beside the speaker's name."""

    seq: int
    kind: Literal["interviewer", "candidate", "note", "fault"]
    segments: tuple[Segment, ...]
    aside: str = ""

    @property
    def who(self) -> str:
        """Whose turn it is; empty for a note."""
        return _WHO.get(self.kind, "")

    @property
    def chips(self) -> tuple[Chip, ...]:
        """The grounded numbers of the turn."""
        return tuple(part.chip for part in self.segments if part.chip)


def entries(log: Iterable[Recorded]) -> tuple[Entry, ...]:
    """The conversation so far."""
    made = (_entry(recorded.seq, recorded.event) for recorded in log)
    return tuple(entry for entry in made if entry is not None)


def _entry(seq: int, event: Event) -> Entry | None:
    match event:
        case InterviewerSpoke():
            return Entry(seq, "interviewer", segments(event.text, event.figures, f"f{seq}"))
        case SpeechInterrupted():
            return Entry(seq, "interviewer", (Segment(event.text),), STOPPED)
        case CandidateSpoke():
            return Entry(seq, "candidate", (Segment(event.text),), _over(event))
    note = _note(event)
    kind: Literal["note", "fault"] = "fault" if isinstance(event, ModelFailed) else "note"
    return Entry(seq, kind, (Segment(note),)) if note else None


def _over(event: CandidateSpoke) -> str:
    return f"{round(event.over_s)} s over time" if event.over_s >= 1 else ""


def _note(event: Event) -> str:
    match event:
        case CandidatePaused():
            return PAUSED
        case CandidateMovedOn():
            return MOVED_ON
        case RoundEnded():
            return ENDED
        case StatementDropped():
            return DROPPED.format(quantity=event.quantity)
        case ModelFailed():
            words = JUDGE_FAILED if event.role == "judge" else MODEL_FAILED
            return words.format(kind=event.kind.replace("_", " "))
        case ToolReturned(ok=False):
            return TOOL_FAILED
        case _:
            return ""
