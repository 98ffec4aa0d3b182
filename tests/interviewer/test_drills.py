"""What each drill asks, how long it gives, and when it ends."""

from typing import get_args

import pytest

from interviewer.beginning import begin, offered
from interviewer.drills import DRILLS, chain_of
from interviewer.errors import NoSuchDrill
from interviewer.events import DrillName, Event, InterviewerSpoke, Recorded, RoundStarted
from interviewer.grounding.facts import compute_facts
from interviewer.grounding.ledger import ledger_for
from interviewer.interviewers.choice import Move, next_move
from interviewer.interviewers.model import ModelInterviewer
from interviewer.interviewers.scene import Scene
from interviewer.llm.scripted import ScriptedLLM
from interviewer.prompts import PromptLibrary
from interviewer.round import replay
from questions.library import load
from questions.model import Probe, QuestionCard, Trigger
from rubrics.library import load_rubrics
from tests.interviewer.floor import turn_of
from tests.interviewer.scenes import PROBES, QUESTION, START, asked, card, probe, said, scored

BELOW = probe("third", "nextstep", "And then?", Trigger(missing="claim"))
CHAIN = probe(
    "first",
    "tradeoff",
    "What does the cache cost?",
    Trigger(always=True),
    probe("second", "tradeoff", "Who pays it?", Trigger(said=("never said",)), BELOW),
)
DEEP = card(probes=(*PROBES, CHAIN), curveball="The contexts grow to 32K. Again, please.")
ANSWER = said("Twenty-four users fit on the card, because the cache is what is left of it.")


def drilled(drill: DrillName, *events: Event, of: QuestionCard = DEEP) -> Scene:
    """The scene after these events of a drill on the card."""
    started: RoundStarted = begin(of, "card", drill=drill, part="claim")
    log = [Recorded(seq=n, at=START, event=event) for n, event in enumerate((started, *events), 1)]
    state, facts = replay(log), compute_facts(of)
    ledger = ledger_for(state, of, facts)
    return Scene(state, of, facts, ledger, load_rubrics()[of.rubric])


def played(drill: DrillName, *events: Event, of: QuestionCard = DEEP) -> Move:
    """What is asked next."""
    return next_move(drilled(drill, *events, of=of), scored())


def reply_to(move: Move) -> tuple[Event, Event]:
    """The move as it was spoken, and an answer."""
    name = move.probe.id if move.probe else None
    return asked(move.text, move.purpose, name, move.part, move.limit_s), ANSWER


def test_every_name_of_a_drill_has_its_drill() -> None:
    assert tuple(DRILLS) == get_args(DrillName)


@pytest.mark.parametrize(
    ("drill", "limit_s", "part", "words"),
    [
        ("claim", 20, "claim", "In one sentence, your answer: "),
        ("tradeoff", 60, "tradeoff", "where it flips"),
        ("nextstep", 60, "nextstep", "the result that decides"),
        ("sixty", 60, "claim", "In sixty seconds, with all four parts: "),
        ("curveball", 90, "claim", "The contexts grow to 32K."),
        ("again", 180, "claim", "Once more, and better: "),
    ],
)
def test_a_drill_opens_with_its_own_words_and_time(
    drill: DrillName, limit_s: int, part: str, words: str
) -> None:
    opening = played(drill)
    assert words in opening.text
    assert QUESTION in opening.text
    assert (opening.limit_s, opening.part) == (limit_s, part)


@pytest.mark.parametrize("drill", ["claim", "sixty", "curveball", "again"])
def test_one_reply_is_all_that_these_ask_for(drill: DrillName) -> None:
    assert played(drill, *reply_to(played(drill))).purpose == "closing"


def test_a_chain_goes_down_the_cards_probes_whatever_is_said() -> None:
    first = played("followups")
    assert first.text.endswith(CHAIN.ask)
    second = played("followups", *reply_to(first))
    assert (second.text, second.purpose) == ("Who pays it?", "probe")
    third = played("followups", *reply_to(first), *reply_to(second))
    assert (third.text, third.limit_s) == ("And then?", 60)
    end = played("followups", *reply_to(first), *reply_to(second), *reply_to(third))
    assert end.purpose == "closing"


def test_a_chain_is_scored_on_the_part_that_it_is_about() -> None:
    assert begin(DEEP, "card", drill="followups").part == "tradeoff"


def test_a_card_without_a_curveball_offers_none_and_says_what_it_offers() -> None:
    with pytest.raises(NoSuchDrill, match="it offers claim, tradeoff, nextstep, sixty"):
        begin(card(), "card", drill="curveball")


def test_a_card_without_tools_offers_no_number_drill() -> None:
    assert "number" not in [drill.name for drill in offered(card())]


def test_every_card_of_the_bank_offers_the_drills_that_need_only_its_question() -> None:
    for one in load().cards:
        names = {drill.name for drill in offered(one)}
        assert {"claim", "tradeoff", "nextstep", "followups", "sixty"} <= names, one.id


def test_a_chain_is_always_two_levels_deep() -> None:
    def depth(one: Probe) -> int:
        return max((1 + depth(below) for below in one.then), default=0)

    for one in load().cards:
        for seed in range(4):
            chain = chain_of(one, seed)
            assert chain is not None
            assert depth(chain) >= 2


def test_words_in_braces_in_a_question_are_asked_as_they_stand() -> None:
    braces = card(question="What does {weights} mean here, and {0}?")
    assert "{weights} mean here, and {0}?" in played("claim", of=braces).text


async def test_a_model_words_the_follow_ups_of_a_chain_but_not_its_opening() -> None:
    llm = ScriptedLLM("And who of them pays for that cache?", name="m")
    model = ModelInterviewer(llm, PromptLibrary(), {})
    opening = (await turn_of(model, drilled("followups"))).items[-1]
    assert isinstance(opening, InterviewerSpoke)
    assert opening.text.endswith(CHAIN.ask)
    replied = drilled("followups", opening, ANSWER)
    deeper = (await turn_of(model, replied)).items[-1]
    assert isinstance(deeper, InterviewerSpoke)
    assert (deeper.text, deeper.probe) == ("And who of them pays for that cache?", "second")
