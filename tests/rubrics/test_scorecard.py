"""A scorecard is whole, or it is none."""

import pytest
from pydantic import ValidationError

from rubrics.scorecard import Part, Score, Scorecard
from tests.scorecards import all_parts

ALL = all_parts(*(Score(part=part, level=2, reason="because") for part in Part))


def made(scores: tuple[Score, ...]) -> Scorecard:
    card = Scorecard(
        rubric="technical",
        rubric_hash="r1",
        scorer="rule/5",
        card="INF-001",
        card_hash="h",
        scores=ALL,
        overall=2,
    )
    return Scorecard.model_validate_json(
        card.model_copy(update={"scores": scores}).model_dump_json()
    )


@pytest.mark.parametrize(
    ("scores", "got"),
    [
        ((), r"\[\]"),
        (ALL[:3], r"\['claim', 'number', 'tradeoff'\]"),
        ((*ALL, ALL[0]), r"\['claim', 'number', 'tradeoff', 'nextstep', 'claim'\]"),
        ((*ALL[:3], ALL[0]), r"\['claim', 'number', 'tradeoff', 'claim'\]"),
    ],
)
def test_a_scorecard_that_lacks_a_part_or_has_one_twice_is_refused(
    scores: tuple[Score, ...], got: str
) -> None:
    with pytest.raises(ValidationError, match=f"scores: got {got}; give one for each of"):
        made(scores)


def test_the_parts_of_a_scorecard_may_stand_in_any_order() -> None:
    assert [made(ALL[::-1]).score(part).part for part in Part] == list(Part)
