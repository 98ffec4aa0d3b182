"""Who and what a round is played with."""

from dataclasses import dataclass

from interviewer.grounding.facts import ComputedFact
from interviewer.interviewers.scene import Interviewer
from interviewer.scoring.material import Scorer
from questions.model import QuestionCard
from rubrics.model import Rubric


@dataclass(frozen=True, slots=True)
class Cast:
    """The card with its facts, who asks, and who scores; the last scorer is shown first."""

    card: QuestionCard
    facts: tuple[ComputedFact, ...]
    rubric: Rubric
    card_interviewer: Interviewer
    model_interviewer: Interviewer | None
    scorers: tuple[Scorer, ...]
