"""A story's own arithmetic: changes that are stated beside their two values, and people's work."""

import pytest

from interviewer.quantities import find_quantities
from interviewer.scoring.recompute.changes import stated_changes
from interviewer.scoring.recompute.sums import StatedSum


def changes(text: str) -> list[StatedSum]:
    return list(stated_changes(text, find_quantities(text)))


@pytest.mark.parametrize(
    "text",
    [
        "It went from 40 minutes to 10, a cut of 75 percent.",
        "An order went from 14 minutes to 5 minutes at the median, 64 percent less.",
        "an order went from fourteen minutes to five so sixty four percent less",
        "We got from 8.9 hours to 52 minutes, so 90 percent less.",
        "It fell from 12 days to 3, a factor of 4.",
        "It fell from 12 days to 3, so it is 4 times faster.",
        "It fell from 12 days to 3, that's 9 days less.",
        "Review comments fell from 14 to 4, 71 percent fewer.",
        "Use rose from 21 percent to 79, a gain of 58 points.",
        "p95 fell from 11 seconds to 1.3 seconds, 8.5x faster.",
        "It went from 10 seconds to 8, 25 percent faster.",
        "Eight people for two weeks, 80 days of work.",
        "Three engineers for 2 months, so about 6 months of work.",
        "2 engineers for 3 weeks, 240 hours of work.",
    ],
)
def test_a_change_that_fits_its_two_values_holds(text: str) -> None:
    assert [stated.right for stated in changes(text)] == [True]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("It went from 40 minutes to 10, a cut of 600 percent.", 75),
        ("It went from 40 minutes to 10, a cut of 25 percent.", 75),
        ("An order went from 14 minutes to 5, 36 percent less.", 64.29),
        ("It fell from 12 days to 3, a factor of 8.", 4),
        ("It fell from 12 days to 3, that's 72 days less.", 9),
        ("Use rose from 21 percent to 79, a gain of 464 percent.", 276.2),
        ("Eight people for two weeks, 640 days of work.", 80),
        ("2 engineers for 3 weeks, 1,920 hours of work.", 240),
    ],
)
def test_a_change_that_does_not_fit_is_wrong(text: str, right: float) -> None:
    (stated,) = changes(text)
    assert not stated.right
    assert stated.value == pytest.approx(right, rel=1e-3)


@pytest.mark.parametrize(
    "text",
    [
        "It went from 40 minutes to 10, and 75 percent of the clerks liked it.",
        "It went from 40 minutes to 10. A cut of 30 percent was planned.",
        "We moved from 2 data centres to 5, 30 percent of the traffic each.",
        "From June 7 to June 28, 3 weeks.",
        "Eight people for two weeks, 3 days of training.",
        "It took from 5 to 15 minutes, up to 3 times a day.",
        "It ran from 40 GB to 10 minutes, 75 percent less.",
        "The price went from 0 euros to 10, 75 percent more.",
    ],
)
def test_what_is_no_stated_change_is_left_alone(text: str) -> None:
    assert changes(text) == []
