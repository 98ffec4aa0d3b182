"""The model answers of the hardest questions, read aloud by a synthesiser, fit into their limit."""

import pytest

from evals.voice.voices import Espeak
from interviewer.heard import SAMPLE_RATE
from questions.library import load
from questions.model import QuestionCard

LISTS = ("anthropic", "openai", "kv-cache", "hard", "fde")
RANK = {"hard": 0, "medium": 1, "easy": 2}
EACH = 10
WORDS_PER_MINUTE = 150


def hardest(name: str) -> list[QuestionCard]:
    """The first ten cards of a list, the hardest first."""
    asked = [
        card
        for card in load().cards
        if name in card.asked_by.lists or (name == "fde" and card.id.startswith("FDE-"))
    ]
    return sorted(asked, key=lambda card: (RANK[card.difficulty], card.id))[:EACH]


@pytest.fixture(scope="module")
def reader() -> Espeak:
    return Espeak("en-us", WORDS_PER_MINUTE)


@pytest.mark.parametrize("name", LISTS)
def test_the_ten_hardest_answers_of_a_list_are_said_within_their_limit(
    name: str, reader: Espeak
) -> None:
    cards = hardest(name)
    seconds = {card.id: len(reader.say(card.model_answer)) / SAMPLE_RATE for card in cards}
    assert len(seconds) == EACH
    assert {c.id: seconds[c.id] for c in cards if seconds[c.id] > c.limit_s} == {}
