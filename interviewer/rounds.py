"""Starting and opening rounds: one session per round in a process, rebuilt from the log whenever
nobody holds it.
"""

import secrets
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from weakref import WeakValueDictionary

from interviewer.cast import Cast
from interviewer.clock import utc_now
from interviewer.errors import UnknownRound
from interviewer.events import PartName, Recorded, RoundStarted
from interviewer.grounding.facts import compute_facts
from interviewer.interviewers.scene import Interviewer
from interviewer.scoring.material import Scorer
from interviewer.session import RoundSession
from interviewer.store import EventStore, RoundSummary
from questions.library import Library
from questions.model import QuestionCard
from rubrics.model import Rubric

DRILL_LIMIT_S = 60


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
        self._now = now
        # Weak: a session lives while a connection or a running task holds it, and is replayed from
        # the log after.
        self._open: WeakValueDictionary[str, RoundSession] = WeakValueDictionary()

    async def start(
        self, card_id: str, part: PartName | None = None, interviewer: str | None = None
    ) -> RoundSession:
        """Begin a round on a card; `part` makes it a drill, `interviewer="card"` leaves the model
        out.
        """
        card = self._library.get(card_id)
        asker = self._model_interviewer if interviewer != "card" else None
        started = RoundStarted(
            card=card.id,
            card_hash=card.hash,
            title=card.title,
            question=card.question,
            kind=card.kind,
            rubric=card.rubric,
            limit_s=DRILL_LIMIT_S if part else card.limit_s,
            part=part,
            interviewer=asker.name if asker else "card",
        )
        round_id = secrets.token_hex(8)
        session = self._session(
            round_id, await self._store.append(round_id, 1, started, at=self._now()), card
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

    def _card_of(self, log: Sequence[Recorded]) -> QuestionCard:
        started = log[0].event
        if not isinstance(started, RoundStarted):
            raise UnknownRound(f"the log begins with {started.type}, not with RoundStarted")
        return self._library.get(started.card)

    def _session(self, round_id: str, log: Sequence[Recorded], card: QuestionCard) -> RoundSession:
        cast = Cast(
            card=card,
            facts=compute_facts(card),
            rubric=self._rubrics[card.rubric],
            card_interviewer=self._card_interviewer,
            model_interviewer=self._model_interviewer,
            scorers=self._scorers,
        )
        session = RoundSession(round_id, log, cast, self._store, self._now)
        self._open[round_id] = session
        return session
