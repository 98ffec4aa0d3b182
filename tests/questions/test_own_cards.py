"""Own cards are held to the same rules when Viva starts, their facts included."""

from pathlib import Path

import pytest

from interviewer.assembly import load_cards
from interviewer.errors import ConfigError
from interviewer.grounding.facts import compute_facts
from interviewer.settings import Settings
from questions.library import load
from tests.questions.conftest import WriteCard

COMPUTED = '    tool: calculate\n    arguments: {expression: "600 / 2"}'


def test_own_cards_join_those_that_come_with_viva(write_card: WriteCard, folder: Path) -> None:
    write_card()
    library = load_cards(Settings(cards=(folder,)))
    assert {"MY-001", "INF-010"} <= set(library.by_id)


def test_viva_does_not_start_with_an_invalid_own_card(write_card: WriteCard, folder: Path) -> None:
    path = write_card(("difficulty: easy", "difficulty: trivial"))
    with pytest.raises(ConfigError, match=rf"{path.name}:\d+: difficulty: 'trivial'"):
        load_cards(Settings(cards=(folder,)))


def test_what_the_template_computes_is_right(write_card: WriteCard, folder: Path) -> None:
    write_card()
    facts = compute_facts(load(folder).get("MY-001"))
    computed = {fact.fact.id: fact.value for fact in facts if fact.fact.tool}
    assert computed == {"read-time": 100, "half": 300, "half-time": 50}


@pytest.mark.parametrize(
    ("computed", "remedy"),
    [
        ("    tool: kv_cash", "'kv_cash' is no tool"),
        ("    tool: kv_cache\n    arguments: {model: Llama-3.3-70B, tokenz: 1}", "tokenz"),
        (
            "    tool: kv_cache\n    arguments: {model: Phi-4}\n    field: measures.gb.value",
            "leads nowhere at 'gb'",
        ),
    ],
)
def test_viva_does_not_start_with_a_fact_that_cannot_be_computed(
    computed: str, remedy: str, write_card: WriteCard, folder: Path
) -> None:
    write_card((COMPUTED, computed))
    with pytest.raises(ConfigError, match="card MY-001, fact half") as caught:
        load_cards(Settings(cards=(folder,)))
    assert remedy in str(caught.value)
