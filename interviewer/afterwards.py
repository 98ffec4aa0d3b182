"""What may be done with a round that was played: marks on its turns, and scoring it again.

Appended to its log like everything else; nothing is replaced.
"""

from dataclasses import replace

from interviewer.errors import Busy, NotScored, UnknownTurn
from interviewer.events import RoundScored, TurnMarked
from interviewer.round import Phase
from interviewer.scoring.material import Scorer
from interviewer.session import RoundSession
from interviewer.utterance import check_text
from rubrics.model import Rubric
from rubrics.scorecard import Scorecard

LONGEST_NOTE = 2_000
"""Characters of a note."""


async def mark(session: RoundSession, number: int, *, bookmarked: bool, note: str) -> None:
    """Put a bookmark and a note on a turn, or take them away.

    Raises UnknownTurn, UtteranceTooLong or InvalidUtterance.
    """
    check_text(note, "note", LONGEST_NOTE)
    if not 1 <= number <= len(session.state.turns):
        raise UnknownTurn(f"turn {number}: this round has {len(session.state.turns)} turns")
    wanted = TurnMarked(turn=number, bookmarked=bookmarked, note=note)

    def marked() -> TurnMarked | None:
        there = session.state.marks.get(number, TurnMarked(turn=number, bookmarked=False))
        return None if there == wanted else wanted

    await session.record(marked)


def scorable(session: RoundSession) -> None:
    """Raise Busy where the round cannot be scored again."""
    if session.state.phase is not Phase.OVER:
        raise Busy("this round is not scored yet; finish it, and wait for its first scorecard")
    if session.state.started and session.state.started.pool:
        raise Busy("a number drill is checked by its tools; no other scorer reads it")


async def score_again(session: RoundSession, scorer: Scorer, rubric: Rubric) -> None:
    """Add a scorecard by this scorer with this rubric; lasts as long as the scorer takes.

    Raises Busy where the round cannot be scored again, and NotScored where the scorer failed: a
    scorecard that is there does not give way to a failure.
    """
    scorable(session)
    material = replace(session.material(session.state.turns), rubric=rubric)
    session.scoring_again.append(scorer.name)
    try:
        scorecard = await scorer.score(material)
    finally:
        session.scoring_again.remove(scorer.name)
    if failure := _failure(scorecard):
        raise NotScored(f"{scorer.name} added no scorecard. {failure}")
    await session.record(lambda: RoundScored(scorecard=scorecard))


def _failure(scorecard: Scorecard) -> str:
    """Why no part could be read; empty where one was."""
    read = any(score.state in ("scored", "not_assessed") for score in scorecard.scores)
    return "" if read else scorecard.scores[0].reason
