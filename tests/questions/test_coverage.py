"""The bank covers every row of the question lists, in the words in which they are asked."""

import json
from hashlib import sha256
from pathlib import Path

import pytest

from questions.library import load

GOLDEN = Path(__file__).parents[1] / "golden"
LIBRARY = load()
HOOKS = json.loads((GOLDEN / "hook_tools.json").read_text())
ROWS = [*(f"FDE-{number:02}" for number in range(1, 34)), "FDE-AI", "FDE-ROLE", "FDE-WHY"]
PROMPTS = json.loads((GOLDEN / "prompts.json").read_text())
BEHAVIOURAL = {
    *("BEH-OWNERSHIP", "BEH-CONFLICT", "BEH-FAIL", "BEH-PRIORITY", "BEH-SLIP", "BEH-ROADMAP"),
    *("BEH-CALM", "BEH-ACCESS", "BEH-NO", "BEH-AMBIGUITY", "BEH-MENTOR", "BEH-ETHICS"),
    *("BEH-COMPANY", "BEH-ROLE"),
}


def digest(question: str) -> str:
    return sha256(" ".join(question.split()).encode()).hexdigest()[:16]


def test_every_row_of_the_lists_has_a_card() -> None:
    covered = {hook for card in LIBRARY.cards for hook in card.hooks}
    assert (len(HOOKS), len(ROWS)) == (163, 36)
    assert {*HOOKS, *ROWS} - covered == set()


def test_the_behavioural_questions_are_there() -> None:
    assert set(LIBRARY.by_id) >= BEHAVIOURAL
    assert len(LIBRARY.cards) >= 163 + 36 + 14


@pytest.mark.parametrize("card", sorted(PROMPTS))
def test_a_worded_question_is_asked_in_its_words(card: str) -> None:
    assert digest(LIBRARY.get(card).question) == PROMPTS[card]


def test_every_technical_question_says_who_asks_it_or_that_nobody_is_known_to() -> None:
    said = {card.id: card.asked_by.corroboration for card in LIBRARY.cards}
    assert [card for card, words in said.items() if len(words) < 20] == []
