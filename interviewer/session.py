"""One live round: records, looks at the state, does one effect, records.

Resuming after a crash is `advance` again.
"""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from typing import Any, Literal, TypeVar

from interviewer.cast import Cast
from interviewer.clock import Clock, utc_now
from interviewer.drills import DRILLS
from interviewer.errors import (
    Busy,
    ConcurrentWriter,
    ConflictingResend,
    InterviewerError,
    LLMError,
    RoundOver,
    StoreUnavailable,
)
from interviewer.events import (
    CandidateMovedOn,
    CandidatePaused,
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    Mode,
    ModelFailed,
    Recorded,
    RoundEnded,
    RoundScored,
    SpeechInterrupted,
)
from interviewer.grounding.facts import ComputedFact
from interviewer.grounding.ledger import ledger_for
from interviewer.heard import Heard
from interviewer.interviewers.scene import Interviewer, Scene
from interviewer.notices import Delta, Notice, Observer, State, Status
from interviewer.round import Phase, Round, Step, digest, evolve, next_step, replay
from interviewer.scoring.material import Material
from interviewer.store import EventStore
from interviewer.transcript import Turn, as_heard, without_asides
from interviewer.utterance import check_text, longest_of
from questions.model import QuestionCard

logger = logging.getLogger(__name__)
T = TypeVar("T")

LEAVE_GRACE_S = 0.5
"""A reload reconnects within this; after it the model's words would be streamed to nobody, so the
call is cancelled.
"""
RETRY_STORE_S = 2.0
NUDGE = "That is time. Finish your sentence and send what you have."

_ALIVE: set[asyncio.Task[Any]] = set()
"""The event loop holds tasks weakly; a task that nobody holds can vanish in mid-round."""


class RoundSession:
    """A round in memory: its log, the state folded from it, and whoever watches."""

    def __init__(
        self,
        round_id: str,
        log: Sequence[Recorded],
        cast: Cast,
        store: EventStore,
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self.id = round_id
        self.log = list(log)
        self.state: Round = replay(log)
        self.cast = cast
        self.speech = ""
        self._store = store
        self._now = now
        self._lock = asyncio.Lock()
        self._observers: list[Observer] = []
        self._tasks: set[asyncio.Task[Any]] = set()
        self._running: asyncio.Task[None] | None = None
        self._nudge: asyncio.TimerHandle | None = None
        self._silences = 0
        self._stalled = False
        self._held_at: datetime | None = None
        self.warming = False
        """Whether the model is being tried, while the candidate reads the question."""
        self.scoring_again: list[str] = []
        """The scorers that read the round once more at this moment."""

    @property
    def card(self) -> QuestionCard:
        """The card that is played."""
        return self.cast.card

    @property
    def facts(self) -> tuple[ComputedFact, ...]:
        """The card's numbers, computed."""
        return self.cast.facts

    @property
    def status(self) -> State:
        """What the round is doing at this moment."""
        if self.state.phase is Phase.ASKING:
            return self._asking_status()
        by_phase: dict[Phase, State] = {
            Phase.ANSWERING: "listening",
            Phase.CLOSING: "scoring",
            Phase.SCORING: "scoring",
            Phase.OVER: "over",
        }
        return "stalled" if self._stalled else by_phase[self.state.phase]

    def clock(self) -> Clock | None:
        """The clock of the question at hand; None while none is open."""
        question = self.state.question
        if question is None:
            return None
        held = self._held_at if self._held_at and self._held_at >= question.asked_at else None
        clock = Clock.read(question, held or self._now())
        return replace(clock, held=True) if held else clock

    def hold_clock(self, at: datetime | None) -> None:
        """Let the question's clock stand still at a moment, while what was said then is written
        down and checked; None lets it go on.
        """
        self._held_at = at
        self._arm_nudge()

    # What the candidate does. Each returns the seq of its event, and gives the same one for a
    # resend.

    async def hear(
        self,
        client_id: str,
        text: str,
        mode: Mode = "typed",
        heard: Heard | None = None,
    ) -> int:
        """Record an utterance whole; durable when this returns. Then the interviewer goes on."""
        check_text(text, longest=longest_of(mode))

        def spoke() -> CandidateSpoke:
            clock = self._floor()
            elapsed = clock.limit_s - clock.left_s + clock.over_s
            return CandidateSpoke(
                client_id=client_id,
                text=text,
                mode=mode,
                elapsed_s=round(elapsed, 1),
                over_s=round(clock.over_s, 1),
                heard=heard,
            )

        return await self._accept(client_id, text, spoke)

    async def pause(self, client_id: str) -> int:
        """Note that the candidate thinks: the clock runs on, the interviewer stays silent."""

        def paused() -> CandidatePaused:
            self._floor()
            return CandidatePaused(client_id=client_id)

        return await self._accept(client_id, "pause", paused)

    async def move_on(self, client_id: str) -> int:
        """Take 'move on' for an answer, at any time before the end."""
        if client_id not in self.state.heard:
            await self.interrupt()

        def moved() -> CandidateMovedOn:
            self._floor()
            return CandidateMovedOn(client_id=client_id)

        return await self._accept(client_id, "move on", moved)

    async def finish(self, client_id: str) -> int:
        """End the round at the candidate's wish; what was said is scored."""
        return await self._in_silence(lambda: self._ending("left"))

    async def interrupt(self) -> None:
        """Stop the interviewer in mid-speech; what was heard of it is kept."""
        if self.state.phase is not Phase.ASKING:
            return

        def interrupted() -> SpeechInterrupted | None:
            if self.state.phase is not Phase.ASKING:
                return None
            text, self.speech = self.speech, ""
            return SpeechInterrupted(text=text, speaker=self.state.interviewer)

        await self._in_silence(interrupted)

    # Watching.

    def watch(self, observer: Observer) -> Callable[[], None]:
        """Tell `observer` of every notice from now on; returns how to stop. It must not block."""
        self._observers.append(observer)
        self._arm_nudge()

        def unwatch() -> None:
            with suppress(ValueError):
                self._observers.remove(observer)
            if not self._observers:
                asyncio.get_running_loop().call_later(LEAVE_GRACE_S, self._left)

        return unwatch

    def advance(self) -> None:
        """Go on until it is the candidate's move; safe to call at any time, and after a crash."""
        if self._silences or (self._running is not None and not self._running.done()):
            return
        if next_step(self.state) in (Step.WAIT, Step.DONE):
            self._arm_nudge()
            return
        self._running = self.spawn(self._run())

    async def settle(self) -> None:
        """Wait until it is the candidate's move or the round is over."""
        while self._running is not None and not self._running.done():
            await asyncio.wait([self._running])

    async def close(self) -> None:
        """Stop everything that runs, for good; what was recorded stays."""
        self._silences += 1
        if self._nudge is not None:
            self._nudge.cancel()
        tasks = list(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    # Effects.

    async def _run(self) -> None:
        while (step := next_step(self.state)) not in (Step.WAIT, Step.DONE):
            try:
                await self._do(step)
                self._stalled = False
            except StoreUnavailable as error:
                logger.error("round %s waits for the database: %s", self.id, error)
                self._stalled = True
                self._tell(Status("stalled"))
                await asyncio.sleep(RETRY_STORE_S)
        self._tell(Status(self.status))
        self._arm_nudge()

    async def _do(self, step: Step) -> None:
        match step:
            case Step.SPEAK:
                await self._speak()
            case Step.END:
                answered = any(turn.text.strip() for turn in self.state.answers)
                await self.record(lambda: self._ending("finished" if answered else "moved_on"))
            case _:
                await self._score()

    def _ending(self, reason: Literal["finished", "moved_on", "left"]) -> RoundEnded | None:
        return None if self.state.ended else RoundEnded(reason=reason)

    async def _speak(self) -> None:
        self.speech = ""
        self._tell(Status(self.status))
        opening = not self.state.turns
        try:
            await self._asker().speak(self._scene(), self)
        except LLMError as error:
            await self._fail(error)
        if opening and self.state.interviewer != "card":
            self.warming = True
            self.spawn(self._warm())

    def say(self, text: str) -> None:
        """See `Floor.say`."""
        offset, self.speech = len(self.speech), self.speech + text
        self._tell(Delta(offset, text))
        if not offset:
            self._tell(Status(self.status))

    async def keep(self, event: Event) -> None:
        """See `Floor.keep`."""
        if isinstance(event, InterviewerSpoke):
            self.speech = ""
        # A turn that was stopped or ended meanwhile is void.
        await self.record(lambda: event if self.state.phase is Phase.ASKING else None)
        if not isinstance(event, InterviewerSpoke):
            self._tell(Status(self.status))

    async def _warm(self) -> None:
        """Try the model while the candidate reads the question, so that its absence is known before
        it matters.
        """
        try:
            if self.cast.model_interviewer is not None:
                await self.cast.model_interviewer.warm(self._scene())
        except LLMError as error:
            await self._fail(error)
        finally:
            self.warming = False

    async def _fail(self, error: LLMError) -> None:
        logger.warning(
            "round %s goes on with the card interviewer: %s: %s", self.id, error.kind, error
        )
        self.speech = ""

        def failed() -> ModelFailed | None:
            if self.state.interviewer == "card":
                return None
            return ModelFailed(role="interviewer", kind=error.kind, message=str(error)[:500])

        await self.record(failed)

    async def _score(self) -> None:
        self._tell(Status("scoring"))
        material, scored = self.material(self.state.turns), list[RoundScored]()
        if (heard := as_heard(self.state.turns)) != self.state.turns:
            scorecard = await self.cast.scorers[-1].score(self.material(heard))
            scored.append(RoundScored(scorecard=scorecard, text="heard"))
        for scorer in self.cast.scorers:
            scored.append(RoundScored(scorecard=await scorer.score(material)))
        await self.record(*[lambda event=event: event for event in scored])

    def material(self, turns: Sequence[Turn]) -> Material:
        """What a scorer needs of this round, with these turns."""
        started = self.state.started
        return Material(
            card=self.card,
            facts=self.facts,
            rubric=self.cast.rubric,
            turns=without_asides(turns),
            part=started.part if started else None,
            other_question=bool(started and started.drill and DRILLS[started.drill].other_question),
        )

    # Plumbing.

    def _asker(self) -> Interviewer:
        model = self.cast.model_interviewer
        return (
            self.cast.card_interviewer
            if self.state.interviewer == "card" or model is None
            else model
        )

    def _scene(self) -> Scene:
        ledger = ledger_for(self.state, self.card, self.facts)
        return Scene(
            state=self.state,
            card=self.card,
            facts=self.facts,
            ledger=ledger,
            rubric=self.cast.rubric,
        )

    def _asking_status(self) -> State:
        if self._stalled:
            return "stalled"
        if any(use.returned is None for use in self.state.tool_uses):
            return "tool"
        return "speaking" if self.speech else "thinking"

    def _floor(self) -> Clock:
        """The clock, if the candidate has the floor."""
        if self.state.ended or self.state.phase in (Phase.CLOSING, Phase.SCORING, Phase.OVER):
            raise RoundOver("this round has ended; start another one")
        clock = self.clock()
        if clock is None:
            raise Busy("the interviewer has the floor; stop it, or send again in a moment")
        return clock

    async def _accept(self, client_id: str, said: str, make: Callable[[], Event]) -> int:
        def event() -> Event | int:
            seen = self.state.heard.get(client_id)
            if seen is None:
                return make()
            if seen.digest != digest(said):
                raise ConflictingResend(
                    f"id {client_id!r} was used before with another text; use a new id"
                )
            return seen.seq

        seq = await self.record(event)
        self.advance()
        return seq

    async def record(self, *makers: Callable[[], Event | int | None]) -> int:
        """Append durably, then fold and tell.

        A cancelled caller does not undo what the store has taken.
        """
        return await asyncio.shield(self.spawn(self._append(makers)))

    async def _append(self, makers: Sequence[Callable[[], Event | int | None]]) -> int:
        async with self._lock:
            made = [maker() for maker in makers]
            if isinstance(made[0], int):
                return made[0]
            events = [event for event in made if event is not None and not isinstance(event, int)]
            if not events:
                return self.state.seq
            try:
                recorded = await self._store.append(
                    self.id, self.state.seq + 1, *events, at=self._now()
                )
            except ConcurrentWriter:
                self._fold(await self._store.read(self.id, self.state.seq))
                raise
            self._fold(recorded)
            return recorded[-1].seq

    def _fold(self, recorded: Sequence[Recorded]) -> None:
        for item in recorded:
            self.log.append(item)
            self.state = evolve(self.state, item)
            self._tell(item)

    def _tell(self, notice: Notice) -> None:
        for observer in tuple(self._observers):
            observer(notice)

    async def _in_silence(self, make: Callable[[], Event | None]) -> int:
        """Record while the interviewer is silent; a caller who is cancelled does not undo it."""
        return await asyncio.shield(self.spawn(self._silenced(make)))

    async def _silenced(self, make: Callable[[], Event | None]) -> int:
        """Cancel the interviewer's speech, and with it the upstream request; scoring goes on.

        Until the event is recorded nobody begins to speak anew, whoever looks in meanwhile.
        """
        self._silences += 1
        try:
            if self.state.phase is Phase.ASKING and self._running is not None:
                self._running.cancel()
                await asyncio.wait([self._running])
            return await self.record(make)
        finally:
            self._silences -= 1
            self._tell(Status(self.status))
            self.advance()

    def _left(self) -> None:
        if not self._observers and self.state.phase is Phase.ASKING and self._running is not None:
            logger.info("round %s: nobody listens, the interviewer's turn is cancelled", self.id)
            self._running.cancel()
            self.speech = ""
            # Who comes back while the turn is being taken down finds it running still.
            self._running.add_done_callback(lambda _: self.advance() if self._observers else None)

    def _arm_nudge(self) -> None:
        if self._nudge is not None:
            self._nudge.cancel()
            self._nudge = None
        clock, question = self.clock(), self.state.question
        if clock is None or question is None or question.nudged or not self._observers:
            return
        self._nudge = asyncio.get_running_loop().call_later(
            clock.left_s, lambda: self.spawn(self._say_time())
        )

    async def _say_time(self) -> None:
        def nudge() -> InterviewerSpoke | None:
            clock, question = self.clock(), self.state.question
            if (
                clock is None
                or question is None
                or clock.left_s > 0
                or question.thinking
                or question.nudged
            ):
                return None
            return InterviewerSpoke(text=NUDGE, purpose="nudge", speaker="card")

        with suppress(StoreUnavailable):
            await self.record(nudge)

    def spawn(self, work: Coroutine[Any, Any, T]) -> "asyncio.Task[T]":
        """Keep a task alive until it ends; a fault of ours in it is logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        _ALIVE.add(task)
        task.add_done_callback(self._ended)
        return task

    def _ended(self, task: "asyncio.Task[Any]") -> None:
        self._tasks.discard(task)
        _ALIVE.discard(task)
        error = None if task.cancelled() else task.exception()
        # What is raised on purpose is for whoever waits; nobody waits for the round itself.
        if error is not None and (task is self._running or not isinstance(error, InterviewerError)):
            logger.error("round %s: its work stopped", self.id, exc_info=error)
