"""Progress from counts: parts, themes, weeks, changes, and the one thing to practise next."""

from interviewer.review.progress import GONE, Weakest, progress_of
from interviewer.review.rates import Change, Rate
from interviewer.store import Tally
from rubrics.scorecard import Part

THEMES = {"A-1": "caches", "A-2": "caches", "B-1": "queues"}


def by_card(*rows: tuple[str, str, int, int]) -> list[Tally]:
    """Part, card, solid, assessed."""
    return [Tally(part, card, assessed, solid) for part, card, solid, assessed in rows]


def by_day(*rows: tuple[str, int, int]) -> list[Tally]:
    """Of the claim: day, solid, assessed."""
    return [Tally("claim", day, assessed, solid) for day, solid, assessed in rows]


def test_cards_of_one_theme_are_counted_together() -> None:
    found = progress_of(
        by_card(("claim", "A-1", 1, 2), ("claim", "A-2", 2, 3), ("claim", "B-1", 0, 1)), [], THEMES
    )
    assert found.parts[Part.CLAIM] == Rate(3, 6)
    assert [(group.key, group.parts[Part.CLAIM]) for group in found.themes] == [
        ("caches", Rate(3, 5)),
        ("queues", Rate(0, 1)),
    ]


def test_a_card_that_is_gone_is_counted_under_its_own_name_and_not_advised() -> None:
    found = progress_of(by_card(("claim", "X-1", 0, 9)), [], THEMES)
    assert [group.key for group in found.themes] == [GONE]
    assert found.weakest == Weakest(Part.CLAIM, "", Rate(0, 9), 1)


def test_a_week_begins_on_monday() -> None:
    days = by_day(("2026-11-22", 1, 1), ("2026-11-23", 0, 1), ("2026-11-29", 1, 1))
    found = progress_of([], days, THEMES)
    assert [(group.key, group.parts[Part.CLAIM]) for group in found.weeks] == [
        ("2026-11-16", Rate(1, 1)),
        ("2026-11-23", Rate(1, 2)),
    ]


def test_a_change_sets_the_earlier_half_beside_the_later_and_divides_no_day() -> None:
    days = by_day(("2026-11-01", 0, 3), ("2026-11-02", 1, 2), ("2026-11-03", 3, 3))
    change = progress_of([], days, THEMES).changes[Part.CLAIM]
    assert change == Change(Rate(0, 3), Rate(4, 5))


def test_one_day_alone_has_nothing_earlier() -> None:
    change = progress_of([], by_day(("2026-11-01", 3, 9)), THEMES).changes[Part.CLAIM]
    assert change == Change(Rate(0, 0), Rate(3, 9))
    assert change.direction == "too few to tell"


def test_what_to_practise_is_where_the_interval_ends_lowest() -> None:
    found = progress_of(
        by_card(
            ("claim", "A-1", 0, 3),  # 0 to 56 %
            ("number", "A-1", 2, 20),  # 3 to 30 %
            ("number", "B-1", 0, 2),  # too few to be named
            ("nextstep", "B-1", 3, 3),
        ),
        [],
        THEMES,
    )
    assert found.weakest == Weakest(Part.NUMBER, "caches", Rate(2, 20), 3)


def test_without_enough_in_any_theme_the_part_alone_is_named() -> None:
    found = progress_of(by_card(("claim", "A-1", 1, 1), ("number", "A-1", 0, 1)), [], THEMES)
    assert found.weakest == Weakest(Part.NUMBER, "", Rate(0, 1), 2)


def test_nothing_assessed_leaves_nothing_to_advise() -> None:
    found = progress_of([], [], THEMES)
    assert found.weakest is None
    assert set(found.parts.values()) == {Rate(0, 0)}
