"""The signs that every part has, learned from answers instead of written by hand:
what the wording says, and how much of the card is taken up."""

from collections.abc import Mapping

from interviewer.scoring.coverage import coverage
from interviewer.scoring.features import Answer
from interviewer.scoring.part_rule import Weight
from interviewer.scoring.signs import Found, Signs, share
from interviewer.scoring.wording import PLACED, Wording
from rubrics.scorecard import Part

POINTS = "points"
"""What the signs that hold an answer against the card speak of."""


def learned(answer: Answer, part: Part) -> Signs:
    """The strength from 0 to 1 of what the wording and the card say of a part."""
    return {**wording_signs(answer.wording, part), **coverage(answer, part)}


def wording_signs(wording: Wording, part: Part) -> Signs:
    """What an answer's phrases say of a part."""
    signs = {"wording": Found(share(wording.whole[part], 4))}
    if part in wording.places:
        place = wording.places[part]
        hits = [place.hit] if place.hit else []
        signs |= {"said": Found(place.best, hits), "spread": Found(place.spread)}
    return signs


def learned_weights(
    part: Part, found: str = "", missing: str = "", about: str = ""
) -> Mapping[str, Weight]:
    """How the learned signs count; `found` and `missing` tell of the window that does the part,
    and `about` of what."""
    places = {"said": Weight(True, found, missing, about=about), "spread": Weight(True)}
    return {
        "wording": Weight(True),
        **(places if part in PLACED else {}),
        "covers_answer": Weight(
            True,
            "it takes up much of what a good answer to this question holds",
            "much of what a good answer to this question holds is missing",
            about=POINTS,
            whole=True,
        ),
        "covers_points": Weight(True),
    }


def key_points_weight(points: str, makes: str = "names") -> Weight:
    """How the question's key points of a part count; `points` says what they are."""
    return Weight(
        True,
        f"it {makes} the {points} that matter for this question",
        f"the {points} that matter for this question are missing",
        partly=f"it {makes} some of the {points} that matter for this question",
        little=f"most of the {points} that matter for this question are missing",
        about=POINTS,
    )
