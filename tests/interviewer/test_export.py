"""A round as Markdown that renders as it was said, and as JSON that rebuilds the round."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from interviewer.events import Event, Recorded
from interviewer.export import as_json, as_markdown, escaped
from interviewer.heard import Heard
from interviewer.round import replay
from interviewer.visible import visible
from tests.browser.hostile import HOSTILE
from tests.web.scored import ANSWER, answered, asked, scored_events, started

AT = datetime(2026, 11, 29, 15, 0, tzinfo=UTC)
MARKDOWN = MarkdownIt("commonmark", {"html": True}).enable("table")


def logged(events: Sequence[Event]) -> list[Recorded]:
    return [
        Recorded(seq=n, at=AT + timedelta(seconds=n), event=event)
        for n, event in enumerate(events, 1)
    ]


def text_of(markdown: str) -> str:
    """The text that a Markdown reader sees; fails on anything that is not text."""
    words = []
    for token in MARKDOWN.parse(markdown):
        for part in token.children or [token]:
            assert part.type in ALLOWED, f"{part.type}: {part.content!r}"
            words.append("\n" if part.type in ("softbreak", "hardbreak") else part.content)
    return "".join(words)


ALLOWED = {
    *("paragraph_open", "paragraph_close", "blockquote_open", "blockquote_close"),
    *("text", "text_special", "softbreak", "hardbreak", "inline"),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_fault_39_hostile_text_stays_text_in_markdown(text: str) -> None:
    assert _squeezed(text_of(escaped(text))) == _squeezed(visible(text))


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_fault_39_any_text_stays_text_in_markdown(text: str) -> None:
    assert _squeezed(text_of(escaped(text))) == _squeezed(visible(text))


def _squeezed(text: str) -> str:
    return "".join(text.split())


def test_markdown_shows_levels_quotes_numbers_and_who_scored() -> None:
    text = as_markdown("r1", logged(scored_events()))
    for words in ("### Trade-off: 1 of 4", "not assessed", "70 GB: slip, it is 140 GB", "rule/5"):
        assert words in text


def test_markdown_closes_a_red_flag_before_it_says_why() -> None:
    text = as_markdown("r1", logged(scored_events()))
    assert "- Invented source. It cannot be checked." in text


def test_markdown_of_an_open_round_is_its_transcript() -> None:
    text = as_markdown("r1", logged((started(), asked(), answered())))
    assert "**2. You**" in text
    assert "Scorecard" not in text


def test_markdown_of_a_corrected_answer_shows_it_as_heard_too() -> None:
    spoken = answered(heard=Heard(text="It is 14.6 miles."), mode="spoken")
    text = as_markdown("r1", logged((started(), asked(), spoken)))
    assert "14.6 ms" in text
    assert "14.6 miles." in text
    same = answered(heard=Heard(text=ANSWER), mode="spoken")
    assert "As heard" not in as_markdown("r1", logged((started(), asked(), same)))


def test_json_rebuilds_the_round_from_its_events() -> None:
    log = logged(scored_events())
    document = json.loads(as_json("r1", log))
    events = [Recorded.model_validate(event) for event in document["events"]]
    assert replay(events) == replay(log)


def test_json_holds_what_was_said_to_the_letter() -> None:
    hostile = "".join(HOSTILE.values())
    document = json.loads(as_json("r1", logged((started(), asked(), answered(hostile)))))
    assert document["transcript"][1]["text"] == hostile
    assert document["format"] == "viva-round/1"


def test_visible_text_keeps_every_offset() -> None:
    for text in HOSTILE.values():
        assert len(visible(text)) == len(text)
    assert visible(ANSWER) == ANSWER


def test_visible_text_moves_no_cursor_and_turns_no_line() -> None:
    shown = visible("".join(map(chr, range(0x300))) + "\u202e\u2066\ud800")
    assert not any(ord(sign) < 0x20 and sign not in "\n\t" for sign in shown)
    assert not any(0x7F <= ord(sign) < 0xA0 or ord(sign) in (0x202E, 0xD800) for sign in shown)


def test_a_line_that_a_separator_begins_is_guarded_too() -> None:
    assert escaped("so\u2028- a\u20291. b") == "so\u2028\\- a\u20291\\. b"


def test_empty_lines_stay_as_many_as_they_were() -> None:
    assert escaped("a\n\n\n\n\n- b") == "a\n\n\n\n\n\\- b"
