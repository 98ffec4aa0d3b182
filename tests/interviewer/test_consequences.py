"""Numbers that were worked out from a wrong one are wrong too; those from a right one are not."""

import pytest

from interviewer.quantities import Quantity, find_quantities
from interviewer.scoring.recompute.consequences import consequence


def follows(text: str, wrong: str, right_times: float) -> list[tuple[str, float]]:
    """What is said to follow when the number `wrong` should be `right_times` itself."""
    found: list[tuple[str, float]] = []
    read: list[Quantity] = []
    right_bases: dict[int, float] = {}
    for said in find_quantities(text):
        if said.text == wrong:
            right_bases[said.start] = said.base * right_times
        elif result := consequence(text, said, read, right_bases):
            right_bases[said.start] = result.value * said.base / said.value
            found.append((said.text, round(result.value, 3)))
        read.append(said)
    return found


@pytest.mark.parametrize(
    ("text", "wrong", "factor", "told"),
    [
        ("a block is 40 MB and half of that is 20 MB lost", "40 MB", 0.125, ("20 MB", 2.5)),
        ("20 MB each for 64 users, so that's 1.28 GB gone", "20 MB", 0.5, ("1.28 GB", 0.64)),
        ("20 MB per user and 64 users, so 1.28 GB", "20 MB per user", 0.5, ("1.28 GB", 0.64)),
        ("2 copies of 49 GB each, so 98 GB", "49 GB", 0.25, ("98 GB", 24.5)),
        ("21.5 Gbit over 64 Gbit/s, so that's 0.34 s", "64 Gbit/s", 8, ("0.34 s", 0.043)),
        ("the line is 64 KB/s, so a 3 minute call is 11.5 MB", "64 KB/s", 0.125, ("11.5 MB", 1.44)),
        ("each holds 4 GB and the card has 52 GB, so 13 fit", "4 GB", 10, ("13", 1.3)),
        ("16 ms and 1.8 ms of weights, so you end up at about 17.8", "16 ms", 0.1, ("17.8", 3.4)),
        ("a step takes 20 ms, so 50 tokens/s", "20 ms", 0.5, ("50 tokens/s", 100)),
    ],
)
def test_what_follows_from_a_wrong_number_is_told_with_its_right_value(
    text: str, wrong: str, factor: float, told: tuple[str, float]
) -> None:
    ((said, right),) = follows(text, wrong, factor)
    assert said == told[0]
    assert right == pytest.approx(told[1], rel=0.03)


@pytest.mark.parametrize(
    "text",
    [
        "a block is 40 MB. We have 20 MB of logs",  # nothing says that it follows
        "a block is 40 MB, so the pool of 7 GB is enough",  # no way leads there
        "a block is 40 MB, and I would take chunks of 2K",
    ],
)
def test_a_number_that_nothing_derives_is_left_alone(text: str) -> None:
    assert follows(text, "40 MB", 0.125) == []


def test_nothing_follows_from_right_numbers() -> None:
    assert follows("20 MB per user and 64 users, so that's 1.28 GB", "none", 1) == []
