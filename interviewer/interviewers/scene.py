"""What an interviewer sees of a round, and what every interviewer can do."""

from dataclasses import dataclass
from typing import Protocol

from interviewer.events import Event
from interviewer.grounding.facts import ComputedFact
from interviewer.grounding.ledger import Ledger
from interviewer.round import Round
from questions.model import QuestionCard
from rubrics.model import Rubric


@dataclass(frozen=True, slots=True)
class Scene:
    """A round at the interviewer's move, with everything that a question may rest on."""

    state: Round
    card: QuestionCard
    facts: tuple[ComputedFact, ...]
    ledger: Ledger
    rubric: Rubric


class Floor(Protocol):
    """What an interviewer speaks to: the words are shown, what happens is kept."""

    def say(self, text: str) -> None:
        """More of the turn, to be heard at once."""
        ...

    async def keep(self, event: Event) -> None:
        """What happened in the turn; durable when this returns."""
        ...


class Interviewer(Protocol):
    """Speaks one turn at a time. Keeps nothing between turns: all of the state is in the scene."""

    name: str

    async def warm(self, scene: Scene) -> None:
        """Prove that the interviewer can speak, and prepare it; raises LLMError."""
        ...

    async def speak(self, scene: Scene, floor: Floor) -> None:
        """One turn: said as it is worded; tool events, StatementDropped, last InterviewerSpoke.

        All that was said is the text of the turn. Raises LLMError; cancelling it stops the turn.
        """
        ...
