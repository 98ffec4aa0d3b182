"""The turns of a round in order, numbered from 1: what judges, pages and evidence refer to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from interviewer.events import CandidateSpoke, InterviewerSpoke


@dataclass(frozen=True, slots=True)
class Turn:
    """One finished utterance, exactly as it was said."""

    number: int
    speaker: str
    text: str
    at: datetime
    seq: int
    spoke: InterviewerSpoke | None = None
    answer: CandidateSpoke | None = None
    interrupted: bool = False


def as_heard(turns: Iterable[Turn]) -> tuple[Turn, ...]:
    """The turns with every spoken answer as it was heard, before the person corrected it."""
    return tuple(
        replace(turn, text=turn.answer.heard.text) if turn.answer and turn.answer.heard else turn
        for turn in turns
    )


def without_asides(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """The turns without what the candidate asked the interviewer instead of answering.

    Such an utterance is known by what comes next: the same question once more.
    """
    repeats = {at for at, turn in enumerate(turns) if turn.spoke and turn.spoke.purpose == "repeat"}
    return tuple(
        turn
        for at, turn in enumerate(turns)
        if turn.speaker != "candidate" or at + 1 not in repeats
    )


def answers_in(turns: Sequence[Turn]) -> tuple[Turn, ...]:
    """What the candidate said in answer to the questions."""
    return tuple(turn for turn in without_asides(turns) if turn.speaker == "candidate")
