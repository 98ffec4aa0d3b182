"""Two scorecards of one round: where they lie too far apart, and what is said of it."""

import pytest

from rubrics.dispute import disputes
from rubrics.scorecard import Evidence, Level, Part, Score, Scorecard
from tests.scorecards import all_parts


def quote(start: int, end: int) -> Evidence:
    return Evidence(turn=2, quote="x" * (end - start), start=start, end=end)


def card(
    scorer: str, claim: Level | None, *evidence: Evidence, rubric_hash: str = "r1"
) -> Scorecard:
    scores = all_parts(
        Score(part=Part.CLAIM, level=claim, reason="because", evidence=evidence),
        Score(part=Part.NUMBER, level=2, reason="because"),
    )
    return Scorecard(
        rubric="technical",
        rubric_hash=rubric_hash,
        scorer=scorer,
        card="INF-001",
        card_hash="h",
        scores=scores,
        overall=2,
    )


def test_two_levels_apart_is_disputed_and_one_is_not() -> None:
    (found,) = disputes(card("rule/5", 1), card("judge/m", 3))
    assert (found.part, found.low, found.low_scorer) == (Part.CLAIM, 1, "rule/5")
    assert (found.high, found.high_scorer) == (3, "judge/m")
    assert disputes(card("rule/5", 2), card("judge/m", 3)) == ()


def test_the_order_of_the_two_makes_no_difference() -> None:
    one, other = card("rule/5", 1), card("judge/m", 4)
    assert disputes(one, other) == disputes(other, one)


def test_a_part_that_one_of_them_did_not_assess_is_not_disputed() -> None:
    assert disputes(card("rule/5", None), card("judge/m", 4)) == ()


@pytest.mark.parametrize(
    ("low", "high", "why"),
    [
        ((), (quote(0, 9),), "found no words for it"),
        ((quote(0, 9),), (), "quotes no words for it"),
        ((quote(0, 9),), (quote(20, 30),), "different words"),
        ((quote(0, 9),), (quote(5, 30),), "same words differently"),
    ],
)
def test_the_reason_follows_from_what_each_of_them_quotes(
    low: tuple[Evidence, ...], high: tuple[Evidence, ...], why: str
) -> None:
    (found,) = disputes(card("rule/5", 1, *low), card("judge/m", 3, *high))
    assert why in found.words


def test_other_rubrics_are_reason_enough() -> None:
    (found,) = disputes(card("rule/5", 1), card("rule/5", 3, rubric_hash="r2"))
    assert "different rubrics" in found.why
