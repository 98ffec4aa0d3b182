"""The scorecard page: its rows, its marks, and what it says where nothing was assessed."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from interviewer.events import RoundEnded
from interviewer.store import EventStore
from rubrics.scorecard import Part, RedFlag
from tests.scorecards import all_parts
from tests.web.rig import CARD, LIBRARY
from tests.web.scored import (
    QUOTE,
    App,
    answered,
    application,
    asked,
    evidence,
    number,
    score,
    scorecard,
    scored_events,
    started,
)


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def page(app: App, **changes: Any) -> str:
    path = app.add(*scored_events(**changes))
    answer = app.client.get(f"{path}/scorecard")
    assert answer.status_code == 200
    return answer.text


def test_what_to_fix_first_is_the_headline(app: App) -> None:
    assert "<h1>Fix first: trade-off</h1>" in page(app)


def test_each_part_shows_its_level_and_its_anchor(app: App) -> None:
    html = page(app)
    assert len(re.findall(r"<article class=\"part", html)) == 4
    assert "No trade-off is named" in html


def test_a_quote_leads_to_its_mark_in_the_transcript(app: App) -> None:
    html = page(app)
    assert 'href="#quote-claim-0"' in html
    assert 'id="quote-claim-0"' in html
    transcript = html[html.index('class="transcript"') :]
    marked = re.findall(r"<mark[^>]*>([^<]*)</mark>", transcript)
    assert QUOTE in "".join(marked)


def test_no_id_stands_twice_on_the_page(app: App) -> None:
    ids = re.findall(r'\bid="([^"]+)"', page(app))
    assert sorted(ids) == sorted(set(ids))


def test_a_part_that_was_not_assessed_shows_no_level(app: App) -> None:
    html = page(app)
    row = html[html.index('aria-labelledby="part-nextstep"') :]
    assert "Not assessed." in row[:600]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("timeout", "did not answer in time"),
        ("refused", "declined to answer"),
        ("parse_failed", "could not be read"),
        ("error", "the judge failed"),
    ],
)
def test_a_failed_judge_is_named_and_never_a_level(app: App, state: str, words: str) -> None:
    scores = tuple(score(part, None, state=state, reason="") for part in Part)
    html = page(app, scores=scores, overall=None)
    assert html.count(words) == 4
    assert "<h1>Not assessed</h1>" in html


def test_a_number_that_is_off_shows_the_right_value_and_its_tool_call(app: App) -> None:
    html = page(app)
    assert "off by a known slip" in html
    assert "140 GB" in html
    assert "/tools/decode_roofline?gpu=H200&amp;weights_gb=70" in html


def test_spans_that_overlap_or_leave_the_text_break_nothing(app: App) -> None:
    scores = (
        score(Part.CLAIM, 3, evidence=(evidence(), evidence("70 GB of", 23), evidence("x", 9999))),
        *scorecard().scores[1:],
    )
    numbers = (number("70 GB", "right", "70 GB"), number("14.6 ms", "wrong", "1 ms", end=9999))
    html = page(app, scores=scores, numbers=numbers)
    transcript = html[html.index('class="transcript"') :]
    text = re.sub(r"<[^>]+>", "", transcript)
    assert "because 70 GB of weights are read. Next I would measure it." in text


def test_all_outstanding_is_said_and_nothing_is_to_be_fixed(app: App) -> None:
    html = page(app, scores=tuple(score(part, 4) for part in Part), overall=4)
    assert "All four parts are outstanding" in html
    assert "Fix first" not in html


def test_scorer_and_rubric_are_named_in_the_small_print(app: App) -> None:
    html = page(app)
    assert "Scored by rule/5" in html
    assert "0000000000000000" in html


def test_a_changed_rubric_or_card_is_said(app: App) -> None:
    html = page(app)
    assert "The rubric has changed since" in html
    assert "The card has changed since" in html


def test_a_round_without_a_scorecard_yet_looks_again_by_itself(app: App) -> None:
    path = app.add(started(), asked(), answered(), RoundEnded(reason="finished"))
    html = app.client.get(f"{path}/scorecard").text
    if "Fix first" not in html:
        assert 'http-equiv="refresh"' in html


def test_wrong_numbers_come_first_and_unchecked_ones_in_one_line(app: App) -> None:
    numbers = (
        number("14.6 ms", "unchecked", ""),
        number("70 GB", "right", "70 GB"),
        number("14.6 ms", "wrong", "29 ms"),
    )
    html = page(app, numbers=numbers)
    listed = html[html.index("Your numbers, recomputed") : html.index("Red flags")]
    assert re.findall(r'href="#(number-\d)"', listed) == ["number-2", "number-1", "number-0"]


def test_a_doubted_number_is_told_from_one_that_was_recomputed(app: App) -> None:
    numbers = (
        number("70 GB", "right", "70 GB"),
        number("14.6 ms", "doubted", "", reason="That is one GPU, not <b>eight</b>."),
    )
    html = page(app, numbers=numbers)
    listed = html[html.index("Your numbers, recomputed") : html.index("Red flags")]
    assert re.findall(r'href="#(number-\d)"', listed) == ["number-1", "number-0"]
    assert "doubted by the judge" in listed
    assert "not &lt;b&gt;eight&lt;/b&gt;." in listed


def test_unchecked_numbers_stand_by_what_is_known_of_them(app: App) -> None:
    numbers = (
        number("14.6 ms", "unchecked", ""),
        number("70 GB", "unchecked", "", reason="as given with the question"),
    )
    html = page(app, numbers=numbers)
    given, rest = html.index("As given with the question"), html.index("Not checked, because")
    assert given < html.index("#number-1", given) < rest < html.index("#number-0", given)


def test_an_invented_story_is_not_given_to_say(app: App) -> None:
    html = page(app, rubric="behavioural")
    assert "How it can sound, in an invented story" in html
    assert "What to say instead" not in html


def test_what_was_asked_of_the_interviewer_stands_in_the_transcript_only(app: App) -> None:
    first, opened, answer, *rest = scored_events()
    aside = answered("Which card is it?", client_id="c0")
    again = asked("Once more: How fast?").model_copy(update={"purpose": "repeat"})
    path = app.add(first, opened, aside, again, answer, *rest)
    html = app.client.get(f"{path}/scorecard").text
    beside, transcript = html.index("Beside the model answer"), html.index('class="transcript"')
    assert "Which card is it?" not in html[beside:transcript]
    assert "Which card is it?" in re.sub(r"<[^>]+>", "", html[transcript:])


def test_a_red_flag_is_named_at_the_top_with_what_it_does(app: App) -> None:
    html = page(app)
    head = html[: html.index("What to say instead")]
    assert ">Red flag</a>: Invented source. A red flag takes one level off the overall" in head


def test_several_red_flags_are_counted_and_closed_with_one_full_stop_each(app: App) -> None:
    html = page(app, red_flags=(RedFlag(flag="Invents a source."), RedFlag(flag="Guesses")))
    assert ">2 red flags</a>: Invents a source. Guesses. A red flag" in html


def test_what_is_quoted_at_level_1_is_not_passed_off_as_the_part(app: App) -> None:
    html = page(app, scores=all_parts(score(Part.CLAIM, 1), score(Part.NUMBER, 2)))
    assert html.count("The nearest to it in your words:") == 1


def test_a_checked_number_says_which_figure_of_the_card_it_was_compared_with(app: App) -> None:
    fact = LIBRARY.get(CARD).facts[0]
    html = page(app, numbers=(number("14.6 ms", "right", "14.58 ms", fact=fact.id),))
    assert f"<dt>What</dt><dd>{fact.label}</dd>" in html


@pytest.mark.parametrize(
    ("formula", "name"),
    [
        ("70 GB / 4.8 TB/s = 14.58 ms", "Formula"),
        ("141 GB x 0.92 = 129.7 GB", "Formula of the main result"),
    ],
)
def test_a_formula_that_ends_in_another_result_is_called_that_of_the_main_one(
    app: App, formula: str, name: str
) -> None:
    html = page(app, numbers=(number("14.6 ms", "right", "14.58 ms", formula=formula),))
    assert f"<dt>{name}</dt><dd><pre>{formula}</pre></dd>" in html


def test_the_reason_of_a_number_is_a_sentence(app: App) -> None:
    html = page(app, numbers=(number("14.6 ms", "slip", "7 ms", reason="off by a factor of 2"),))
    assert "<p>Off by a factor of 2.</p>" in html
