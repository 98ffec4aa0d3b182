"""Builds the objects of a running Viva from its settings, in one place; nothing else chooses
implementations.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from interviewer.clock import utc_now
from interviewer.dictations import Dictations
from interviewer.errors import ConfigError, InterviewerError, LLMError, VoiceError
from interviewer.grounding.facts import InvalidFact, compute_facts
from interviewer.interviewers.card import CardInterviewer
from interviewer.interviewers.scene import Interviewer
from interviewer.llm.build import Found, build_llm
from interviewer.llm.protocol import LLM, Message, Request
from interviewer.loop_runs import LoopRuns
from interviewer.migrations import migrate
from interviewer.models.kept import in_force
from interviewer.reviews import Reviews
from interviewer.rounds import Rounds
from interviewer.scoring.material import Scorer
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.settings import Endpoint, Settings
from interviewer.store import EventStore
from interviewer.stories.shelf import Stories
from interviewer.takes.disk import on_disk
from interviewer.takes.shelf import Shelf, can_keep, sound_folder
from interviewer.voice.recogniser import Recogniser
from questions.faults import InvalidCard
from questions.library import CARDS, Library, load
from rubrics.library import load_rubrics
from rubrics.model import Rubric
from tools.catalog import CATALOG


@dataclass(frozen=True)
class Viva:
    """A running installation: what web, evals and the commands work with."""

    settings: Settings
    store: EventStore
    library: Library
    rubrics: Mapping[str, Rubric]
    rounds: Rounds
    llm: LLM | None
    judges: tuple[LLM, ...]
    """The judge's model, and those of its panel; empty for the rule scorer alone."""
    scorers: tuple[Scorer, ...]
    dictations: Dictations | None = None
    """Spoken answers; None where no recogniser is set up."""
    not_scored: dict[str, str] = field(default_factory=dict)
    """Why a round was not scored again when it last was to be; kept by no log."""

    @cached_property
    def reviews(self) -> Reviews:
        """When parts of cards come back."""
        return Reviews(self.store, self.rounds.now)

    @cached_property
    def stories(self) -> Stories:
        """The person's own stories."""
        return Stories(self.store, self.rounds.now)

    @cached_property
    def loops(self) -> LoopRuns:
        """Sessions on companies' loops."""
        return LoopRuns(self.store, self.rounds, self.library)

    async def ready(self) -> list[str]:
        """What is wrong, a line each: the database is read, and each model completes one token.

        Empty when ready.
        """
        problems = []
        try:
            await self.store.rounds(limit=1)
        except InterviewerError as error:
            problems.append(f"database: {error}")
        roles = [("interviewer", self.llm), *(("judge", judge) for judge in self.judges)]
        for role, llm in roles:
            if llm is not None and (problem := await try_model(llm)):
                problems.append(f"{role}: {problem}")
        return problems


@asynccontextmanager
async def another_judge(viva: Viva, model: str) -> AsyncIterator[Scorer]:
    """A judge by another model at the judge's address, for as long as the block lasts.

    Raises ConfigError where no judge's address is set.
    """
    endpoint = viva.settings.judge_endpoint()
    if endpoint is None:
        raise ConfigError("no model that judges is set; set VIVA_JUDGE and VIVA_JUDGE_MODEL")
    async with AsyncExitStack() as stack:
        salt = await viva.store.secret("cache_salt")
        llm = await _build(stack, viva.settings, replace(endpoint, model=model), salt)
        if llm is not None:
            yield _judge((llm,), 1)


async def try_model(llm: LLM) -> str | None:
    """Complete one token for real: a server that lists its models may still not answer."""
    request = Request(messages=(Message("user", "Say yes."),), max_tokens=1, temperature=0.0)
    try:
        await llm.reply(request)
    except LLMError as error:
        return f"{llm.name}: {error.kind}: {error}"
    return None


@asynccontextmanager
async def open_viva(
    settings: Settings,
    *,
    llm: LLM | None = None,
    judge: LLM | None = None,
    recogniser: Recogniser | None = None,
    now: Callable[[], datetime] = utc_now,
) -> AsyncIterator[Viva]:
    """Migrate, load the cards, build everything; on leaving, stop the rounds, free the database.

    `llm`, `judge` and `recogniser` replace the configured ones. Raises ConfigError.
    """
    library = load_cards(settings)
    await asyncio.to_thread(migrate, settings.database_url)
    store = EventStore(settings.database_url)
    async with AsyncExitStack() as stack:
        stack.callback(store.close)
        salt = await store.secret("cache_salt")
        llm = llm or await _build(stack, settings, settings.endpoint(), salt)
        ends = () if judge else settings.judge_endpoints()
        built = [await _build(stack, settings, end, salt) for end in ends]
        judges = (judge,) if judge else tuple(filter(None, built))
        viva = _assemble(settings, store, library, llm, judges, now)
        if (ears := recogniser or _recogniser(stack, settings)) is not None:
            viva = replace(viva, dictations=await _dictations(stack, settings, ears))
        stack.push_async_callback(viva.rounds.close)
        yield viva


def _recogniser(stack: AsyncExitStack, settings: Settings) -> Recogniser | None:
    """Imported only where answers may be spoken."""
    if settings.voice == "off":
        return None
    from interviewer.voice.build import build_recogniser

    try:
        built = build_recogniser(settings)
    except VoiceError as error:
        raise ConfigError(f"VIVA_VOICE={settings.voice}: {error}") from error
    if built is not None:
        stack.push_async_callback(built.aclose)
    return built


async def _dictations(
    stack: AsyncExitStack, settings: Settings, recogniser: Recogniser
) -> Dictations:
    folder = sound_folder(settings.database_url, settings.audio_folder)
    if not await on_disk(can_keep, folder):
        raise ConfigError(f"VIVA_AUDIO_FOLDER={folder}: name a folder that Viva may write in")
    shelf = Shelf(folder, settings.audio_days)
    dictations = Dictations(shelf, recogniser)
    stack.push_async_callback(dictations.aclose)
    await dictations.sweep()
    return dictations


def load_cards(settings: Settings) -> Library:
    """The bundled cards and the person's own. Raises ConfigError with every fault of them."""
    try:
        library = load(CARDS, *settings.cards)
        bundled = {path.stem for path in CARDS.glob("*.md")}
        for card in library.cards:
            if card.id not in bundled:  # the tests have computed the facts of these
                compute_facts(card)
    except (InvalidCard, InvalidFact) as error:
        raise ConfigError(f"cards: {error}") from error
    return library


def _assemble(
    settings: Settings,
    store: EventStore,
    library: Library,
    llm: LLM | None,
    judges: tuple[LLM, ...],
    now: Callable[[], datetime],
) -> Viva:
    rubrics = load_rubrics()
    repeats = settings.judge_repeats
    scorers: tuple[Scorer, ...] = (RuleScorer(), *([_judge(judges, repeats)] if judges else []))
    asker = _model_interviewer(llm) if llm else None
    rounds = Rounds(store, library, rubrics, CardInterviewer(), asker, scorers, now)
    return Viva(settings, store, library, rubrics, rounds, llm, judges, scorers)


def _model_interviewer(llm: LLM) -> Interviewer:
    """Imported only where there is a model: a laptop without one starts sooner."""
    from interviewer.interviewers.model import ModelInterviewer
    from interviewer.prompts.library import PromptLibrary

    return ModelInterviewer(llm, PromptLibrary(), CATALOG)


def _judge(llms: tuple[LLM, ...], repeats: int) -> Scorer:
    from interviewer.prompts.library import PromptLibrary
    from interviewer.scoring.panel import judge_of

    return judge_of(llms, PromptLibrary(), repeats)


async def _build(
    stack: AsyncExitStack, settings: Settings, endpoint: Endpoint | None, salt: str
) -> LLM | None:
    if endpoint is None:
        return None
    report = None
    if endpoint.provider == "vllm":
        report = await in_force(settings.checks, endpoint.base_url, endpoint.model)
    llm = build_llm(
        endpoint.provider,
        endpoint.base_url,
        endpoint.model,
        endpoint.api_key,
        cache_salt=salt,
        timeout_s=settings.llm_timeout_s,
        found=Found(report.capabilities, report.strict_tools) if report else None,
    )
    stack.push_async_callback(llm.aclose)
    return llm
