"""The page of drills, the forms that start them, and what their rounds and scorecards show."""

import re
from collections.abc import Iterator

import pytest

from interviewer.events import RoundEnded, RoundScored
from interviewer.reckoning.draw import pool_of
from interviewer.store import EventStore
from tests.web.rig import LIBRARY
from tests.web.scored import App, answered, application, asked, scorecard, started

EARLIER, LATER = "0123456789abcdef", "fedcba9876543210"


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def test_every_drill_can_be_chosen_without_a_card(app: App) -> None:
    html = app.client.get("/drills").text
    assert re.findall(r'name="drill" value="(\w+)"', html) == [
        "claim",
        "number",
        "tradeoff",
        "nextstep",
        "followups",
        "sixty",
        "curveball",
    ]


def test_a_card_shows_only_the_drills_that_it_offers(app: App) -> None:
    html = app.client.get("/drills?card=BEH-COMPANY&drill=sixty").text
    assert 'value="number"' not in html
    assert re.search(r'value="sixty" checked', html)


def test_an_unknown_card_or_drill_in_the_address_is_no_fault(app: App) -> None:
    assert app.client.get("/drills?card=<b>&drill=<i>").status_code == 200


def test_a_drill_without_a_card_takes_one_that_offers_it(app: App) -> None:
    answer = app.client.post("/drills", data={"drill": "curveball"})
    assert answer.status_code == 303
    view = app.client.get(f"/api{answer.headers['location']}").json()
    assert view["drill"] == "curveball"


def test_a_drill_that_the_card_does_not_offer_is_refused_with_what_it_offers(app: App) -> None:
    answer = app.client.post("/drills", data={"drill": "number", "card": "BEH-COMPANY"})
    assert answer.status_code == 422
    assert "it offers claim" in answer.text


def test_an_unknown_drill_is_refused(app: App) -> None:
    assert app.client.post("/drills", data={"drill": "charm"}).status_code == 422


def test_a_number_drill_shows_no_scenario_of_the_card(app: App) -> None:
    path = app.add(
        started(drill="number", part="number", pool=("kv-token",), question="Ten numbers."), asked()
    )
    html = app.client.get(path).text
    assert "What is given" not in html
    assert "drill: Numbers, rapid fire" in html


def test_a_number_drill_left_early_says_why_it_has_no_level(app: App) -> None:
    at = app.client.post("/drills", data={"drill": "number"}).headers["location"]
    app.client.post(at, data={"client_id": "a", "act": "say", "text": "42"})
    app.client.post(at, data={"client_id": "f", "act": "finish"})
    html = app.client.get(f"{at}/scorecard").text
    assert "Not assessed: fewer than 5 numbers were asked and answered</h1>" in html


def test_the_scorecard_leads_to_the_same_question_again(app: App) -> None:
    app.add(
        started(),
        asked(),
        answered(),
        RoundEnded(reason="left"),
        RoundScored(scorecard=scorecard()),
    )
    html = app.client.get(f"/rounds/{EARLIER}/scorecard").text
    form = dict(
        re.findall(
            r'name="(\w+)" value="([^"]*)"', html.split('action="/drills"')[1].split("</form>")[0]
        )
    )
    answer = app.client.post("/drills", data={**form, "drill": "again"})
    view = app.client.get(f"/api{answer.headers['location']}").json()
    assert (view["drill"], view["part"]) == ("again", "tradeoff")


def test_a_part_said_again_shows_its_level_before_and_now(app: App) -> None:
    scored = RoundScored(scorecard=scorecard())
    app.add(started(), asked(), answered(), RoundEnded(reason="left"), scored)
    again = started(drill="again", part="tradeoff", after=EARLIER)
    path = app.add(again, asked(), answered(), RoundEnded(reason="left"), scored, round_id=LATER)
    html = app.client.get(f"{path}/scorecard").text
    assert re.search(r"Trade-off: \d before, \d now", html)
    assert "drill: Say it again, better: trade-off" in html


def test_levels_of_two_scorers_are_never_set_beside_each_other(app: App) -> None:
    card = scorecard()
    app.add(started(), asked(), answered(), RoundEnded(reason="left"), RoundScored(scorecard=card))
    judged = RoundScored(scorecard=card.model_copy(update={"scorer": "judge/other"}))
    again = started(drill="again", part="tradeoff", after=EARLIER)
    path = app.add(again, asked(), answered(), RoundEnded(reason="left"), judged, round_id=LATER)
    assert " before, " not in app.client.get(f"{path}/scorecard").text


def test_say_it_again_without_an_earlier_round_is_refused(app: App) -> None:
    answer = app.client.post("/drills", data={"drill": "again", "card": "INF-001"})
    assert answer.status_code == 422
    assert "name a scored round" in answer.text


def test_a_follow_up_that_came_is_shown_with_what_a_good_reply_contains(app: App) -> None:
    probed = asked().model_copy(update={"purpose": "probe", "probe": "where-is-two"})
    card = scorecard()
    path = app.add(
        started(card="INF-010"),
        asked(),
        answered(),
        probed,
        answered(),
        RoundEnded(reason="left"),
        RoundScored(scorecard=card),
    )
    assert "one K and one V vector per KV head" in app.client.get(f"{path}/scorecard").text


def test_a_number_drill_without_a_card_takes_one_with_many_kinds_of_numbers(app: App) -> None:
    at = app.client.post("/drills", data={"drill": "number"}).headers["location"]
    card = app.client.get(f"/api{at}").json()["card"]
    assert len(pool_of(LIBRARY.get(card))) >= 8
