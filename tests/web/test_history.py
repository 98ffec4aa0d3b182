"""The history and the playback as HTML: what is found, what is shown, what is kept."""

import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from typing import Any, cast

import pytest

from interviewer.events import ToolCalled, ToolReturned
from interviewer.store import EventStore
from tests.browser.hostile import HOSTILE
from tests.web.reading import text_of
from tests.web.scored import ROUND, App, answered, application, asked, scored_events, started
from web.views.playback import playback_of


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


class Elements(HTMLParser):
    """Notes what no page may hold: scripts and styles of its own, and handlers."""

    def __init__(self) -> None:
        super().__init__()
        self.harmful: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        names = {name for name, _ in attrs}
        own = tag in ("style", "svg", "img") or (tag == "script" and "src" not in names)
        if own or "style" in names or any(name.startswith("on") for name in names):
            self.harmful.append(f"{tag} {attrs}")


def listed(app: App, query: str) -> list[str]:
    """The ids of the rounds on the page, in order."""
    html = app.client.get(f"/rounds?{query}").text
    return re.findall(r'<li>\s*<a href="/rounds/(\w+)', html)


def test_words_find_the_round_and_lead_to_the_turn(app: App) -> None:
    app.add(*scored_events(), round_id="a" * 16)
    app.add(started(), asked(), answered("Nothing of it."), round_id="b" * 16)
    html = app.client.get("/rounds?q=weights").text
    assert listed(app, "q=weights") == ["a" * 16]
    assert f'href="/rounds/{"a" * 16}/playback#turn-2"' in html
    assert "<mark>weights</mark>" in html


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("card=INF-001", 2),
        ("card=FDE-01", 0),
        ("level=2", 1),
        ("part=claim&level=3&scorer=rule%2F5", 1),
        ("mode=typed", 2),
        ("mode=drill", 0),
        ("marked=yes", 0),
        ("since=2026-11-29&until=2026-11-29", 2),
        ("until=2026-11-28", 0),
        ("theme=no+such+theme", 0),
    ],
)
def test_every_filter_is_in_the_address(app: App, query: str, count: int) -> None:
    app.add(*scored_events(), round_id="a" * 16)
    app.add(started(), asked(), round_id="b" * 16)
    assert len(listed(app, query)) == count


def test_a_theme_and_a_company_stand_for_their_cards(app: App) -> None:
    app.add(*scored_events(), round_id="a" * 16)
    card = app.client.get("/questions/INF-001").text
    theme = re.findall(r"theme=([^\"]+)\"", card)[0]
    assert len(listed(app, f"theme={theme}")) == 1


@pytest.mark.parametrize(
    ("query", "remedy"),
    [
        ("level=9", "9: choose one of 1, 2, 3, 4"),
        ("part=charm", "charm: choose one of claim, number, tradeoff, nextstep"),
        ("mode=sung", "sung: choose one of typed, spoken, drill"),
        ("since=today", "today: give a day as 2026-11-29"),
        ("until=2026-13-01", "2026-13-01: give a day as 2026-11-29"),
    ],
)
def test_a_filter_that_cannot_be_understood_says_what_to_write(
    app: App, query: str, remedy: str
) -> None:
    app.add(*scored_events())
    answer = app.client.get(f"/rounds?{query}")
    assert answer.status_code == 200
    assert remedy in text_of(answer.text)
    assert 'aria-invalid="true"' in answer.text


def test_the_next_page_keeps_the_filters(app: App) -> None:
    for number in range(30):
        app.add(*scored_events(), round_id=f"{number:016x}")
    html = app.client.get("/rounds?q=weights&level=2").text
    (older,) = re.findall(r'href="\?([^"]+)">Older', html)
    assert len(listed(app, unescape(older))) == 5


def test_a_bookmark_and_a_note_stay_with_their_turn_and_can_be_found(app: App) -> None:
    path = app.add(*scored_events())
    form = {"bookmarked": "yes", "note": "say where the\r\nnumber comes from"}
    answer = app.client.post(f"{path}/turns/2", data=form)
    assert (answer.status_code, answer.headers["location"]) == (303, f"{path}/playback#turn-2")
    html = app.client.get(f"{path}/playback").text
    assert "bookmarked" in html
    assert "say where the\nnumber comes from" in html
    assert len(listed(app, "marked=yes")) == len(listed(app, "q=comes")) == 1
    app.client.post(f"{path}/turns/2", data={"note": ""})
    assert listed(app, "marked=yes") == []


def test_the_same_mark_twice_is_recorded_once(app: App) -> None:
    path = app.add(*scored_events())
    for _ in range(2):
        app.client.post(f"{path}/turns/2", data={"bookmarked": "yes"})
    events = app.client.get(f"/api{path}/events").json()["events"]
    assert [item["event"]["type"] for item in events].count("TurnMarked") == 1


def test_a_note_that_is_too_long_comes_back_whole_with_the_limit_named(app: App) -> None:
    path = app.add(*scored_events())
    answer = app.client.post(f"{path}/turns/2", data={"note": "x" * 2001})
    assert answer.status_code == 413
    assert "x" * 2001 in answer.text
    assert "2,000" in answer.text


def test_a_turn_that_is_not_there_is_a_404(app: App) -> None:
    path = app.add(*scored_events())
    for turn in ("0", "3", "9" * 30):
        assert app.client.post(f"{path}/turns/{turn}", data={"note": "x"}).status_code == 404


def test_the_playback_marks_evidence_and_lays_tool_calls_open(app: App) -> None:
    call = ToolCalled(call="c", tool="decode_roofline", arguments='{"gpu": "H200"}')
    result = {"value": 14.58, "unit": "ms", "formula": "70 / 4.8", "source": "roofline"}
    back = ToolReturned(call="c", ok=True, result=result)
    first, *rest = scored_events()
    path = app.add(first, call, back, *rest)
    html = app.client.get(f"{path}/playback").text
    assert '<details class="plain" open><summary>decode_roofline: 14.58 ms</summary>' in html
    assert "/tools/decode_roofline?gpu=H200" in html
    assert re.findall(r'<mark class="[^"]*quote[^"]*"[^>]*>([^<]+)</mark>', html)


def test_a_recording_that_is_kept_stands_beside_its_turn(app: App) -> None:
    app.add(*scored_events())
    assert app.client.portal is not None
    viva = cast(Any, app.client.app).state.viva
    session = app.client.portal.call(viva.rounds.open, ROUND)
    with_sound = [moment for moment in playback_of(session, {"c1"}).moments if moment.sound]
    assert [(moment.kind, moment.sound) for moment in with_sound] == [("candidate", "c1")]
    assert not any(moment.sound for moment in playback_of(session).moments)


def test_a_tool_call_that_failed_says_why(app: App) -> None:
    call = ToolCalled(call="c", tool="nothing", arguments="[" * 50_000)
    path = app.add(started(), call, ToolReturned(call="c", ok=False, result={"error": "no tool"}))
    assert "no tool" in text_of(app.client.get(f"{path}/playback").text)


@pytest.mark.parametrize("words", HOSTILE.values(), ids=HOSTILE)
def test_hostile_words_and_notes_render_as_text(app: App, words: str) -> None:
    path = app.add(started(), asked(), answered(words[:500].replace("\0", "")))
    app.client.post(f"{path}/turns/2", data={"note": words[:500]})
    for page in (f"{path}/playback", "/rounds"):
        read = Elements()
        read.feed(app.client.get(page, params={"q": words[:190]}).text)
        assert read.harmful == []
