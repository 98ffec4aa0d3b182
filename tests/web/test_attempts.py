"""Attempts at one card side by side, by one scorer with one rubric only."""

from collections.abc import Iterator
from datetime import timedelta
from functools import partial

import pytest

from interviewer.events import Event, RoundScored
from interviewer.store import EventStore
from rubrics.scorecard import Level, Part
from tests.web.reading import text_of
from tests.web.rig import CARD
from tests.web.scored import (
    AT,
    App,
    answered,
    application,
    asked,
    score,
    scorecard,
    scored_events,
    started,
)

PAGE = f"/questions/{CARD}/attempts"


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def add(app: App, day: int, *levels: Level, scorer: str = "rule/5", rubric_hash: str = "r1") -> str:
    scores = tuple(score(part, level) for part, level in zip(Part, levels, strict=True))
    card = scorecard(scores=scores, scorer=scorer, rubric_hash=rubric_hash)
    return write(app, day, *scored_events(card))


def write(app: App, day: int, *events: Event) -> str:
    round_id = f"{day:016x}"
    assert app.client.portal is not None
    app.client.portal.call(
        partial(app.store.append, round_id, 1, *events, at=AT + timedelta(days=day))
    )
    return round_id


def test_without_any_attempt_the_page_says_what_to_do(app: App) -> None:
    html = app.client.get(PAGE).text
    assert "No whole round on this question has been scored yet" in html
    assert ">Start a round</button>" in html


def test_one_attempt_is_listed_and_nothing_is_compared(app: App) -> None:
    add(app, 1, 2, 2, 2, 2)
    html = app.client.get(PAGE).text
    assert "One attempt so far" in html
    assert "Side by side" not in html


def test_the_first_and_the_newest_are_compared_part_by_part(app: App) -> None:
    add(app, 1, 1, 2, 2, 1)
    add(app, 2, 2, 2, 2, 2)
    add(app, 3, 3, 4, 3, 1)
    text = text_of(app.client.get(PAGE).text)
    assert "Attempt 1: 30 November 2026" in text
    assert "Attempt 3: 2 December 2026" in text
    assert "0 of 1 at first, 1 of 2 of late: +50 points" in text
    assert "too few to tell" in text


def test_two_attempts_are_chosen_in_the_address(app: App) -> None:
    first, second, _ = (add(app, day, 1, 2, 3, 4) for day in (1, 2, 3))
    text = text_of(app.client.get(f"{PAGE}?a={first}&b={second}").text)
    assert "Attempt 2: 1 December 2026" in text
    assert app.client.get(f"{PAGE}?a=ffff").status_code == 404


def test_levels_of_another_scorer_or_rubric_are_never_among_them(app: App) -> None:
    add(app, 1, 1, 1, 1, 1)
    add(app, 2, 1, 1, 1, 1)
    other = add(app, 3, 4, 4, 4, 4, scorer="judge/m")
    older = add(app, 4, 4, 4, 4, 4, rubric_hash="r0")
    html = app.client.get(PAGE).text
    assert other not in html.split("Every attempt")[1]
    assert older not in html.split("Every attempt")[1]
    judged = app.client.get(f"{PAGE}?by=judge/m+r1").text
    assert other in judged
    assert "One attempt so far is scored by judge/m" in judged
    assert app.client.get(f"{PAGE}?by=nobody").status_code == 404


def test_a_drill_is_no_attempt(app: App) -> None:
    write(app, 1, started(part="claim"), *scored_events()[1:])
    assert "No whole round" in app.client.get(PAGE).text


def test_a_round_scored_again_is_one_attempt(app: App) -> None:
    verdict = RoundScored(scorecard=scorecard())
    write(app, 1, started(), asked(), answered(), *scored_events()[3:], verdict)
    assert "One attempt so far" in app.client.get(PAGE).text
