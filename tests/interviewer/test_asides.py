"""What is said to the interviewer instead of an answer, and what comes back."""

import pytest

from interviewer.events import Event
from interviewer.interviewers.asides import Aside, aside_of
from interviewer.interviewers.card import assess
from interviewer.interviewers.choice import Move, next_move
from interviewer.transcript import without_asides
from questions.model import QuestionCard
from tests.interviewer.scenes import MOVE_ON, QUESTION, asked, card, follow_up, said, scene, scored

OPENED = asked(limit_s=180)
CLARIFY = said("Sorry, which model are we talking about?")
ANSWER = said("Twenty-four users fit on the card, because each token takes 320 KiB of cache.")


def move(*events: Event, of: QuestionCard | None = None) -> Move:
    return next_move(scene(*events, of=of), scored())


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Could you repeat the question, please?", Aside.REPEAT),
        ("uh sorry can you say that again", Aside.REPEAT),
        ("What do you mean by that exactly?", Aside.CLARIFY),
        ("Should I assume FP8 weights?", Aside.CLARIFY),
        ("Is this one GPU or eight?", Aside.CLARIFY),
        ("What’s the right answer?", Aside.REVEAL),
        ("I do not know this one. Please just tell me the right answer.", Aside.REVEAL),
        ("Sorry, I really don't know.", Aside.UNKNOWN),
        ("No idea.", Aside.UNKNOWN),
        ("Um ...", Aside.UNKNOWN),
        ("", Aside.UNKNOWN),
        ("I'd rather move on.", Aside.UNKNOWN),
    ],
)
def test_an_aside_is_known_by_its_words(text: str, kind: Aside) -> None:
    assert aside_of(text) is kind


@pytest.mark.parametrize(
    "text",
    [
        "I don't know the exact number, but about twenty.",
        "Do you mean the KV cache? That is 320 KiB a token, so about twenty users.",
        "About twenty. Is that what you wanted?",
        "What do you do with data that must not leave the country?",
        "I can't answer for the others, I was the one who stopped it.",
        "Nothing.",
        "20.",
    ],
)
def test_what_may_be_an_answer_is_no_aside(text: str) -> None:
    assert aside_of(text) is None


def test_a_clarification_gets_what_is_given_and_the_question_again_with_its_time() -> None:
    again = move(OPENED, CLARIFY)
    assert (again.purpose, again.limit_s, again.probe) == ("repeat", 180, None)
    assert again.text == f"Take this as given. The card has 141 GB. {QUESTION}"


def test_who_wants_the_answer_is_told_when_it_comes() -> None:
    again = move(OPENED, said("Just tell me the answer."))
    assert again.text.startswith("A good answer comes with your scorecard;")
    assert again.text.endswith(QUESTION)


def test_who_knows_nothing_is_helped_to_begin_and_then_asked_something_else() -> None:
    unknown = said("I don't know.")
    again = move(OPENED, unknown)
    assert (again.purpose, again.text.endswith(QUESTION)) == ("repeat", True)
    told = asked(again.text, "repeat", limit_s=180)
    assert move(OPENED, unknown, told, said("No idea.")).purpose == "probe"


def test_of_oneself_a_small_case_is_asked_for() -> None:
    again = move(OPENED, said("I don't know."), of=card(kind="behavioural"))
    assert again.text == f"Take a moment; a small case will do. {QUESTION}"


def test_a_follow_up_that_nobody_knows_is_not_asked_for_again() -> None:
    weak = scored({"number": 1, "tradeoff": 2})
    events = (OPENED, ANSWER, follow_up("number"), said("I don't know."))
    chosen = next_move(scene(*events), weak)
    assert (chosen.purpose, chosen.part) == ("probe", "tradeoff")


def test_a_question_comes_back_once() -> None:
    again = asked(move(OPENED, CLARIFY).text, "repeat", limit_s=180)
    assert move(OPENED, CLARIFY, again, said("What do you mean?")).purpose == "probe"


def test_a_question_that_came_back_is_no_follow_up() -> None:
    again = asked("Once more: How many?", "repeat")
    events: list[Event] = [OPENED, CLARIFY, again, ANSWER]
    for name in ("claim", "next"):
        events += [follow_up(name), said(f"Something about {name}.")]
    assert move(*events).purpose == "probe"
    assert move(*events, follow_up("users"), said("Twenty-four.")).purpose == "closing"


async def test_what_was_asked_of_the_interviewer_is_not_judged() -> None:
    again = asked("Once more: How many?", "repeat", limit_s=180)
    asked_first = scene(OPENED, CLARIFY, again, ANSWER)
    kept = without_asides(asked_first.state.turns)
    assert [turn.number for turn in kept] == [1, 3, 4]
    one, other = await assess(asked_first), await assess(scene(OPENED, ANSWER))
    assert one is not None
    assert other is not None
    assert [s.level for s in one.scores] == [s.level for s in other.scores]


async def test_moving_on_after_nothing_but_an_aside_closes_the_round() -> None:
    again = asked("Once more: How many?", "repeat", limit_s=180)
    left = scene(OPENED, CLARIFY, again, MOVE_ON)
    assert next_move(left, await assess(left)).purpose == "closing"
