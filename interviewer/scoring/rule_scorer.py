"""Scores a round without a model:
words, figures and cues, never more credit than there are words for."""

from collections.abc import Sequence

from interviewer.scoring import advice, claim, nextstep, number, tradeoff
from interviewer.scoring.features import Answer
from interviewer.scoring.grader_talk import grader_talk
from interviewer.scoring.material import Material
from interviewer.scoring.part_rule import PartRule
from interviewer.scoring.red_flags import labelled, red_flags
from interviewer.scoring.words import Words
from rubrics.overall import overall
from rubrics.scorecard import Level, NumberFinding, Part, RedFlag, Score, Scorecard

RULES: dict[Part, PartRule] = {
    rule.part: rule for rule in (claim.RULE, number.RULE, tradeoff.RULE, nextstep.RULE)
}
LEAST_WORDS = 5
"""Fewer words than this are no answer: not assessed."""
Cap = tuple[Level, str]


class RuleScorer:
    """The scorer that needs no model. The same material always gives the same scorecard."""

    name = "rule/1"

    async def score(self, material: Material) -> Scorecard:
        """As `assess`."""
        return self.assess(material)

    def assess(self, material: Material) -> Scorecard:
        """Judge a round; an empty answer is not assessed, and nothing that was said raises."""
        talk = [grader_talk(turn.text) for turn in material.answers]
        words = Words(material.answers, material.card.question, talk)
        if words.spoken < LEAST_WORDS and not any(talk):
            return _card(material, _unassessed(), (), ())
        findings = _findings(material)
        answer = Answer(words, material.card, material.card.question, findings)
        flags = red_flags(answer, talk)
        scores = tuple(_scored(part, answer, material) for part in Part)
        return _card(material, scores, flags, findings)


def _scored(part: Part, answer: Answer, material: Material) -> Score:
    if part not in material.parts:
        return Score(
            part=part, level=None, reason="Not asked for in this drill.", state="not_assessed"
        )
    score = RULES[part].score(answer, _cap(part, answer))
    tip = advice.improve(score, material.rubric.criterion(part), answer)
    return score.model_copy(update={"improve": tip})


def _unassessed() -> tuple[Score, ...]:
    why = "Nothing was said that could be assessed."
    return tuple(Score(part=part, level=None, reason=why, state="not_assessed") for part in Part)


def _cap(part: Part, answer: Answer) -> Cap | None:
    """The highest level that a part can have whatever its signs are."""
    if labelled(answer) and len(answer.figures) < 4:
        return 2, "The part is announced under its label, but not said."
    if len(answer.words) < 8 and part is not Part.CLAIM:
        return 1, "Too little was said for this part."
    return _number_cap(answer.findings) if part is Part.NUMBER else None


def _number_cap(findings: Sequence[NumberFinding]) -> Cap | None:
    """A materially wrong figure holds the number at 2, whatever else is right."""
    wrong = [f for f in findings if f.verdict in ("wrong", "slip")]
    if not wrong:
        return None
    first = wrong[0]
    right = f"; it is {first.right}" if first.right else ""
    return 2, f'"{first.said}" is wrong{right}.'


def _findings(material: Material) -> tuple[NumberFinding, ...]:
    return ()


def _card(
    material: Material,
    scores: tuple[Score, ...],
    flags: tuple[RedFlag, ...],
    findings: tuple[NumberFinding, ...],
) -> Scorecard:
    card = Scorecard(
        rubric=material.rubric.id,
        rubric_hash=material.rubric.hash,
        scorer=RuleScorer.name,
        card=material.card.id,
        card_hash=material.card.hash,
        scores=scores,
        overall=overall(scores, flags),
        numbers=findings,
        red_flags=flags,
    )
    if card.weakest is None or card.score(card.weakest).level == 4:
        return card
    say = advice.say_instead(card.weakest, material.card)
    return card.model_copy(update={"say_instead": say})
