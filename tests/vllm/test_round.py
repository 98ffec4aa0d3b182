"""Whole rounds on the real server: caching, cancelling, salts, priorities, the judge."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from interviewer.assembly import Viva, open_viva
from interviewer.events import (
    InterviewerSpoke,
    ModelFailed,
    RoundScored,
    SpeechInterrupted,
    ToolCalled,
    ToolReturned,
)
from interviewer.llm.build import build_llm
from interviewer.llm.protocol import LLM, Capabilities, Hear, Message, Reply, Request, unheard
from interviewer.prompts import PromptLibrary
from interviewer.scoring.judge import Judge
from interviewer.scoring.rows import answer_material
from interviewer.session import RoundSession
from interviewer.settings import Settings
from questions.library import CARDS, load
from rubrics.library import load_rubrics
from tests.vllm.play import (
    ANSWERS,
    CARD,
    REPLY_S,
    WRONG,
    answer,
    begun,
    events,
    opened,
    probes,
    said,
)
from tests.vllm.server import ENDLESS, ENDLESS_TOKENS, SEATS, Running, left_running

pytestmark = pytest.mark.anyio


@pytest.fixture
async def viva(vllm: Running, tmp_path: Path) -> AsyncIterator[Viva]:
    async with opened(vllm.url, tmp_path, vllm.model) as viva:
        yield viva


@pytest.fixture
async def llm(vllm: Running) -> AsyncIterator[LLM]:
    made = build_llm("vllm", vllm.url, vllm.model, None, cache_salt="mine", timeout_s=REPLY_S)
    yield made
    await made.aclose()


@dataclass(frozen=True)
class Played:
    """A round's log, and what the server counted from the first answer on."""

    session: RoundSession
    prompt_tokens: float
    cached_tokens: float


@pytest.fixture(scope="module")
def played(vllm: Running, tmp_path_factory: pytest.TempPathFactory) -> Played:
    """A round of one installation, played to its end."""
    names = ("prompt_tokens_total", "prompt_tokens_cached_total")

    async def run() -> Played:
        async with opened(vllm.url, tmp_path_factory.mktemp("played"), vllm.model) as viva:
            session = await begun(viva)
            before = [await asyncio.to_thread(vllm.metric, name) for name in names]
            await answer(session)
            after = [await asyncio.to_thread(vllm.metric, name) for name in names]
        return Played(session, after[0] - before[0], after[1] - before[1])

    return asyncio.run(run())


def test_a_round_is_asked_by_the_model_and_ends_with_a_scorecard(
    played: Played, vllm: Running
) -> None:
    session = played.session
    assert session.status == "over"
    assert events(session, ModelFailed) == []
    assert said(session) == list(ANSWERS[: len(said(session))])
    assert {spoke.speaker for spoke in events(session, InterviewerSpoke)} == {vllm.model}
    assert len(events(session, RoundScored)) == 1


def test_a_question_on_a_number_begins_with_its_tool(played: Played) -> None:
    called = events(played.session, ToolCalled)
    # The first is asked for; whether the model calls more of them is up to its words.
    assert called[0].tool == "decode_roofline"
    assert [back.call for back in events(played.session, ToolReturned)] == [c.call for c in called]


def test_nine_tenths_of_the_prompt_are_cached_from_the_second_turn_on(played: Played) -> None:
    assert played.prompt_tokens > 6_000
    assert played.cached_tokens / played.prompt_tokens >= 0.9


def test_tokens_and_times_of_a_turn_are_in_the_log(played: Played) -> None:
    for probe in probes(played.session):
        if probe.usage is not None:  # none where every reply was cut off for its manner
            assert probe.usage.cached_tokens
            assert probe.usage.first_token_s


async def test_another_installation_gets_no_cached_tokens(
    played: Played, viva: Viva, vllm: Running
) -> None:
    before = await asyncio.to_thread(vllm.metric, "prompt_tokens_cached_total")
    await begun(viva)
    assert await asyncio.to_thread(vllm.metric, "prompt_tokens_cached_total") == before


@pytest.mark.parametrize(("salt", "hit"), [("mine", True), ("yours", False)])
async def test_only_the_own_salt_finds_the_prefix(vllm: Running, salt: str, hit: bool) -> None:
    words = " ".join(f"{salt}{number}" for number in range(300))
    request = Request((Message("system", words), Message("user", "Begin.")), max_tokens=1)
    for own in ("mine", salt):
        llm = build_llm("vllm", vllm.url, vllm.model, None, cache_salt=own, timeout_s=REPLY_S)
        cached = (await llm.reply(request)).usage.cached_tokens
        await llm.aclose()
    assert bool(cached) is hit


@dataclass(frozen=True)
class Endless:
    """The model in a reply that ends only where it is left. Its words stay here: the interviewer
    would end a reply for its manner, and how soon is up to the model.
    """

    model: LLM
    name = "endless"
    capabilities = Capabilities()

    async def reply(self, request: Request, hear: Hear = unheard) -> Reply:
        if request.max_tokens == 1:
            return await self.model.reply(request, hear)
        longer = replace(
            request,
            tools=(),
            tool_choice="none",
            response_schema=ENDLESS,
            max_tokens=ENDLESS_TOKENS,
        )
        return await self.model.reply(longer)


@pytest.fixture
async def endless(llm: LLM, tmp_path: Path) -> AsyncIterator[RoundSession]:
    """A round whose interviewer, asked for a probe, speaks on."""
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'viva.db'}")
    async with open_viva(settings, llm=Endless(llm)) as viva:
        yield await begun(viva)


async def test_fault_25_stopping_the_interviewer_ends_the_request_at_the_server(
    endless: RoundSession, vllm: Running
) -> None:
    async with left_running(vllm):
        await endless.hear("say-0", WRONG)
        assert await asyncio.to_thread(vllm.until, "num_requests_running", 1) == 1
        await endless.interrupt()
    assert len(events(endless, SpeechInterrupted)) == 1


async def test_fault_25_leaving_the_page_ends_the_request_at_the_server(
    endless: RoundSession, vllm: Running
) -> None:
    async with left_running(vllm):
        leave = endless.watch(lambda notice: None)
        await endless.hear("say-0", WRONG)
        assert await asyncio.to_thread(vllm.until, "num_requests_running", 1) == 1
        leave()
    assert said(endless) == [WRONG]


async def test_a_live_turn_passes_the_scoring_that_waits(llm: LLM, vllm: Running) -> None:
    done: list[str] = []

    async def ask(name: str, tokens: int, priority: int) -> None:
        story = Message("user", f"Tell the long story number {name}.")
        request = Request((story,), response_schema=ENDLESS, max_tokens=tokens, priority=priority)
        await llm.reply(request)
        done.append(name)

    async with asyncio.TaskGroup() as group:
        running = [group.create_task(ask(f"run{n}", ENDLESS_TOKENS, 10)) for n in range(SEATS)]
        assert await asyncio.to_thread(vllm.until, "num_requests_running", SEATS) == SEATS
        waiting = [group.create_task(ask(f"wait{n}", 1, 10)) for n in range(4)]
        assert await asyncio.to_thread(vllm.until, "num_requests_waiting", 4) == 4
        live = group.create_task(ask("live", 1, 0))
        assert await asyncio.to_thread(vllm.until, "num_requests_waiting", 5) == 5
        running[0].cancel()
        await asyncio.wait([live, *waiting])
        for task in running:
            task.cancel()
    assert done[0] == "live"
    assert len(done) == 5


async def test_eight_answers_judged_at_once_all_keep_the_schema(llm: LLM) -> None:
    card, rubrics = load(CARDS).get(CARD), load_rubrics()
    judge = Judge(llm, PromptLibrary())
    texts = [f"{text} {again}" for text in ANSWERS[:4] for again in ("", "I would check it.")]
    materials = [replace(answer_material(text, card, rubrics), part="claim") for text in texts]
    scorecards = await asyncio.gather(*(judge.score(material) for material in materials))
    states = [card.scores[0].state for card in scorecards]
    assert states == ["scored"] * 8
