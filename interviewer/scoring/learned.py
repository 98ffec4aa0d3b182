"""The signs that every part has, learned from answers instead of written by hand:
what the wording says, and how much of the card is taken up."""

from collections.abc import Mapping

from interviewer.scoring.coverage import coverage
from interviewer.scoring.features import Answer
from interviewer.scoring.part_rule import Weight
from interviewer.scoring.signs import Found, Signs, share
from interviewer.scoring.wording import PLACED, Wording
from rubrics.scorecard import Part


def learned(answer: Answer, part: Part) -> Signs:
    """The strength from 0 to 1 of what the wording and the card say of a part."""
    return {**wording_signs(answer.wording, part), "covers": coverage(answer, part)}


def wording_signs(wording: Wording, part: Part) -> Signs:
    """What an answer's phrases say of a part."""
    whole: Signs = {"wording": Found(share(wording.whole[part], 4))}
    if part not in PLACED:
        return whole
    place = wording.places[part]
    return {**whole, "said": Found(place.best, [place.hit] if place.hit else [])}


def learned_weights(
    part: Part, found: str = "", missing: str = "", about: str = ""
) -> Mapping[str, Weight]:
    """How the learned signs count; `found` and `missing` tell of the window that does the part,
    and `about` of what."""
    said = {"said": Weight(True, found, missing, about=about)} if part in PLACED else {}
    return {"wording": Weight(True), **said, "covers": Weight(True)}


def key_points_weight(points: str, makes: str = "names") -> Weight:
    """How the question's key points of a part count; `points` says what they are."""
    return Weight(
        True,
        f"it {makes} the {points} that matter for this question",
        f"the {points} that matter for this question are missing",
        partly=f"it {makes} some of the {points} that matter for this question",
        little=f"most of the {points} that matter for this question are missing",
    )
