"""Whether a follow-up was answered before it is asked."""

from interviewer.interviewers.answered import Said
from interviewer.interviewers.choice import next_move
from questions.library import load
from questions.model import Probe, QuestionCard, Trigger
from tests.interviewer.scenes import asked, card, probe, said, scene, scored

STRONG = """
I'd go in the order of what's cheapest to undo: prompt first, retrieval for facts that change, and
fine-tuning only for form or tone that I can't describe. Stuffing the whole manual costs $1,800 a
day at $3 a million, but with prompt caching at a tenth it's $180, and retrieval is 48 million
tokens, so $144. So caching closes the gap and I'd put the whole manual into the cached prefix.
Next I'd sort the 46 failures with two agents this week and run the same 200 again.
"""
CARDS = load()


def of(card_id: str, name: str) -> tuple[QuestionCard, Probe]:
    found = CARDS.get(card_id)
    return found, next(probe for probe in found.probes if probe.id == name)


def test_the_figures_of_a_good_reply_answer_a_follow_up() -> None:
    desk, caching = of("FDE-08", "caching")
    assert Said([STRONG]).answers(caching, desk)
    assert not Said(["Prompt caching makes the whole manual cheaper."]).answers(caching, desk)


def test_figures_of_another_matter_do_not() -> None:
    desk, caching = of("FDE-08", "caching")
    assert not Said(["We had 1,800 users, then 180, and 144 in March."]).answers(caching, desk)


def test_the_words_of_a_good_reply_answer_one_without_figures() -> None:
    summarizer, state = of("FDE-11", "state")
    told = "The state holds ids and summaries, the text stays in object storage, since else each "
    assert Said([f"{told} checkpoint would drag the document along."]).answers(state, summarizer)
    assert not Said(["The state holds what the nodes need."]).answers(state, summarizer)


def test_what_lies_far_apart_is_no_answer() -> None:
    summarizer, state = of("FDE-11", "state")
    filler = "Reviewers compare every paragraph against another supplier questionnaire. " * 8
    scattered = f"The state holds ids. {filler} Text stays in object storage. {filler}"
    assert not Said([f"{scattered} It drags the document along."]).answers(state, summarizer)


ALWAYS = Trigger(always=True)
DEEPER = probe("deeper", "tradeoff", "And who decides who waits?", ALWAYS)
WAITS = probe("waits", "tradeoff", "Who waits longest?", ALWAYS, DEEPER).model_copy(
    update={"good": "The last caller in the queue, until a long prompt leaves the batch."}
)
TOLD = said("The last caller in the queue waits longest, until a long prompt leaves the batch.")


def test_a_follow_up_that_was_answered_gives_way_to_what_stands_below_it() -> None:
    opened = asked(limit_s=180)
    asks = card(probes=(WAITS,))
    chosen = next_move(scene(opened, said("About twenty users."), of=asks), scored())
    assert chosen.probe == WAITS
    assert next_move(scene(opened, TOLD, of=asks), scored()).probe == DEEPER


def test_where_every_follow_up_was_answered_the_round_closes() -> None:
    asks = card(probes=(WAITS.model_copy(update={"then": ()}),))
    assert next_move(scene(asked(limit_s=180), TOLD, of=asks), scored()).purpose == "closing"
