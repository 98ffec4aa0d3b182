"""What may be done with a round that was played: marks on its turns, and scoring it again.

Appended to its log like everything else; nothing is replaced.
"""

from dataclasses import replace

from interviewer.errors import Busy, UnknownTurn
from interviewer.events import RoundScored, TurnMarked
from interviewer.round import Phase
from interviewer.scoring.material import Scorer
from interviewer.session import RoundSession
from interviewer.utterance import check_text
from rubrics.model import Rubric

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


async def score_again(session: RoundSession, scorer: Scorer, rubric: Rubric) -> None:
    """Add a scorecard by this scorer with this rubric. Raises Busy before the round is over."""
    if session.state.phase is not Phase.OVER:
        raise Busy("this round is not scored yet; finish it, and wait for its first scorecard")
    material = replace(session.material(session.state.turns), rubric=rubric)
    scorecard = await scorer.score(material)
    await session.record(lambda: RoundScored(scorecard=scorecard))
