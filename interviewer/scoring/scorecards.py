"""Puts a scorecard together: identity, overall and what to say instead;
the same for every scorer."""

from interviewer.scoring import advice
from interviewer.scoring.material import Material
from rubrics.overall import overall
from rubrics.scorecard import NumberFinding, Part, RedFlag, Score, Scorecard


def unassessed(part: Part, why: str = "Nothing was said that could be assessed.") -> Score:
    """A score without a level."""
    return Score(part=part, level=None, reason=why, state="not_assessed")


def scorecard(
    material: Material,
    scores: tuple[Score, ...],
    flags: tuple[RedFlag, ...],
    findings: tuple[NumberFinding, ...],
    *,
    scorer: str,
    prompt_hash: str | None = None,
) -> Scorecard:
    """The scorecard of a round; the overall level and the advice are code, whoever judged."""
    if material.other_question:
        scores = tuple(
            score.model_copy(update={"improve": advice.in_general(score.improve)})
            for score in scores
        )
    card = Scorecard(
        rubric=material.rubric.id,
        rubric_hash=material.rubric.hash,
        scorer=scorer,
        card=material.card.id,
        card_hash=material.card.hash,
        scores=scores,
        overall=overall(scores, flags, sum(found.is_wrong for found in findings)),
        numbers=findings,
        red_flags=flags,
        prompt_hash=prompt_hash,
    )
    if card.weakest is None or card.score(card.weakest).level == 4 or material.other_question:
        return card
    say = advice.say_instead(card.weakest, material.card)
    return card.model_copy(update={"say_instead": say})
