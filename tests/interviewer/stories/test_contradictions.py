"""Which statements of a telling contradict the story, and which only say it otherwise."""

from datetime import UTC, datetime

import pytest

from interviewer.events import Contradiction, StoryWritten
from interviewer.stories.contradictions import Source, contradictions
from interviewer.stories.story import Story
from interviewer.stories.told import MOST

WRITTEN = StoryWritten(
    title="Routing tickets",
    situation=(
        "In March 2024 a bank with 160 support agents asked us to route its tickets automatically."
    ),
    task="I led the build with 2 engineers for 14 weeks.",
    action=(
        "I trusted the department codes as labels and measured a routing accuracy of 91 percent."
    ),
    result=(
        "After two months 11 of the 160 agents used it. "
        "We switched it off and gave back 6 weeks of budget."
    ),
    role="lead engineer",
    leave_out=("Contoso", "Priya"),
)
STORY = Story("s1", WRITTEN, datetime(2026, 11, 29, tzinfo=UTC), 1)
SOURCE = Source("story", STORY.text, WRITTEN.role)


def told(text: str, *sources: Source) -> list[tuple[str, str, str]]:
    found = contradictions([(2, text)], sources or (SOURCE,), STORY)
    return [(one.kind, one.said, one.stated) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "A bank asked us to route tickets for its 180 support agents.",
            ("number", "180", "160"),
        ),
        ("We measured a routing accuracy of 94 percent.", ("number", "94 percent", "91 percent")),
        ("After two months twelve of the agents used it.", ("number", "twelve", "11")),
        ("After three months 11 of the agents used it.", ("number", "three months", "two months")),
        (
            "In March 2025 a bank asked us to route its tickets automatically.",
            ("date", "March 2025", "March 2024"),
        ),
        (
            "In May 2024 a bank asked us to route its tickets automatically.",
            ("date", "May 2024", "March 2024"),
        ),
        ("I was the product manager there.", ("role", "product manager", "lead engineer")),
        ("It was for Contoso in the end.", ("name", "Contoso", "Contoso")),
        ("Then priya told me to stop.", ("name", "priya", "Priya")),
    ],
)
def test_a_statement_that_cannot_be_so_is_found(text: str, expected: tuple[str, str, str]) -> None:
    assert expected in told(text)


@pytest.mark.parametrize(
    "text",
    [
        WRITTEN.situation + " " + WRITTEN.task + " " + WRITTEN.action + " " + WRITTEN.result,
        "A bank with about a hundred and sixty support agents wanted its tickets routed.",
        "it was a bank uh with one hundred sixty support agents and the routing accuracy was "
        "ninety one percent and eleven of them used it after two months",
        "As the lead engineer I built it for fourteen weeks with two engineers.",
        "The build took 98 days.",
        "In spring 2024 a bank asked us to route its tickets automatically.",
        "I spoke with 25 people in the branch and read 300 of their mails.",
        "Since then I ask ten users to work with a version made by hand.",
        "",
        "\x00 <b>160</b> \u202e 1e999 agents " * 20,
    ],
)
def test_what_is_said_otherwise_rounded_or_added_is_no_contradiction(text: str) -> None:
    assert told(text) == []


def test_the_whole_sentence_of_both_is_given_with_the_turn() -> None:
    (found,) = contradictions(
        [(4, "Well. We measured a routing accuracy of 94 percent. It was good.")], (SOURCE,), STORY
    )
    assert found == Contradiction(
        kind="number",
        turn=4,
        said="94 percent",
        sentence="We measured a routing accuracy of 94 percent.",
        stated="91 percent",
        stated_sentence=WRITTEN.action,
        source="story",
    )


def test_an_earlier_telling_is_held_against_it_as_well() -> None:
    earlier = Source("r1", "We gave the bank 40 training sessions on ticket routing.")
    later = "The bank got 60 training sessions on ticket routing."
    assert told(later) == []
    found = contradictions([(2, later)], (SOURCE, earlier), STORY)
    assert [(one.said, one.source) for one in found] == [("60", "r1")]


def test_the_same_contradiction_is_told_once() -> None:
    text = "We measured a routing accuracy of 94 percent. Yes, a routing accuracy of 94 percent."
    assert len(told(text, SOURCE, Source("r1", STORY.text))) == 1


def test_a_role_is_only_compared_where_one_was_written() -> None:
    bare = Source("story", "We built it.")
    assert told("I was the product manager.", bare) == []


def test_a_name_inside_another_word_is_not_said() -> None:
    assert told("Contosonian habits are another matter.") == []


def test_a_text_of_nothing_but_numbers_is_read_up_to_a_bound() -> None:
    flood = " ".join(f"{n} support agents routed." for n in range(4_000))
    found = contradictions([(2, flood)], (SOURCE, Source("r1", flood)), STORY)
    assert len(found) <= 3 * MOST
