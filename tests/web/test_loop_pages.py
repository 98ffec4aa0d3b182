"""Companies' loops as pages: what is published, how one goes on, and its summary."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

from interviewer.events import RoundScored
from interviewer.store import EventStore
from tests.web.scored import App, application, scorecard


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def begin(app: App, loop: str = "intuit") -> str:
    """The path of a loop that was begun."""
    answer = app.client.post("/loops", data={"loop": loop})
    assert answer.status_code == 303
    return str(answer.headers["location"])


def go(app: App, path: str) -> str:
    return str(app.client.post(path, data={"act": "go"}).headers["location"])


def finish(app: App, path: str) -> None:
    app.client.post(path, data={"client_id": "f", "act": "finish"})


def buttons(html: str) -> list[str]:
    return re.findall(r'value="(?:go|leave)">([^<]+)<', html)


def test_the_page_tells_published_loops_from_the_composite_with_their_sources(app: App) -> None:
    html = app.client.get("/loops").text
    published = html.partition('id="loop-sierra"')[2].partition("</section>")[0]
    assert "as published" in published
    assert "Sierra&#39;s post of 22 April 2026, read 2026-10-07" in published
    composite = html.partition('id="loop-prep-sites"')[2]
    assert "a composite, not published" in composite


def test_a_loop_waits_until_it_is_gone_on_with(app: App) -> None:
    path = begin(app)
    assert buttons(app.client.get(path).text)[0] == "Begin: All stages of the timetable"


def test_going_on_starts_a_round_that_leads_back(app: App) -> None:
    path = begin(app)
    round_path = go(app, path)
    html = app.client.get(round_path).text
    assert f'href="{path}">Go on with the loop' in html


def test_going_on_twice_is_the_same_round(app: App) -> None:
    path = begin(app)
    assert go(app, path) == go(app, path)
    assert buttons(app.client.get(path).text)[0] == "Go on with the question at hand"


def test_a_loop_goes_through_its_questions_to_its_summary(app: App) -> None:
    path = begin(app)
    rounds, last = [], []
    while "/rounds/" in (at := go(app, path)):
        rounds.append(at)
        finish(app, at)
        last = buttons(app.client.get(path).text)
    assert last == ["End the loop and read the summary"]
    assert (len(set(rounds)), at) == (4, path)
    html = app.client.get(path).text
    assert buttons(html) == []
    assert "This loop is finished." in html
    assert html.count("not assessed") == 4


def test_a_loop_that_is_left_is_summed_up(app: App) -> None:
    path = begin(app)
    go(app, path)
    app.client.post(path, data={"act": "leave"})
    assert "You left this loop." in app.client.get(path).text
    assert go(app, path) == path


def test_a_break_comes_between_two_stages(app: App) -> None:
    path = begin(app, "openai")
    finish(app, go(app, path))
    html = app.client.get(path).text
    assert "Done: Introductory calls. Take a break" in html
    assert buttons(html)[0] == "Begin: Skills-based assessment"
    assert "not practised here" in html


def test_a_stage_whose_time_is_up_asks_no_more(app: App) -> None:
    path = begin(app, "palantir")
    finish(app, go(app, path))
    rounds = app.client.app.state.viva.rounds  # type: ignore[attr-defined]
    now = rounds.now
    rounds.now = lambda: now() + timedelta(minutes=91)
    assert "The time of this stage is up: Phone interviews." in app.client.get(path).text


def test_levels_of_two_scorers_are_never_put_together(app: App) -> None:
    path = begin(app)
    for n, scorer in enumerate(("rule/5", "judge/x")):
        round_path = go(app, path)
        finish(app, round_path)
        card = scorecard().model_copy(update={"scorer": scorer})
        session_id = round_path.rpartition("/")[2]
        head = app.client.get(f"/api{round_path}").json()["head"]
        store = app.store
        assert app.client.portal is not None
        app.client.portal.call(store.append, session_id, head + 1, RoundScored(scorecard=card))
        assert n < 2
    app.client.post(path, data={"act": "leave"})
    app.client.app.state.viva.rounds._open.clear()  # type: ignore[attr-defined]
    html = app.client.get(path).text
    assert "1 round with the technical rubric, scored by rule/5" in html
    assert "1 round with the technical rubric, scored by judge/x" in html


@pytest.mark.parametrize("path", ["/loops/ffffffffffffffff", "/loops/0123456789abcdef"])
def test_an_unknown_loop_is_a_404_page(app: App, path: str) -> None:
    assert app.client.get(path).status_code == 404


def test_an_unknown_company_is_refused_with_the_known_ones(app: App) -> None:
    answer = app.client.post("/loops", data={"loop": "acme"})
    assert answer.status_code == 404


def test_begun_loops_are_listed(app: App) -> None:
    path = begin(app)
    assert f'href="{path}"' in app.client.get("/loops").text


def test_the_stage_at_hand_says_until_when_its_time_lasts(app: App) -> None:
    path = begin(app, "palantir")
    go(app, path)
    assert re.search(r"time until \d\d:\d\d UTC", app.client.get(path).text)
