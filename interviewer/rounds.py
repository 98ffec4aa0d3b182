"""Starting and opening rounds: one session per round in a process, rebuilt from the log whenever
nobody holds it.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from weakref import WeakValueDictionary

from interviewer.beginning import begin
from interviewer.cast import Cast
from interviewer.clock import utc_now
from interviewer.errors import NoSuchDrill, UnknownRound
from interviewer.events import DrillName, PartName, Recorded, RoundStarted
from interviewer.grounding.facts import compute_facts
from interviewer.interviewers.numbers import NumberInterviewer
from interviewer.interviewers.scene import Interviewer
from interviewer.scoring.material import Scorer
from interviewer.scoring.number_scorer import NumberScorer
from interviewer.session import RoundSession
from interviewer.store import EventStore, RoundSummary
from questions.library import Library
from questions.model import QuestionCard
from rubrics.model import Rubric


class Rounds:
    """The rounds of this installation."""

    def __init__(
        self,
        store: EventStore,
        library: Library,
        rubrics: Mapping[str, Rubric],
        card_interviewer: Interviewer,
        model_interviewer: Interviewer | None = None,
        scorers: tuple[Scorer, ...] = (),
        now: Callable[[], datetime] = utc_now,
    ) -> None:
        self._store = store
        self._library = library
        self._rubrics = rubrics
        self._card_interviewer = card_interviewer
        self._model_interviewer = model_interviewer
        self._scorers = scorers
        self.now = now
        # Weak: a session lives while a connection or a running task holds it, and is replayed from
        # the log after.
        self._open: WeakValueDictionary[str, RoundSession] = WeakValueDictionary()

    async def start(
        self,
        card_id: str,
        part: PartName | None = None,
        interviewer: str | None = None,
        drill: DrillName | None = None,
        after: str | None = None,
        loop: str | None = None,
        story: str | None = None,
    ) -> RoundSession:
        """Begin a round on a card; `drill` or `part` makes it a short one, `interviewer="card"`
        leaves the model out. `after` names the round whose weak part "again" is about, `loop` the
        company loop that the round is part of, `story` the person's story that it rehearses.

        Raises UnknownCard, NoSuchDrill.
        """
        card = self._library.get(card_id)
        if drill == "again" and part is None:
            part = await self._weak_part(card, after)
        asker = self._model_interviewer if interviewer != "card" and drill != "number" else None
        event = begin(card, asker.name if asker else "card", part=part, drill=drill, after=after)
        event = event.model_copy(update={"loop": loop, "story": story})
        round_id = secrets.token_hex(8)
        session = self._session(
            round_id, await self._store.append(round_id, 1, event, at=self.now()), card
        )
        session.advance()
        return session

    async def open(self, round_id: str) -> RoundSession:
        """The session of a round, live or replayed.

        Raises UnknownRound; UnknownCard where its card is gone.
        """
        if (session := self._open.get(round_id)) is not None:
            return session
        log = await self._store.read(round_id)
        # Another caller may have opened it while we read: there must be one session only.
        if (session := self._open.get(round_id)) is not None:
            return session
        return self._session(round_id, log, self._card_of(log))

    async def list(self, limit: int = 50, offset: int = 0) -> list[RoundSummary]:
        """Rounds, the newest first."""
        return await self._store.rounds(limit, offset)

    async def close(self) -> None:
        """Stop every session; what was recorded stays."""
        for session in list(self._open.values()):
            await session.close()

    async def _weak_part(self, card: QuestionCard, after: str | None) -> PartName:
        """The weakest part of the round that "again" follows. Raises NoSuchDrill."""
        earlier = (await self.open(after)).state if after else None
        scorecard = earlier.scorecards[-1] if earlier and earlier.scorecards else None
        if scorecard is None or scorecard.weakest is None or scorecard.card != card.id:
            raise NoSuchDrill("again: name a scored round on this card as 'after', or a 'part'")
        return scorecard.weakest.value

    def _card_of(self, log: Sequence[Recorded]) -> QuestionCard:
        started = log[0].event
        if not isinstance(started, RoundStarted):
            raise UnknownRound(f"the log begins with {started.type}, not with RoundStarted")
        return self._library.get(started.card)

    def _session(self, round_id: str, log: Sequence[Recorded], card: QuestionCard) -> RoundSession:
        numbers = isinstance(log[0].event, RoundStarted) and log[0].event.drill == "number"
        cast = Cast(
            card=card,
            facts=compute_facts(card),
            rubric=self._rubrics[card.rubric],
            card_interviewer=NumberInterviewer() if numbers else self._card_interviewer,
            model_interviewer=None if numbers else self._model_interviewer,
            scorers=(NumberScorer(),) if numbers else self._scorers,
        )
        session = RoundSession(round_id, log, cast, self._store, self.now)
        self._open[round_id] = session
        return session
