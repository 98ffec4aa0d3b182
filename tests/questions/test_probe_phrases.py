"""A follow-up on what was said is asked for what people say, and not for something else."""

import pytest

from interviewer.interviewers.choice import says
from questions.checks import walk
from questions.library import load
from questions.model import QuestionCard

CARDS = load().cards
EVERYWHERE = 0.2
"""Of the answers to questions of the other kind; above this, a phrase says nothing of its own."""
each_card = pytest.mark.parametrize("card", CARDS, ids=lambda card: card.id)


def triggers(card: QuestionCard) -> dict[str, tuple[str, ...]]:
    """The phrases of each first follow-up that answers to what was said."""
    return {probe.id: probe.when.said for probe in card.probes if probe.when.said}


def others(card: QuestionCard) -> list[str]:
    """The model answers of the other kind: another person's story has no KV cache in it."""
    story = card.rubric == "behavioural"
    return [c.model_answer for c in CARDS if (c.rubric == "behavioural") is not story]


@each_card
def test_each_phrase_is_heard_inside_an_answer(card: QuestionCard) -> None:
    phrases = [phrase for _, probe in walk(card.probes) for phrase in probe.when.said]
    deaf = [p for p in phrases if not says(f"So first, {p.capitalize()}, and then we go on.", [p])]
    assert deaf == []


@each_card
def test_no_phrase_is_heard_in_answers_about_something_else(card: QuestionCard) -> None:
    answers = others(card)
    heard = {
        (probe, phrase): sum(says(answer, [phrase]) for answer in answers) / len(answers)
        for probe, phrases in triggers(card).items()
        for phrase in phrases
    }
    assert {where: share for where, share in heard.items() if share > EVERYWHERE} == {}


@pytest.mark.parametrize(
    ("text", "phrase", "heard"),
    [
        ("Batching helps.", "batch", True),
        ("Two boxes with autoscaling.", "autoscale", True),
        ("It is vLLM's default.", "vllm", True),
        ("A prompt of 32,768 tokens.", "32", False),
        ("A debatching queue.", "batch", False),
        ("We would scale it out.", "scale out", False),
    ],
)
def test_a_word_is_heard_whatever_its_ending_and_a_figure_only_whole(
    text: str, phrase: str, heard: bool
) -> None:
    assert says(text, [phrase]) is heard
