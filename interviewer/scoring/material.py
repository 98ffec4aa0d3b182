"""What is judged, and what a judge is:
a round's turns with the card and the rubric they answer to."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from interviewer.events import PartName
from interviewer.grounding.facts import ComputedFact
from interviewer.transcript import Turn
from questions.model import QuestionCard
from rubrics.model import Rubric
from rubrics.scorecard import Part, Scorecard


@dataclass(frozen=True, slots=True)
class Material:
    """One round to score. `part` is set for a drill: then only that part is assessed."""

    card: QuestionCard
    facts: Sequence[ComputedFact]
    rubric: Rubric
    turns: Sequence[Turn]
    """All turns of the round; only the candidate's are evidence."""
    part: PartName | None = None
    other_question: bool = False
    """Whether another question than the card's was asked, so that its points are no advice."""

    @property
    def answers(self) -> tuple[Turn, ...]:
        """The candidate's turns that hold any text."""
        return tuple(t for t in self.turns if t.speaker == "candidate" and t.text.strip())

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts to assess, in order."""
        return tuple(Part) if self.part is None else (Part(self.part),)


class Scorer(Protocol):
    """Turns material into a scorecard. A failure is a state of the scores, never a level."""

    name: str

    async def score(self, material: Material) -> Scorecard:
        """Judge the round; does not raise for anything that a candidate or a model may say."""
        ...
