"""What every card that comes with Viva must hold, beyond the rules for all cards."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from questions.library import CARDS, MAX_BYTES, load
from questions.model import QuestionCard
from tests.questions.shingles import digest, runs, unpack

GOLDEN = Path(__file__).parents[1] / "golden"
SEEDS = unpack((GOLDEN / "seed-shingles.bin").read_bytes())
WORDED = json.loads((GOLDEN / "prompts.json").read_text()).keys()
"""The cards whose question is asked in words that the lists give."""
PATHS = sorted(CARDS.glob("*.md"))
LIBRARY = load()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_no_run_of_eight_words_is_taken_from_the_source_texts(path: Path) -> None:
    text, given = path.read_text(encoding="utf-8"), frozenset[str]()
    if path.stem in WORDED:  # the lists order these words, wherever else they stand
        given = frozenset(runs(LIBRARY.get(path.stem).question))
    assert [run for run in runs(text) if digest(run) in SEEDS and run not in given] == []


def test_every_card_is_under_a_quarter_of_what_a_file_may_hold() -> None:
    assert {path.name for path in PATHS if path.stat().st_size >= MAX_BYTES / 4} == set()


def test_a_given_question_excuses_only_its_own_words() -> None:
    given = {card: frozenset(runs(LIBRARY.get(card).question)) for card in WORDED}
    assert {card for card in WORDED if any(digest(run) in SEEDS for run in given[card])} == {
        "INF-020"
    }


def test_the_set_of_hashed_runs_is_that_of_the_source_texts() -> None:
    assert digest("decode reads every weight once per token the") in SEEDS
    assert digest("no source text has this run of words") not in SEEDS


def words(card: QuestionCard) -> frozenset[str]:
    return frozenset(card.question.lower().split())


def test_no_two_questions_are_near_duplicates() -> None:
    for one, other in combinations(LIBRARY.cards, 2):
        both, either = words(one) & words(other), words(one) | words(other)
        assert len(both) / len(either) < 0.6, (one.id, other.id)


def texts(card: QuestionCard) -> Iterator[str]:
    yield card.model_answer
    yield card.short_answer


@pytest.mark.parametrize("card", LIBRARY.cards, ids=lambda card: card.id)
def test_no_model_answer_raises_a_red_flag_of_its_own_card(card: QuestionCard) -> None:
    answers = " ".join(texts(card)).lower()
    phrases = [phrase for rule in card.red_flags for phrase in rule.phrases]
    assert [phrase for phrase in phrases if phrase in answers] == []


@pytest.mark.parametrize("card", LIBRARY.cards, ids=lambda card: card.id)
def test_the_model_answer_shows_each_of_its_key_points(card: QuestionCard) -> None:
    answer = card.model_answer.lower()
    for part in type(card.key_points).model_fields:
        for point in getattr(card.key_points, part):
            assert any(cue in answer for cue in point.cues), f"{part}: {point.point}"


OFTEN = 0.15
_TOO_SHORT = frozenset({"the", "a", "an", "i", "it", "in"})
"""First words that open sentences of every kind."""


def openings(part: int) -> Counter[str]:
    """How many model answers open this part (0 the claim) with a word, and with two."""
    found: Counter[str] = Counter()
    for card in LIBRARY.cards:
        first, second, *_ = re.findall(r"[\w'’]+", card.model_answer.split("\n\n")[part].lower())
        found.update({f"{first} {second}", first} - _TOO_SHORT)
    return found


@pytest.mark.parametrize("part", range(4))
def test_no_opening_of_a_part_is_used_again_and_again(part: int) -> None:
    most = OFTEN * len(LIBRARY.cards)
    assert {words: count for words, count in openings(part).items() if count > most} == {}
