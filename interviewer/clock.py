"""The time left for the question at hand.

Pure: the caller brings the time, and it is the server's.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Literal

from interviewer.round import Question


def utc_now() -> datetime:
    """The server's time."""
    return datetime.now(UTC)


Warning_ = Literal["half", "thirty", "over"]
LAST_S = 30


@dataclass(frozen=True, slots=True)
class Clock:
    """Seconds: the limit, what is left of it (never below 0), and how far it is passed."""

    limit_s: int
    left_s: float
    over_s: float
    warning: Warning_ | None
    held: bool = False
    """Whether it stands still, while a spoken answer is written down and checked."""

    @classmethod
    def read(cls, question: Question, now: datetime) -> "Clock":
        """The clock of a question at a moment."""
        elapsed = max(0.0, (now - question.asked_at).total_seconds())
        left = question.limit_s - elapsed
        return cls(
            question.limit_s, max(0.0, left), max(0.0, -left), _warning(question.limit_s, left)
        )


def _warning(limit_s: int, left: float) -> Warning_ | None:
    if left <= 0:
        return "over"
    if left <= LAST_S and limit_s > LAST_S:
        return "thirty"
    return "half" if left <= limit_s / 2 else None
