"""The pages as HTML: what they hold, what they must never hold, and the forms behind them."""

import re
from collections.abc import Iterator

import pytest

from interviewer.store import EventStore
from interviewer.utterance import LONGEST
from tests.web.rig import CARD
from tests.web.scored import App, answered, application, asked, scored_events, started

PATHS = (
    "/",
    "/questions",
    f"/questions/{CARD}",
    "/drills",
    "/due",
    "/loops",
    "/stories",
    "/stories/new",
    "/rounds",
    "/operator",
    "/tools",
    "/tools/decode_roofline",
)
FORM = {"client_id": "k1", "act": "say", "text": "said once"}


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


@pytest.fixture
def room(app: App) -> str:
    """The path of a round that waits for an answer."""
    return app.add(started(), asked())


def test_no_page_holds_an_inline_script_style_or_handler(app: App) -> None:
    path = app.add(*scored_events())
    for page in (*PATHS, path, f"{path}/scorecard", f"{path}/playback", "/nope"):
        html = app.client.get(page).text
        assert re.findall(r"<script(?![^>]*\bsrc=)|<style|\sstyle=|<[^>]*\son[a-z]+=", html) == []


def test_no_page_names_another_host(app: App) -> None:
    path = app.add(*scored_events())
    for page in (*PATHS, path, f"{path}/scorecard", f"{path}/playback"):
        html = app.client.get(page).text
        assert re.findall(r'(?:src|action|srcset)="(?:https?:)?//[^"]*"|<link[^>]*//', html) == []


def test_every_address_stays_below_the_sub_path(store: EventStore) -> None:
    with application(store, root_path="/viva") as app:
        path = app.add(*scored_events())
        for page in (*PATHS, path, f"{path}/scorecard", f"{path}/playback"):
            html = app.client.get(f"/viva{page}").text
            own = re.findall(r'(?:href|src|action|data-tools|data-scorecard)="(/[^"]*)"', html)
            assert own
            assert [url for url in own if not url.startswith("/viva/")] == []


def test_a_round_started_below_a_sub_path_leads_to_that_path(store: EventStore) -> None:
    with application(store, root_path="/viva") as app:
        answer = app.client.post("/viva/rounds", data={"card": CARD})
        assert answer.headers["location"].startswith("/viva/rounds/")


def test_home_offers_a_question_that_was_not_tried_yet(app: App) -> None:
    first = re.findall(r'name="card" value="([^"]+)"', app.client.get("/").text)[0]
    app.client.post("/rounds", data={"card": first})
    second = re.findall(r'name="card" value="([^"]+)"', app.client.get("/").text)[0]
    assert second != first


def test_home_names_what_to_drill_after_a_scored_round(app: App) -> None:
    app.add(*scored_events())
    html = app.client.get("/").text
    assert "Drill the weakest part: trade-off" in html
    assert "Overall 2 of 4, borderline" in html


def test_the_filters_are_in_the_address(app: App) -> None:
    html = app.client.get("/questions?theme=inference&q=kv").text
    assert "What is the KV cache" in html
    assert "CTO" not in html


def test_an_unknown_card_is_a_404_page(app: App) -> None:
    answer = app.client.get("/questions/NOPE")
    assert answer.status_code == 404
    assert "There is nothing here" in answer.text


def test_starting_a_round_on_an_unknown_card_is_a_404_page(app: App) -> None:
    assert app.client.post("/rounds", data={"card": "NOPE"}).status_code == 404


def test_a_drill_of_an_unknown_part_is_refused(app: App) -> None:
    answer = app.client.post("/rounds", data={"card": CARD, "part": "charm"})
    assert answer.status_code == 422


def test_fault_01_a_form_sent_twice_is_recorded_once(app: App, room: str) -> None:
    for _ in range(2):
        assert app.client.post(room, data=FORM).status_code == 303
    assert app.client.get(room).text.count("said once") == 1


def test_fault_02_a_form_id_with_another_text_is_a_conflict(app: App, room: str) -> None:
    app.client.post(room, data=FORM)
    answer = app.client.post(room, data={**FORM, "text": "said otherwise"})
    assert answer.status_code == 409
    assert "said otherwise" in answer.text


def test_too_long_an_answer_comes_back_whole_with_the_limit_named(app: App, room: str) -> None:
    text = "x" * (LONGEST + 1)
    answer = app.client.post(room, data={**FORM, "text": text})
    assert answer.status_code == 413
    assert text in answer.text
    assert "20,000" in answer.text


def test_line_ends_of_a_form_are_those_that_were_typed(app: App, room: str) -> None:
    app.client.post(room, data={**FORM, "text": "one\r\ntwo"})
    assert "one\ntwo" in app.client.get(room).text


def test_a_blank_answer_is_not_sent(app: App, room: str) -> None:
    app.client.post(room, data={**FORM, "text": "  \r\n "})
    assert "Your turn." in app.client.get(room).text


def test_an_answer_over_time_is_marked_as_over(app: App) -> None:
    room = app.add(started(), asked(), answered(over_s=12.4))
    assert "12 s over time" in app.client.get(room).text


def test_the_scorecard_of_an_open_round_leads_to_the_round(app: App, room: str) -> None:
    answer = app.client.get(f"{room}/scorecard")
    assert (answer.status_code, answer.headers["location"]) == (303, room)


def test_a_page_knows_the_cursor_at_which_the_socket_takes_over(app: App, room: str) -> None:
    html = app.client.get(room).text
    assert 'data-after="2" data-at="2026-11-29T15:00:00+00:00"' in html


def test_older_rounds_are_on_the_next_page(app: App) -> None:
    for number in range(26):
        app.add(started(), round_id=f"{number:016x}")
    html = app.client.get("/rounds").text
    assert html.count('<a href="/rounds/') == 25
    assert app.client.get("/rounds?page=2").text.count('<a href="/rounds/') == 1


def test_a_number_too_large_in_an_address_is_no_server_error(app: App) -> None:
    assert app.client.get(f"/rounds?page={'9' * 30}").status_code < 500


def test_home_stands_where_the_card_of_the_last_round_is_gone(app: App) -> None:
    app.add(started(card="GONE"), asked())
    assert app.client.get("/").status_code == 200
    assert app.client.get("/rounds").status_code == 200


def test_a_static_file_is_kept_by_the_browser_and_renamed_when_it_changes(app: App) -> None:
    style = re.findall(r'href="(/static/[0-9a-f]{12}/css/style\.css)"', app.client.get("/").text)[0]
    answer = app.client.get(style)
    assert answer.status_code == 200
    assert "immutable" in answer.headers["cache-control"]


def test_what_the_card_gives_is_at_hand_in_the_round(app: App, room: str) -> None:
    assert "What is given" in app.client.get(room).text


@pytest.mark.parametrize("path", ["/questions", "/rounds", "/tools"])
def test_the_navigation_leads_to_pages(app: App, path: str) -> None:
    assert f'<a href="{path}">' in app.client.get("/").text
    assert app.client.get(path).headers["content-type"].startswith("text/html")
