"""What an interviewer sees of a round, and what every interviewer can do."""

from collections.abc import AsyncGenerator
from dataclasses import dataclass
from typing import Protocol

from interviewer.events import Event
from interviewer.grounding.facts import ComputedFact
from interviewer.grounding.ledger import Ledger
from interviewer.llm.protocol import TextDelta
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


class Interviewer(Protocol):
    """Speaks one turn at a time. Keeps nothing between turns: all of the state is in the scene."""

    name: str

    async def warm(self, scene: Scene) -> None:
        """Prove that the interviewer can speak, and prepare it; raises LLMError."""
        ...

    def speak(self, scene: Scene) -> AsyncGenerator[TextDelta | Event, None]:
        """One turn: deltas as it is worded, tool events, StatementDropped; InterviewerSpoke last.

        The deltas concatenated are the text of the turn. Each event is durable before the generator
        is resumed. Raises LLMError; closing the generator stops the turn.
        """
        ...
