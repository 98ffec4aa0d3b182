"""The cards, rubrics and scorers that cases are held against, and how a scorecard becomes data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from evals.sample import State, Unscored
from interviewer.events import Mode
from interviewer.scoring.material import Material, Scorer
from interviewer.scoring.neutral import neutral_card
from interviewer.scoring.rows import answer_material
from questions.faults import UnknownCard
from questions.library import Library, load
from questions.model import QuestionCard
from rubrics.library import load_rubrics
from rubrics.model import Rubric
from rubrics.scorecard import Part, Scorecard

PARTS = tuple(part.value for part in Part)
ASPECTS = (*PARTS, "overall")
_FAILED: Mapping[str, State] = {
    "parse_failed": "parse_failed",
    "refused": "refused",
    "timeout": "timeout",
    "error": "error",
}


@dataclass(frozen=True)
class Bench:
    """What every answer is scored with."""

    library: Library
    rubrics: Mapping[str, Rubric]

    @classmethod
    def bundled(cls) -> "Bench":
        """The cards and rubrics that come with Viva."""
        return cls(load(), load_rubrics())

    def card(self, card_id: str, question: str = "") -> QuestionCard:
        """The card, or a neutral one for a question that no card asks."""
        try:
            return self.library.get(card_id)
        except UnknownCard:
            if not question:
                raise
            return neutral_card(card_id, question)

    def material(self, text: str, card: QuestionCard, mode: Mode = "typed") -> Material:
        """One answer to a card's question."""
        return answer_material(text, card, self.rubrics, mode)


async def scored(scorer: Scorer, material: Material) -> dict[str, Any]:
    """Levels, wrong numbers and red flags. Raises Unscored where the scorer failed."""
    card = await scorer.score(material)
    for score in card.scores:
        if score.state in _FAILED:
            raise Unscored(_FAILED[score.state], score.reason)
    return as_found(card)


def as_found(card: Scorecard) -> dict[str, Any]:
    """What is kept of a scorecard; a level that was not assessed is None."""
    return {
        "levels": {
            **{score.part.value: score.level for score in card.scores},
            "overall": card.overall,
        },
        "wrong": [
            {"said": f.said, "start": f.start, "end": f.end, "right": f.right or ""}
            for f in card.wrong_numbers
        ],
        "flags": [flag.flag for flag in card.red_flags],
    }
