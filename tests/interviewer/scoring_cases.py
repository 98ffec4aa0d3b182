"""Rounds to score: turns and material from plain texts, and one answer that does all four parts."""

from datetime import UTC, datetime

from interviewer.events import PartName
from interviewer.scoring.material import Material
from interviewer.scoring.neutral import neutral_card
from interviewer.transcript import Turn
from questions.model import KeyPoint, KeyPoints, QuestionCard, RedFlagRule
from rubrics.library import load_rubrics
from rubrics.scorecard import Evidence, Scorecard

AT = datetime(2026, 1, 5, 9, 0, tzinfo=UTC)
QUESTION = "How large should the on-call rota of a small team be?"

CLAIM = (
    "I would run the rota with six people, because below that everyone is on call more often than "
    "one week in five, and that decides whether they stay."
)
NUMBER = (
    "We measured it last year: 18 pages a week, and each costs 40 minutes, so 18 times 40 is 720 "
    "minutes, which is 12 hours a week. Over six heads that makes 2 hours each, against 3 hours "
    "with four."
)
TRADEOFF = (
    "What it costs is feature work: two engineers lose about a day a week, and the product team "
    "carries that. If we had fewer than 5 pages a week I would rather go with three people and "
    "accept the longer shifts."
)
NEXTSTEP = (
    "Next I would ask the team lead to log every page for two weeks, until Friday the 16th, and "
    "if more than half of them are the same alert I fix that alert first and keep the rota at four."
)
WHOLE = " ".join([CLAIM, NUMBER, TRADEOFF, NEXTSTEP])


def card(**changes: object) -> QuestionCard:
    """A card with one key point a part and one red flag with a phrase."""
    points = KeyPoints(
        claim=(KeyPoint(point="Six people, and why", cues=("six people",)),),
        number=(KeyPoint(point="Hours on call a person and week", cues=("hours a week",)),),
        tradeoff=(KeyPoint(point="Feature work that is lost", cues=("feature work",)),),
        nextstep=(KeyPoint(point="Log the pages first", cues=("log every page",)),),
    )
    flag = RedFlagRule(
        flag="lets pages ring out", why="Nobody answers.", phrases=("ignore the pager",)
    )
    base = neutral_card("ROTA", QUESTION)
    return base.model_copy(
        update={
            "key_points": points,
            "red_flags": (flag, *base.red_flags[1:]),
            "model_answer": WHOLE,
            "hash": "c0ffee",
            **changes,
        }
    )


def material(
    *answers: str, part: PartName | None = None, of: QuestionCard | None = None
) -> Material:
    """A round in which the candidate gave these answers, each after a question."""
    turns: list[Turn] = []
    for text in answers:
        for speaker, said in (("interviewer", QUESTION), ("candidate", text)):
            number = len(turns) + 1
            turns.append(Turn(number=number, speaker=speaker, text=said, at=AT, seq=number))
    asked = of or card()
    return Material(asked, (), load_rubrics()[asked.rubric], turns, part)


def levels(scorecard: Scorecard) -> dict[str, int | None]:
    """The levels by part name."""
    return {score.part.value: score.level for score in scorecard.scores}


def quotes(scorecard: Scorecard) -> list[Evidence]:
    """All evidence of a scorecard."""
    return [quote for score in scorecard.scores for quote in score.evidence]
