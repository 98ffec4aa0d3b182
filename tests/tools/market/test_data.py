"""The dated facts, loops, questions and capital are whole, and no index passes for a count."""

from datetime import date

import pytest
from pydantic import ValidationError

from tools.market.capital import capital
from tools.market.facts import Fact, facts
from tools.market.loops import loops
from tools.market.questions import questions

FACTS = {fact.id: fact for fact in facts().facts}


def test_every_fact_has_a_day_a_definition_and_someone_who_says_it() -> None:
    assert len(FACTS) == len(facts().facts)
    for fact in FACTS.values():
        assert date.fromisoformat(fact.as_of) <= date(2026, 10, 7)
        assert fact.definition
        assert fact.by


def test_an_index_cannot_be_given_as_a_number_of_postings() -> None:
    index = FACTS["indeed-2026"].model_dump() | {"unit": "postings"}
    with pytest.raises(ValidationError, match="index points"):
        Fact.model_validate(index)


def test_the_indices_say_their_base_and_that_they_count_nothing() -> None:
    indices = [fact for fact in FACTS.values() if fact.kind == "index"]
    assert [fact.value for fact in indices] == [643, 5330]
    assert all("= 100" in fact.definition and fact.caution for fact in indices)


def test_our_own_arithmetic_follows_from_the_facts_it_names() -> None:
    assert FACTS["monthly-2026"].value == round(FACTS["lightcast-2026"].value / 7)
    assert FACTS["year-2026"].value == round(5200 / 7 * 12, -2)
    assert FACTS["plank-pay-stated"].value == round(388 / 1333 * 100, 1)
    assert FACTS["travel-weeks-low"].value == 46 * 0.25


def test_the_capital_sums_to_forresters_estimate() -> None:
    entries = capital().entries
    assert sum(entry.usd_billion for entry in entries) == FACTS["forrester"].value
    assert [entry.day for entry in entries] == sorted(entry.day for entry in entries)
    assert all(entry.doubt for entry in entries if entry.basis == "reported")


def test_only_the_composite_is_not_published() -> None:
    composite = [loop.company for loop in loops().loops if loop.kind == "composite"]
    assert composite == ["Prep sites"]


def test_the_minutes_of_a_loop_are_those_that_are_stated() -> None:
    stated = {loop.id: loop.stated_minutes for loop in loops().loops}
    assert stated["openai"] == (240, 360)
    assert stated["palantir"] == (20, 90)
    assert stated["intuit"] == (255, 285)
    assert stated["snap"] is None


def test_the_map_holds_33_questions_in_seven_themes_and_the_sources_sums() -> None:
    data = questions()
    assert [q.number for q in data.questions] == list(range(1, 34))
    assert len(data.themes) == 7
    assert {q.theme for q in data.questions} == {theme.name for theme in data.themes}
    assert data.near_verbatim + data.same_scenario + data.no_match == 33


def test_three_questions_have_no_interview_source() -> None:
    assert [q.number for q in questions().questions if q.match == "no_source"] == [15, 21, 30]
