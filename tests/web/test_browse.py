"""The list of questions: every filter of its address, and what the person's rounds add to it."""

import re
from collections.abc import Iterator

import pytest

from interviewer.store import EventStore
from questions.model import QuestionCard
from rubrics.scorecard import Part
from tests.web.rig import CARD, LIBRARY
from tests.web.scored import App, application, score, scored_events, started


@pytest.fixture
def app(store: EventStore) -> Iterator[App]:
    with application(store) as made:
        yield made


def shown(app: App, **query: str) -> set[str]:
    html = app.client.get("/questions", params=query).text
    return set(re.findall(r'<li>\s*<a href="/questions/([^"]+)"', html))


def expected(**alike: str) -> set[str]:
    """The ids of the cards with these fields, straight from the library."""
    return {c.id for c in LIBRARY.cards if all(getattr(c, k) == v for k, v in alike.items())}


@pytest.mark.parametrize("field", ["theme", "kind", "round", "difficulty"])
def test_each_field_of_a_card_is_a_filter(app: App, field: str) -> None:
    value = getattr(LIBRARY.get(CARD), field)
    assert shown(app, **{field: value}) == expected(**{field: value})


def asked_by(card: QuestionCard, kind: str) -> tuple[str, ...]:
    return card.asked_by.companies if kind == "company" else card.asked_by.lists


@pytest.mark.parametrize("kind", ["company", "list"])
def test_who_asks_and_where_it_was_found_are_filters(app: App, kind: str) -> None:
    value = next(name for card in LIBRARY.cards for name in asked_by(card, kind))
    fits = {card.id for card in LIBRARY.cards if value in asked_by(card, kind)}
    assert shown(app, **{kind: value}) == fits


def test_filters_hold_together(app: App) -> None:
    card = LIBRARY.get(CARD)
    both = shown(app, theme=card.theme, difficulty=card.difficulty)
    assert both == expected(theme=card.theme, difficulty=card.difficulty)


def test_words_are_looked_for_in_all_that_a_card_says(app: App) -> None:
    word = max(LIBRARY.get(CARD).model_answer.split(), key=len).strip(".,")
    assert CARD in shown(app, q=word)
    assert shown(app, q="zebra-crossing") == set()


def test_a_practised_question_is_told_from_one_that_was_not(app: App) -> None:
    app.add(started())
    assert shown(app, practised="yes") == {CARD}
    assert CARD not in shown(app, practised="no")


def test_a_weak_part_is_the_newest_level_with_the_scorer_that_gave_it(app: App) -> None:
    app.add(*scored_events(), round_id="a" * 16)
    html = app.client.get("/questions?weak=tradeoff").text
    assert shown(app, weak="tradeoff") == {CARD}
    assert "weak: trade-off 1 by rule/5" in html
    assert shown(app, weak="claim") == set()
    better = tuple(score(part, 3) for part in Part)
    app.add(*scored_events(scores=better), round_id="b" * 16)
    assert shown(app, weak="any") == set()


def test_a_filter_in_force_can_be_taken_away(app: App) -> None:
    html = app.client.get("/questions?kind=coding&q=a").text
    assert re.findall(r'Kind: coding <a href="\?q=a">', html)
