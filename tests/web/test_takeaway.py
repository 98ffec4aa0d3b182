"""A page as one file: it needs no server, leads nowhere into this Viva, and says the same."""

import re
from collections.abc import Iterator

import pytest

from interviewer.store import EventStore
from tests.web.scored import QUOTE, App, application, asked, scored_events, started
from web.takeaway import self_contained


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def test_a_scorecard_is_sent_as_one_file_without_anything_to_load(app: App) -> None:
    path = app.add(*scored_events())
    answer = app.client.get(f"{path}/export.html")
    assert "attachment" in answer.headers["content-disposition"]
    html = answer.text
    assert QUOTE in html
    assert html.count("<style>") >= 3
    assert not re.search(r"<(script|link|form|button|nav|audio|img)\b", html)
    assert not re.search(r"""(href|src|action)=["'](?!#|https?://)""", html)


def test_the_marks_of_the_transcript_are_still_led_to(app: App) -> None:
    html = app.client.get(f"{app.add(*scored_events())}/export.html").text
    targets = set(re.findall(r'href="#([^"]+)"', html)) - {"main"}
    assert targets
    assert targets <= set(re.findall(r'id="([^"]+)"', html))


def test_a_round_without_a_scorecard_is_no_file(app: App) -> None:
    path = app.add(started(), asked())
    assert app.client.get(f"{path}/export.html").status_code == 303


def test_progress_is_sent_as_one_file_with_its_tables_and_plots(app: App) -> None:
    app.add(*scored_events())
    html = app.client.get("/progress/export.html").text
    assert "<table>" in html
    assert "<svg" in html
    assert not re.search(r"<(script|link|form|button|nav)\b", html)
    assert not re.search(r"""(href|src|action)=["'](?!#|https?://)""", html)
    assert 'class="button' in app.client.get("/progress").text
    assert 'class="button' not in html


def test_what_the_candidate_said_stays_text() -> None:
    page = "<!doctype html><p>&lt;script&gt;alert(1)&lt;/script&gt; &amp; more</p>"
    assert self_contained(page) == page


def test_what_stands_inside_a_left_out_part_goes_with_it() -> None:
    page = '<p>a</p><div class="screen-only"><p>b<br><input></p></div><form><p>c</p></form><p>d</p>'
    assert self_contained(page) == "<p>a</p><p>d</p>"


def test_a_link_to_a_source_stays_and_one_to_a_page_of_viva_leads_nowhere() -> None:
    page = '<a href="https://arxiv.org/abs/1">paper</a> <a class="x" href="/questions/A">card</a>'
    assert self_contained(page) == (
        '<a href="https://arxiv.org/abs/1">paper</a> <a class="x">card</a>'
    )
