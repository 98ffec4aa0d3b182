"""What a person is shown of a recognised answer before it is sent."""

import pytest

from interviewer.heard import Heard, HeardWord
from interviewer.voice.repair import repair
from interviewer.voice.review import Review, moved, review_of
from questions.library import load

CARD = load().get("INF-010")


def heard(text: str, *doubtful: str) -> Heard:
    """A word each half second."""
    return Heard(
        text=text,
        words=tuple(
            HeardWord(
                text=word,
                start=n / 2,
                end=n / 2 + 0.4,
                confidence=0.1 if word in doubtful else 0.9,
            )
            for n, word in enumerate(text.split())
        ),
        seconds=len(text.split()) / 2,
    )


def marked(review: Review, kind: str) -> list[str]:
    return [review.text[mark.start : mark.end] for mark in review.marks if mark.kind == kind]


def test_numbers_terms_and_doubtful_words_are_marked_and_fillers_are_not() -> None:
    said = "Um, the KV cache takes 54.7 GB. So we fit twenty uses."
    review = review_of(heard(said, "Um,", "uses."), CARD)
    assert marked(review, "number") == ["54.7 GB", "twenty"]
    assert "KV" in marked(review, "term")
    assert "GB" not in marked(review, "term")
    assert marked(review, "doubtful") == ["uses."]


def test_a_restored_unit_is_marked_with_its_reason_and_later_marks_move_with_it() -> None:
    said = "It is 320 KV bytes per token. Then I watch the cash."
    review = review_of(heard(said, "cash."), CARD)
    assert "320 KiB per token" in review.text
    assert marked(review, "restored") == ["KiB"]
    assert marked(review, "doubtful") == ["cash."]
    assert all(mark.note for mark in review.marks if mark.kind == "restored")


def test_sentences_have_the_times_of_their_words() -> None:
    review = review_of(heard("One two three. Four five."), CARD)
    assert [review.text[s.start : s.end] for s in review.sentences] == [
        "One two three.",
        "Four five.",
    ]
    assert [(s.from_s, s.to_s) for s in review.sentences] == [(0, 1.4), (1.5, 2.4)]


def test_without_word_times_a_sentence_plays_the_whole() -> None:
    review = review_of(Heard(text="One two. Three.", seconds=9), CARD)
    assert {(s.from_s, s.to_s) for s in review.sentences} == {(0, 9)}


def test_nothing_heard_is_nothing_to_check() -> None:
    assert review_of(Heard(seconds=3), CARD) == Review("", (), (), 3)


@pytest.mark.parametrize("at", range(52))
def test_every_place_moves_to_where_its_letter_went(at: int) -> None:
    text = "It is 320 KV bytes per token. Then I watch the cash."
    repaired = repair(text, CARD)
    place = moved(at, repaired)
    assert repaired.text[place] == text[at] or repaired.text[place] in "KiB"
