"""What the interviewer forces on a model, and what it does with one that rambles."""

import pytest

from interviewer.errors import TokenBoundReached
from interviewer.events import InterviewerSpoke, StatementDropped
from interviewer.interviewers.model import ModelInterviewer
from interviewer.llm.protocol import ToolCall
from interviewer.llm.scripted import Say, ScriptedLLM
from interviewer.prompts.library import PromptLibrary
from questions.model import Fact, Trigger
from tests.interviewer.floor import turn_of
from tests.interviewer.scenes import asked, card, probe, said, scene
from tools.catalog import CATALOG

pytestmark = pytest.mark.anyio
RATE = Fact(
    id="rate", label="rate", unit="%", tool="stats", arguments={"successes": 8, "trials": 10}
)
NUMBER = card(
    probes=(probe("rate", "number", "What is the rate?", Trigger(unstated="rate")),), facts=(RATE,)
)
TRADE_OFF = card(
    probes=(probe("cost", "tradeoff", "What does it cost?", Trigger(always=True)),), facts=(RATE,)
)
HEARD = (asked(limit_s=180), said("I would measure it first, and then decide what to do."))


async def test_a_question_on_a_number_begins_with_the_tool_behind_it() -> None:
    call = Say(tool_calls=(ToolCall("x", "stats", '{"successes": 8, "trials": 10}'),))
    llm = ScriptedLLM(call, "Which rate did you see?")
    interviewer = ModelInterviewer(llm, PromptLibrary(), CATALOG)
    await turn_of(interviewer, scene(*HEARD, of=NUMBER))
    assert [request.tool_choice for request in llm.requests] == ["stats", "auto"]


async def test_another_question_leaves_the_choice_to_the_model() -> None:
    llm = ScriptedLLM("What would it cost you?")
    interviewer = ModelInterviewer(llm, PromptLibrary(), CATALOG)
    await turn_of(interviewer, scene(*HEARD, of=TRADE_OFF))
    assert [request.tool_choice for request in llm.requests] == ["auto"]


async def test_a_reply_that_rambles_to_its_bound_leaves_the_question_to_the_card() -> None:
    llm = ScriptedLLM(Say(deltas=("and ", "so ", "on "), fails=TokenBoundReached()))
    interviewer = ModelInterviewer(llm, PromptLibrary(), CATALOG)
    minutes = await turn_of(interviewer, scene(*HEARD, of=TRADE_OFF))
    spoke = minutes.items[-1]
    assert isinstance(spoke, InterviewerSpoke)
    assert spoke.text.endswith("What does it cost?")
    dropped = [event for event in minutes.events if isinstance(event, StatementDropped)]
    assert [event.reason for event in dropped] == ["no_question"]
    assert minutes.text == spoke.text
