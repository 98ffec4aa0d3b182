"""The turns of a round in order, numbered from 1: what judges, pages and evidence refer to."""

from dataclasses import dataclass
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
