"""What every card that comes with Viva must hold, beyond the rules for all cards."""

from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import pytest

from questions.library import CARDS, load
from questions.model import QuestionCard
from tests.questions.shingles import digest, runs, unpack

GOLDEN = Path(__file__).parents[1] / "golden"
SEEDS = unpack((GOLDEN / "seed-shingles.bin").read_bytes())
PATHS = sorted(CARDS.glob("*.md"))
LIBRARY = load()


@pytest.mark.parametrize("path", PATHS, ids=lambda path: path.stem)
def test_no_run_of_eight_words_is_taken_from_the_source_texts(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert [run for run in runs(text) if digest(run) in SEEDS] == []


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
