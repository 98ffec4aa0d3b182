"""Text of candidates, models and cards is data: on every page it is shown and does nothing."""

from collections.abc import Iterator
from html import unescape
from typing import Any

import pytest

from interviewer.events import Figure, InterviewerSpoke, ModelFailed, StatementDropped
from interviewer.store import EventStore
from interviewer.visible import visible
from questions.library import Library
from rubrics.scorecard import Part, RedFlag
from tests.browser.hostile import HOSTILE
from tests.web.rig import CARD, LIBRARY
from tests.web.scored import (
    App,
    answered,
    application,
    asked,
    score,
    scored_events,
    started,
)

LIVE = ("<script>document", "<img", "<svg", 'onerror="', "<h1>owned", "<base", "\x1b", "\u202e")


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def harmless(html: str) -> None:
    assert [sign for sign in LIVE if sign in html] == []
    assert "\x00" not in html


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_fault_39_what_a_candidate_says_is_shown_as_said(app: App, text: str) -> None:
    path = app.add(started(), asked(), answered(text))
    html = app.client.get(path).text
    harmless(html)
    assert visible(text) in unescape(html)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_fault_39_what_a_model_says_is_shown_as_said(app: App, text: str) -> None:
    figure = Figure(start=0, end=2, said=text[:2], origin="tool", ref="c1", label=text, value=text)
    figure = figure.model_copy(update={"tool": text, "formula": text, "source": text})
    figure = figure.model_copy(update={"arguments": {text: text}})
    spoke = InterviewerSpoke(
        text=text, purpose="probe", speaker=text, limit_s=60, figures=(figure,)
    )
    dropped = StatementDropped(text=text, quantity=text, retried=True)
    failed = ModelFailed(role="interviewer", kind="server", message=text)
    path = app.add(started(interviewer=text, title=text, question=text), spoke, dropped, failed)
    answer = app.client.get(path)
    assert answer.status_code == 200
    harmless(answer.text)
    for page in ("/", "/rounds"):
        harmless(app.client.get(page).text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_fault_39_what_a_judge_says_is_shown_as_said(app: App, text: str) -> None:
    changes: dict[str, Any] = {
        "scores": tuple(score(part, 2, reason=text, improve=text) for part in Part),
        "say_instead": text,
        "note": text,
        "scorer": text,
        "red_flags": (RedFlag(flag=text, why=text),),
    }
    path = app.add(*scored_events(**changes))
    harmless(app.client.get(f"{path}/scorecard").text)


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_fault_39_a_hostile_card_loads_nothing_and_runs_nothing(
    store: EventStore, text: str
) -> None:
    card = LIBRARY.get(CARD).model_copy(
        update={"question": text, "title": text, "tests": text, "model_answer": text, "theme": text}
    )
    with application(store, Library({card.id: card})) as app:
        path = app.add(*scored_events())
        for page in ("/", "/questions", f"/questions/{CARD}", f"{path}/scorecard"):
            html = app.client.get(page).text
            harmless(html)
            assert 'href="javascript' not in html


def test_fault_39_an_image_in_a_model_answer_is_not_loaded(store: EventStore) -> None:
    card = LIBRARY.get(CARD).model_copy(
        update={"model_answer": "![x](https://evil.example/p.png) <img src=//evil.example/p>"}
    )
    with application(store, Library({card.id: card})) as app:
        assert "<img" not in app.client.get(f"/questions/{CARD}").text
