"""What may be said, and what it rests on."""

from datetime import UTC, datetime

import pytest

from interviewer.events import (
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    Recorded,
    RoundStarted,
    ToolCalled,
    ToolReturned,
)
from interviewer.grounding.facts import compute_facts
from interviewer.grounding.ledger import Ledger, ledger_for
from interviewer.round import replay
from questions.library import load
from questions.model import QuestionCard
from tests.interviewer.grounding.board import CATALOG, WeightRead, card

CARD = card()
LEDGER = Ledger.of(CARD, compute_facts(CARD, CATALOG))


def rests_on(text: str, ledger: Ledger = LEDGER) -> list[str]:
    grounding = ledger.ground(text)
    assert grounding.ungrounded == ()
    return [f"{figure.origin} {figure.ref}" for figure in grounding.figures]


@pytest.mark.parametrize(
    "said",
    ["14.6 ms", "14.58 milliseconds", "about 15 ms", "fourteen point six milliseconds", "0.0146 s"],
)
def test_a_fact_grounds_whatever_it_rounds_to(said: str) -> None:
    assert rests_on(f"The floor is {said} a step.") == ["fact floor"]


@pytest.mark.parametrize(
    "said", ["14.7 ms", "16 ms", "14.6 s", "14.6 GB", "69.5 tokens/s", "43 users"]
)
def test_a_number_that_nothing_rounds_to_is_ungrounded(said: str) -> None:
    (quantity,) = LEDGER.ground(f"The answer is {said}.").ungrounded
    assert quantity.text == said


def test_about_allows_one_percent() -> None:
    assert LEDGER.ground("exactly 14.50 ms").ungrounded
    assert rests_on("roughly 14.50 ms") == ["fact floor"]


def test_a_figure_carries_the_tool_call_and_its_span() -> None:
    text = "You said 14.6 ms."
    (figure,) = LEDGER.ground(text).figures
    assert text[figure.start : figure.end] == figure.said == "14.6 ms"
    assert (figure.tool, figure.arguments) == ("weight_read", {"gigabytes": 70})
    assert (figure.value, figure.label, figure.source) == ("14.58 ms", "decode floor", "data sheet")
    assert figure.formula.startswith("70 GB / 4.8 TB/s")


def test_what_the_card_says_may_be_said() -> None:
    text = "You have 3 minutes for one 70B model, 2 GPUs, 141 GB and 8K of context at 40 users."
    assert set(rests_on(text)) == {"card card"}


def test_small_counting_words_need_no_ground() -> None:
    text = "One question on two of the parts, in three sentences; one user, half of it."
    assert LEDGER.ground(text) == Ledger().ground("Nothing.")


@pytest.mark.parametrize("said", ["5 of them", "three gigabytes", "four users", "thirteen", "30%"])
def test_digits_and_units_need_a_ground(said: str) -> None:
    assert len(Ledger().ground(f"So {said}?").ungrounded) == 1


def test_a_percentage_and_its_fraction_are_the_same() -> None:
    assert rests_on("a utilization of 0.92, or 92 percent") == ["fact share", "fact share"]


def test_the_candidates_own_number_may_be_repeated() -> None:
    ledger = LEDGER.with_candidate(2, "so i'd say fifty four point seven gigs for forty users")
    assert rests_on("Why 54.7 GB, and why 40 users?", ledger)[0] == "candidate 2"


def test_a_tool_result_grounds_from_then_on() -> None:
    text = "With 140 GB it takes 29 ms."
    assert len(LEDGER.ground(text).ungrounded) == 2
    grown = LEDGER.with_result("call-1", WeightRead().call({"gigabytes": 140}))
    assert rests_on(text, grown) == ["tool call-1", "tool call-1"]


def test_a_rounds_log_yields_its_ledger() -> None:
    result = WeightRead().call({"gigabytes": 35}).model_dump()
    events: list[Event] = [
        RoundStarted(
            card="T-01",
            card_hash="",
            title="",
            question="",
            kind="technical",
            rubric="technical",
            limit_s=180,
            interviewer="card",
        ),
        InterviewerSpoke(text="?", purpose="question", speaker="card", limit_s=60),
        CandidateSpoke(client_id="a", text="I would take 17 replicas."),
        ToolCalled(call="c1", tool="weight_read", arguments="{}"),
        ToolReturned(call="c1", ok=True, result=result),
        ToolCalled(call="c2", tool="weight_read", arguments="{}"),
        ToolReturned(call="c2", ok=False, result={"error": "gigabytes=99: too many"}),
    ]
    at = datetime(2026, 1, 1, tzinfo=UTC)
    state = replay(Recorded(seq=n, at=at, event=event) for n, event in enumerate(events, start=1))
    ledger = ledger_for(state, CARD, compute_facts(CARD, CATALOG))
    assert rests_on("17 replicas at 7.3 ms", ledger) == ["candidate 2", "tool c1"]
    assert ledger.ground("99 replicas").ungrounded


def test_what_is_added_stands_on_the_cards_own_ledger_and_is_tried_after_it() -> None:
    grown = LEDGER.with_candidate(2, "14.6 ms for 17 replicas").with_candidate(4, "17 replicas")
    assert grown.below is not None
    assert grown.below.below is LEDGER
    assert rests_on("14.6 ms for 17 replicas", grown) == ["fact floor", "candidate 2"]


@pytest.mark.parametrize("bundled", load().cards, ids=lambda bundled: bundled.id)
def test_every_question_and_probe_of_the_bundled_cards_is_grounded(bundled: QuestionCard) -> None:
    ledger = Ledger.of(bundled, compute_facts(bundled))
    for probe in bundled.probes:
        assert ledger.ground(probe.ask).ungrounded == ()
    assert ledger.ground(bundled.question).ungrounded == ()
