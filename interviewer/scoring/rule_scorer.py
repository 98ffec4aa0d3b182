"""Scores a round without a model:
words, figures and cues, never more credit than there are words for."""

import asyncio

from interviewer.scoring import advice, claim, nextstep, number, tradeoff
from interviewer.scoring.check import Cap, checked_numbers, claim_cap, number_cap
from interviewer.scoring.coverage import is_left_out
from interviewer.scoring.features import Answer
from interviewer.scoring.grader_talk import grader_talk
from interviewer.scoring.material import Material
from interviewer.scoring.part_rule import PartRule
from interviewer.scoring.red_flags import red_flags
from interviewer.scoring.scorecards import scorecard, unassessed
from interviewer.scoring.sentences import Stretch
from interviewer.scoring.words import Words
from rubrics.scorecard import Part, Score, Scorecard

RULES: dict[Part, PartRule] = {
    rule.part: rule for rule in (claim.RULE, number.RULE, tradeoff.RULE, nextstep.RULE)
}
LEAST_WORDS = 5
"""Fewer words than this are no answer: not assessed."""


class RuleScorer:
    """The scorer that needs no model. The same material always gives the same scorecard."""

    name = "rule/5"

    async def score(self, material: Material) -> Scorecard:
        """As `assess`, in a thread: other rounds stream, and it takes milliseconds."""
        return await asyncio.to_thread(self.assess, material)

    def assess(self, material: Material) -> Scorecard:
        """Judge a round; an empty answer is not assessed, and nothing that was said raises."""
        answer, talk = read_answer(material)
        if answer.words.spoken < LEAST_WORDS and not any(talk):
            nothing = tuple(unassessed(part) for part in Part)
            return scorecard(material, nothing, (), (), scorer=self.name)
        flags = red_flags(answer, talk)
        scores = tuple(_scored(part, answer, material) for part in Part)
        return scorecard(material, scores, flags, answer.findings, scorer=self.name)


def read_answer(material: Material) -> tuple[Answer, list[tuple[Stretch, ...]]]:
    """The candidate's words with their checked numbers, and what of them speaks to the grader."""
    talk = [grader_talk(turn.text) for turn in material.answers]
    words = Words(material.answers, material.card.question, talk)
    findings = checked_numbers(material, talk)
    return Answer(words, material.card, material.card.question, findings), talk


def _scored(part: Part, answer: Answer, material: Material) -> Score:
    if part not in material.parts:
        return unassessed(part, "Not asked for in this drill.")
    score = RULES[part].score(answer, cap_of(part, answer))
    tip = advice.improve(score, material.rubric.criterion(part), answer)
    return score.model_copy(update={"improve": tip})


def cap_of(part: Part, answer: Answer) -> Cap | None:
    """The highest level that a part can have whatever its signs are."""
    if answer.labelled and len(answer.figures) < 4:
        return Cap(2, "The part is announced under its label, but not said.")
    if len(answer.words) < 8 and part is not Part.CLAIM:
        return Cap(1, "Too little was said for this part.")
    if answer.is_list:
        return Cap(1, "Names are listed, and no sentence says anything about them.")
    if part is Part.CLAIM and answer.retracted:
        return Cap(1, "It takes back what it said before.")
    own = None
    if part is Part.CLAIM:
        own = claim_cap(answer.findings, answer.card) or _opening_cap(answer)
    elif part is Part.NUMBER:
        own = number_cap(answer.findings)
    return own or _left_out_cap(part, answer)


def _opening_cap(answer: Answer) -> Cap | None:
    """What is argued well later on is still no outstanding claim where the opening lacks it."""
    points = answer.card.key_points.claim
    if points and not answer.points_made(points, claim.CLAIMED).strength:
        return Cap(3, "The opening makes none of the points that this question asks for.")
    return None


def _left_out_cap(part: Part, answer: Answer) -> Cap | None:
    """Nothing is outstanding that an answer leaves out of a card which it follows else."""
    if not is_left_out(answer, part):
        return None
    return Cap(3, "The other parts say what a good answer holds; this one leaves much out.")
