"""The rule that turns part levels and red flags into the overall level."""

import pytest

from rubrics.overall import overall
from rubrics.scorecard import Level, Part, Score


def scores(*levels: Level | None) -> list[Score]:
    return [
        Score(part=part, level=level, reason="", state="scored" if level else "not_assessed")
        for part, level in zip(Part, levels, strict=True)
    ]


# What two raters gave for these levels where they saw no red flag.
@pytest.mark.parametrize(
    ("levels", "rated"),
    [
        ((4, 4, 4, 4), 4),
        ((3, 4, 4, 4), 4),
        ((4, 4, 4, 1), 3),
        ((2, 4, 4, 4), 3),
        ((4, 3, 3, 1), 3),
        ((2, 2, 3, 3), 2),
        ((4, 1, 3, 1), 2),
        ((3, 1, 1, 1), 1),
    ],
)
def test_the_overall_level_is_the_one_that_raters_gave(
    levels: tuple[Level, Level, Level, Level], rated: Level
) -> None:
    assert overall(scores(*levels)) == rated


def test_nothing_assessed_has_no_overall_level() -> None:
    assert overall(scores(None, None, None, None)) is None


def test_a_red_flag_allows_at_most_a_two() -> None:
    assert overall(scores(4, 4, 4, 4), ["blames others"]) == 2


def test_a_red_flag_takes_one_level_off_a_two() -> None:
    assert overall(scores(2, 2, 2, 2), ["blames others"]) == 1


@pytest.mark.parametrize(("wrong", "rated"), [(0, 3), (1, 3), (2, 2), (9, 2)])
def test_wrong_figures_take_a_quarter_each_off_the_mean_and_two_count(
    wrong: int, rated: Level
) -> None:
    assert overall(scores(4, 3, 3, 2), wrong=wrong) == rated
    assert overall(scores(4, 4, 4, 4), wrong=wrong) == (3 if wrong > 1 else 4)


def test_a_drill_is_judged_by_its_part_alone() -> None:
    assert overall(scores(None, None, 3, None)) == 3
