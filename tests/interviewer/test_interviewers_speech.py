"""What of a model's words is let out, whatever the pieces in which they come."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from interviewer.interviewers.manner import praises, sentence_end
from interviewer.interviewers.speech import Secrets, Speech
from tests.interviewer.scenes import OPENED_SCENE as SCENE

OPEN = (SCENE.card.question, "I said 160 KiB per token and 14.6 ms.")
SECRETS = (SCENE.card.model_answer,)


def speak(*deltas: str) -> tuple[str, Speech]:
    speech = Speech(Secrets(SECRETS, OPEN))
    speech.go_on(SCENE.ledger.with_candidate(2, OPEN[1]))
    heard = []
    for delta in deltas:
        if speech.done or speech.fault:
            break
        heard.append(speech.feed(delta))
    heard.append(speech.close())
    assert "".join(heard) == speech.said
    return speech.said, speech


def by_character(text: str) -> tuple[str, Speech]:
    return speak(*text)


@pytest.mark.parametrize(
    ("words", "heard"),
    [
        ("Which factor is missing?", "Which factor is missing?"),
        ("  Which factor\n is   missing?\n", "Which factor is missing?"),
        ("Take your number. Where is the two?", "Take your number. Where is the two?"),
        ("Where is the two? And the heads?", "Where is the two?"),
        ("You said 160 KiB. Which term is off?", "You said 160 KiB. Which term is off?"),
        ("You said 14.6 ms, e.g. per step. Why?", "You said 14.6 ms, e.g. per step. Why?"),
        ("Great answer! What limits it?", "What limits it?"),
        ("Great, now what limits it?", "Now what limits it?"),
        ("Exactly. So what limits it?", "So what limits it?"),
        ("Exactly which term is off?", "Exactly which term is off?"),
        ("That's a great point. What limits it?", "What limits it?"),
        ("That's a tall order. What limits it?", "That's a tall order. What limits it?"),
        ("That’s absolutely right. What limits it?", "What limits it?"),
        ("You're right, it fits. What limits it?", "What limits it?"),
        ("Thank you for that. What limits it?", "What limits it?"),
        (
            "Good throughput is one thing. At what cost?",
            "Good throughput is one thing. At what cost?",
        ),
        ("Your answer is vague. What limits it?", "What limits it?"),
        ("Is that a good place to stop?", "Is that a good place to stop?"),
        ("How would you put the wrong term right?", "How would you put the wrong term right?"),
    ],
)
def test_manner_is_kept_however_the_words_arrive(words: str, heard: str) -> None:
    assert speak(words)[0] == heard
    assert by_character(words)[0] == heard


@given(st.lists(st.integers(1, 12), min_size=1, max_size=40))
def test_any_cutting_gives_the_same_words(sizes: list[int]) -> None:
    text = "Well done. Take the 160 KiB you gave, e.g. per token. Great, so where is the two? More?"
    pieces, at = [], 0
    for size in sizes:
        pieces.append(text[at : at + size])
        at += size
    pieces.append(text[at:])
    said, speech = speak(*pieces)
    assert said == "Take the 160 KiB you gave, e.g. per token. So where is the two?"
    assert speech.done


def test_text_without_numbers_is_let_out_word_by_word() -> None:
    speech = Speech(Secrets(SECRETS, OPEN))
    speech.go_on(SCENE.ledger)
    assert [speech.feed(d) for d in ("Which", " term", " limits", " it")] == [
        "Which",
        " term",
        " limits",
        " it",
    ]


def test_an_ungrounded_number_stops_the_speech() -> None:
    said, speech = by_character("It would need 977 GB. Why?")
    assert speech.fault is not None
    assert (speech.fault.reason, speech.fault.quantity) == ("ungrounded", "977 GB")
    assert speech.fault.text == "It would need 977 GB."
    assert said in ("", "It would need")


def test_after_a_sentence_that_broke_off_the_next_one_stands_behind_a_dash() -> None:
    _, speech = by_character("It would need 977 GB. Why?")
    speech.go_on(SCENE.ledger)
    assert speech.feed("What would it need?") == " — What would it need?"
    assert speech.said == "It would need — What would it need?"


def test_a_number_of_the_card_that_nobody_said_gives_the_answer_away() -> None:
    _, speech = speak("Could it be 320 KiB per token?")
    assert speech.fault is not None
    assert (speech.fault.reason, speech.fault.quantity) == ("leak", "320 KiB per token")


def test_the_model_answers_wording_gives_the_answer_away() -> None:
    said, speech = by_character(
        "So the weights leave room for about sixty gigabytes of it, do they?"
    )
    assert speech.fault is not None
    assert speech.fault.reason == "leak"
    assert "gigabytes" not in said


@pytest.mark.parametrize("cut", [r" ?[^ ]+", r"[^ ]+ ?"], ids=["before words", "after words"])
def test_the_answers_wording_is_held_back_wherever_the_stream_puts_its_spaces(cut: str) -> None:
    secret = "the plan keeps whatever fits beside the weights and spills the rest"
    speech = Speech(Secrets((secret,), ()))
    speech.go_on(SCENE.ledger)
    said = "".join(map(speech.feed, re.findall(cut, f"Say why {secret} to the host?")))
    assert speech.fault is not None
    assert speech.fault.reason == "leak"
    assert "the weights and" not in said


def test_the_answers_wording_is_held_back_where_a_piece_ends_a_word_and_brings_more() -> None:
    speech = Speech(Secrets(("the plan keeps whatever fits beside the weights",), ()))
    speech.go_on(SCENE.ledger)
    pieces = "Say why the pl", "an keeps whatever fits beside the weights in full ", "now?"
    assert "".join(map(speech.feed, pieces)) == "Say why the pl"
    assert speech.fault is not None
    assert speech.fault.reason == "leak"


@pytest.mark.parametrize("markup", ['{"ask": "Why?"}', "```\nWhy?", "<answer>Why?", "# Why?"])
def test_markup_is_no_speech(markup: str) -> None:
    said, speech = by_character(markup)
    assert said == ""
    assert speech.fault is not None
    assert speech.fault.reason == "markup"


def test_a_third_sentence_that_asks_nothing_is_not_let_out() -> None:
    said, speech = by_character("You have a card. You have users. You have time. Why?")
    assert said == "You have a card. You have users."
    assert speech.fault is not None
    assert speech.fault.reason == "too_long"


def test_a_sentence_without_end_is_cut_off() -> None:
    _, speech = speak(*["and then you wait "] * 100)
    assert speech.fault is not None
    assert speech.fault.reason == "too_long"


def test_a_second_question_is_recorded_where_it_was_seen() -> None:
    _, speech = speak("Why? And how?")
    assert [dropped.reason for dropped in speech.take_dropped()] == ["second_question"]


def test_control_characters_and_bidi_marks_are_not_spoken() -> None:
    assert speak("Wh\x1b[my \u202enow\u2066\x00?")[0] == "Wh[my now?"


@pytest.mark.parametrize("endless", ["great point and ", "   ", "\n", "a 977 "])
def test_a_reply_without_end_is_cut_off(endless: str) -> None:
    assert speak(*[endless] * 5_000)[1].fault is not None


@pytest.mark.parametrize("text", ["a good pointer", "bright idea", "you're rightly cautious"])
def test_praise_inside_another_word_is_none(text: str) -> None:
    assert not praises(text)


@pytest.mark.parametrize(
    ("text", "end"),
    [("A. B", 2), ("3.5 ms", None), ("e.g. this", None), ("Why?", 4), ("Done", None), ("a\nb", 2)],
)
def test_where_a_sentence_ends(text: str, end: int | None) -> None:
    assert sentence_end(text) == end


WORDS = """great good point that's a you're right exactly thank you so which term is 160 KiB per
token 977GB 320 KiB fits e.g. 14.6 ms the users wait . . , , ! ? ? — : ; I like it"""
VOCABULARY = st.sampled_from([*WORDS.split(), "\n", "\n\n"])


@given(st.lists(VOCABULARY, max_size=60), st.lists(st.integers(1, 9), max_size=80))
def test_whatever_a_model_says_the_rules_hold(words: list[str], sizes: list[int]) -> None:
    text = " ".join(words).replace(" .", ".").replace(" ,", ",").replace(" ?", "?")
    pieces: list[str] = []
    while text:
        size = sizes[len(pieces) % len(sizes)] if sizes else 5
        pieces.append(text[:size])
        text = text[size:]
    said, speech = speak(*pieces)
    assert not praises(said)
    assert said.count("?") == (1 if speech.done else 0)
    assert said.endswith("?") or not speech.done
    assert not SCENE.ledger.with_candidate(2, OPEN[1]).ground(said).ungrounded
    assert "320 KiB" not in said
    assert "  " not in said
    sentences = re.split(r"[.!?]\s", said.replace("e.g.", "") + " ")
    assert len([sentence for sentence in sentences if sentence.strip(" —.,;:!")]) <= 3
