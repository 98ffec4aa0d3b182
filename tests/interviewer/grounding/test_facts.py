"""Facts are what the tools say."""

import pytest

from interviewer.grounding.facts import InvalidFact, compute_facts
from questions.model import Fact
from tests.interviewer.grounding.board import CATALOG, FLOOR, SHARE, card


def test_a_fact_is_its_tools_value_in_the_facts_unit() -> None:
    floor, _ = compute_facts(card(), CATALOG)
    assert floor.value == pytest.approx(14.583, rel=1e-4)
    assert floor.shown == "14.58 ms"
    assert floor.base == pytest.approx(0.014583, rel=1e-4)


def test_a_sourced_fact_keeps_its_value_and_source() -> None:
    (share,) = compute_facts(card(SHARE), CATALOG)
    assert (share.shown, share.source, share.result) == ("92%", "vLLM's default", None)


def test_what_a_card_sets_is_told_as_assumed_for_its_question() -> None:
    own = SHARE.model_copy(update={"source": "set by this card, an estimate"})
    (share,) = compute_facts(card(own), CATALOG)
    assert share.source == "assumed for this question, an estimate"


def test_a_field_may_lead_into_the_measures() -> None:
    deep = FLOOR.model_copy(
        update={"field": "measures.speed.value", "unit": "tokens/s", "scale": 1}
    )
    (speed,) = compute_facts(card(deep), CATALOG)
    assert speed.shown == "68.57 tokens/s"


@pytest.mark.parametrize(
    ("change", "field", "remedy"),
    [
        ({"tool": "abacus"}, "tool", "known: weight_read"),
        ({"arguments": {"gigabytes": -1}}, "arguments.gigabytes", "positive"),
        ({"field": "measures.flour.value"}, "field", "there is: floor, speed"),
        ({"field": "formula"}, "field", "not a number"),
        ({"tool": None}, "value", "name a tool or a value"),
    ],
)
def test_a_fact_that_cannot_be_computed_names_card_fact_and_field(
    change: dict[str, object], field: str, remedy: str
) -> None:
    broken: Fact = FLOOR.model_copy(update=change)
    with pytest.raises(InvalidFact, match=remedy) as caught:
        compute_facts(card(broken), CATALOG)
    assert (caught.value.card, caught.value.fact, caught.value.field) == ("T-01", "floor", field)


def test_the_bundled_cards_facts_are_kept_by_hash() -> None:
    from questions.library import load

    bundled = load().get("INF-010")
    assert compute_facts(bundled) is compute_facts(bundled)
