"""Logs of rounds in a test's own words, for the read models and the searches over them."""

from datetime import UTC, datetime

from interviewer.events import (
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    PartName,
    RoundEnded,
    RoundScored,
    RoundStarted,
    TurnMarked,
)
from rubrics.scorecard import Level, Part, Score, Scorecard

AT = datetime(2026, 11, 29, 12, 0, tzinfo=UTC)


def started(card: str = "INF-001", part: PartName | None = None) -> RoundStarted:
    return RoundStarted(
        card=card,
        card_hash="h",
        title="t",
        question="How fast?",
        kind="technical",
        rubric="technical",
        limit_s=180,
        part=part,
        interviewer="card",
    )


def asked(text: str = "How fast?") -> InterviewerSpoke:
    return InterviewerSpoke(text=text, purpose="question", speaker="card", limit_s=180)


def said(text: str, *, spoken: bool = False) -> CandidateSpoke:
    return CandidateSpoke(client_id=text[:9], text=text, mode="spoken" if spoken else "typed")


def ended() -> RoundEnded:
    return RoundEnded(reason="finished")


def marked(turn: int, note: str = "", *, bookmarked: bool = True) -> TurnMarked:
    return TurnMarked(turn=turn, bookmarked=bookmarked, note=note)


def scored(
    *levels: Level | None,
    scorer: str = "rule/5",
    rubric_hash: str = "r1",
    overall: Level | None = 2,
) -> RoundScored:
    """A verdict with levels for claim, number, trade-off and next step."""
    given = (*levels, *[None] * (4 - len(levels)))
    scores = tuple(
        Score(part=part, level=level, reason=f"why {part}")
        for part, level in zip(Part, given, strict=True)
    )
    card = Scorecard(
        rubric="technical",
        rubric_hash=rubric_hash,
        scorer=scorer,
        card="INF-001",
        card_hash="h",
        scores=scores,
        overall=overall,
    )
    return RoundScored(scorecard=card)


def whole(answer: str, *, card: str = "INF-001") -> tuple[Event, ...]:
    """A round that was asked, answered, ended and scored."""
    return started(card), asked(), said(answer), ended(), scored(3, 2, 1)
