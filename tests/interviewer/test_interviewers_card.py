"""The interviewer without a model, over whole rounds."""

import pytest

from interviewer.events import Event, InterviewerSpoke
from interviewer.interviewers.card import CardInterviewer
from interviewer.interviewers.scene import Scene
from questions.library import load
from tests.interviewer.floor import turn_of
from tests.interviewer.scenes import MOVE_ON, QUESTION, said, scene

pytestmark = pytest.mark.anyio


async def turn(at: Scene) -> tuple[str, InterviewerSpoke]:
    minutes = await turn_of(CardInterviewer(), at)
    spoke = minutes.items[-1]
    assert isinstance(spoke, InterviewerSpoke)
    return minutes.text, spoke


async def test_the_deltas_are_the_text_and_the_event_comes_last() -> None:
    heard, spoke = await turn(scene())
    assert heard == spoke.text == QUESTION
    assert spoke.speaker == "card"


async def test_the_questions_numbers_come_with_their_figures() -> None:
    _, spoke = await turn(scene())
    assert {figure.said for figure in spoke.figures} >= {"70B"}
    assert all(spoke.text[f.start : f.end] == f.said for f in spoke.figures)


async def test_moving_on_at_once_ends_in_two_sentences_without_a_verdict() -> None:
    _, opening = await turn(scene())
    _, closing = await turn(scene(opening, MOVE_ON))
    assert (closing.purpose, closing.limit_s) == ("closing", None)
    assert closing.text == "We leave it there. Your scorecard follows."


@pytest.mark.parametrize("card_id", [card.id for card in load().cards])
async def test_a_round_on_every_card_ends_after_three_follow_ups_at_most(card_id: str) -> None:
    card = load().get(card_id)
    events: list[Event] = []
    for _ in range(6):
        _, spoke = await turn(scene(*events, of=card))
        events.append(spoke)
        if spoke.limit_s is None:
            break
        events.append(said(f"It depends on the load, but I would say {len(events)} seconds."))
    asked = [e for e in events if isinstance(e, InterviewerSpoke) and e.purpose != "closing"]
    assert 2 <= len(asked) <= 4
    assert len({e.text for e in asked}) == len(asked)
    assert asked[0].text == card.question


async def test_a_slip_in_a_real_answer_is_followed_up_by_the_real_scorer() -> None:
    card = load().get("INF-010")
    _, opening = await turn(scene(of=card))
    answer = said(
        "About twenty-eight users. Each token costs 160 KiB of cache, so 8K tokens take 1.3 GB "
        "for each user, and I would read the engine's log on Monday."
    )
    _, spoke = await turn(scene(opening, answer, of=card))
    assert (spoke.probe, spoke.part) == ("where-is-two", "number")
    assert "320" not in spoke.text
