"""What is due on the home page and on its own, and the person's own rating."""

import re
from collections.abc import Iterator
from datetime import timedelta

import pytest

from interviewer.events import RoundEnded, RoundScored
from interviewer.store import EventStore
from tests.web.scored import AT, App, answered, application, asked, scorecard, started

ROUND = "0123456789abcdef"


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    """Two days after a round whose trade-off was weak."""
    with application(store) as made:
        made.client.app.state.viva.rounds.now = lambda: AT + timedelta(days=2)  # type: ignore[attr-defined]
        scored = RoundScored(scorecard=scorecard())
        made.add(started(), asked(), answered(), RoundEnded(reason="left"), scored)
        yield made


def due(html: str) -> list[str]:
    return re.findall(r'name="(?:drill|part)" value="(\w+)">Drill it', html)


def test_home_shows_what_is_due(app: App) -> None:
    html = app.client.get("/").text
    assert "Due today" in html
    assert "tradeoff" in due(html)


def test_nothing_is_due_before_its_day(app: App) -> None:
    app.client.app.state.viva.rounds.now = lambda: AT  # type: ignore[attr-defined]
    assert "Due today" not in app.client.get("/").text
    html = app.client.get("/due").text
    assert "Nothing is due." in html
    assert "tradeoff" in due(html.partition("Later")[2])


def test_what_is_due_starts_the_drill_of_its_part(app: App) -> None:
    html = app.client.get("/due").text
    form = re.search(r'action="(/\w+)">\s*<input[^>]*value="([^"]+)">\s*<button name="drill"', html)
    assert form is not None
    answer = app.client.post(form[1], data={"card": form[2], "drill": "tradeoff"})
    view = app.client.get(f"/api{answer.headers['location']}").json()
    assert (view["card"], view["drill"]) == (form[2], "tradeoff")


def test_the_persons_own_rating_is_taken(app: App) -> None:
    sent = {"round": ROUND, "part": "tradeoff", "rating": "4"}
    answer = app.client.post("/due", data=sent)
    assert answer.status_code == 303
    html = app.client.get(answer.headers["location"]).text
    assert "trade-off: it was solid whenever it came, and does not come back." in html
    assert "tradeoff" not in due(app.client.get("/due").text)


@pytest.mark.parametrize(
    ("fields", "status"),
    [
        ({"round": "nope", "part": "tradeoff", "rating": "1"}, 404),
        ({"round": ROUND, "part": "charm", "rating": "1"}, 422),
        ({"round": ROUND, "part": "tradeoff", "rating": "9"}, 422),
    ],
)
def test_a_rating_that_fits_nothing_is_refused(
    app: App, fields: dict[str, str], status: int
) -> None:
    assert app.client.post("/due", data=fields).status_code == status


def test_a_long_list_comes_in_pages_and_a_correction_stays_on_its_page(app: App) -> None:
    """Thirty cards with a weak trade-off each are more than one page of 25."""
    cards = list(app.client.app.state.viva.library.by_id)[:30]  # type: ignore[attr-defined]
    for number, card in enumerate(cards):
        scored = RoundScored(scorecard=scorecard().model_copy(update={"card": card}))
        begun = started().model_copy(update={"card": card})
        app.add(begun, asked(), answered(), scored, round_id=f"{number + 1:016x}")
    for _ in range(2):
        app.client.get("/due")
    pages = [app.client.get(f"/due?page={number}").text for number in (1, 2, 99)]
    assert len(due(pages[0])) == 25
    assert 'href="?page=2">Later' in pages[0]
    last = re.search(r"Page (\d+) of (\d+)", pages[2])
    assert last is not None
    assert last[1] == last[2]
    form = re.search(r'action="(/due[^"]*)" class="row"><input[^>]*value="(\w+)"', pages[1])
    assert form is not None
    sent = {"round": form[2], "part": "tradeoff", "rating": "1"}
    answer = app.client.post(form[1], data=sent)
    assert answer.headers["location"].startswith("/due?page=2&rated=")
    assert "trade-off: rated again, comes back" in app.client.get(answer.headers["location"]).text


def test_a_page_that_is_no_number_is_refused(app: App) -> None:
    assert app.client.get("/due?page=0").status_code == 422


@pytest.mark.parametrize("rated", ["", "x", "INF-001 charm", "<b> claim"])
def test_an_address_of_ones_own_making_says_nothing_harmful(app: App, rated: str) -> None:
    html = app.client.get("/due", params={"rated": rated}).text
    assert "<b>" not in html
    assert "charm" not in html
