"""What sinks an answer:
instructions to the grader, blame, commonplaces, and the card's own phrases."""

from collections.abc import Sequence

from interviewer.scoring.cues import cues
from interviewer.scoring.features import Answer
from interviewer.scoring.sentences import Stretch
from interviewer.scoring.words import Hit
from interviewer.transcript import Turn
from rubrics.scorecard import Evidence, RedFlag

GRADER_FLAG = "tries to instruct the grader"
_THEY = r"(?:he|she|they|the (?:customer|client|users?|team)) (?:just |simply |really |even )?"
_BLAME = cues(
    rf"""
    (?:it was|that was|it's) (?:really |entirely |all )?(?:their|his|her) (?:own )?fault
    {_THEY}(?:didn't|doesn't|don't|did not) (?:even )?(?:understand|get it|have a clue|know what)
    (?:users|customers|people) (?:are|were) (?:just |simply )?(?:stupid|lazy|incompetent|clueless)
    never apologi[sz]ed|i was right and|incompetent|blame it on (?:the|them|him|her)
    """
)


def red_flags(answer: Answer, talk: Sequence[Sequence[Stretch]]) -> tuple[RedFlag, ...]:
    """The red flags of an answer, each with the words that gave it away."""
    flags = [*grader_flag(answer.words.answers, talk), *_card_phrases(answer)]
    if hits := answer.words.find(_BLAME):
        flags.append(_flag(answer, "blames others", "It hides your own part in it.", hits[0]))
    if answer.labelled and len(answer.figures) < 4:
        flags.append(
            RedFlag(flag="names the parts instead of answering", why="A label is no content.")
        )
    if answer.platitudes >= 4 and len(answer.figures) < 2:
        flags.append(RedFlag(flag="platitudes", why="Nothing in it belongs to this question."))
    if answer.hedges >= 5:
        flags.append(RedFlag(flag="commits to nothing", why="Every statement is hedged."))
    if answer.name_dropped >= 0.3 and len(answer.figures) >= 5:
        why = "Figures are cited, but none is worked with."
        flags.append(RedFlag(flag="drops names and figures", why=why))
    if back := answer.retracted or answer.taken_back:
        why = "It takes back what it said before."
        flags.append(_flag(answer, "contradicts itself", why, back))
    return tuple(flags)


def grader_flag(answers: Sequence[Turn], talk: Sequence[Sequence[Stretch]]) -> list[RedFlag]:
    """The flag for text that speaks to the grader, where there is any."""
    for turn, stretches in zip(answers, talk, strict=True):
        if stretches:
            start, end = stretches[0].start, min(stretches[0].end, stretches[0].start + 300)
            quote = Evidence(turn=turn.number, quote=turn.text[start:end], start=start, end=end)
            why = "Text that addresses the grader is no answer; it was left out."
            return [RedFlag(flag=GRADER_FLAG, why=why, evidence=quote)]
    return []


def _card_phrases(answer: Answer) -> list[RedFlag]:
    return [_flag(answer, rule.flag, rule.why, hit) for rule, hit in answer.card_flags]


def _flag(answer: Answer, flag: str, why: str, hit: Hit) -> RedFlag:
    return RedFlag(flag=flag, why=why, evidence=answer.words.evidence(hit.first, hit.last))
