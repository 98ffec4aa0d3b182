"""Plays one simulated candidate against an interviewer in a real round, and checks what came."""

import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from evals.bench import Bench
from evals.calls import Calls
from evals.candidates import Candidate, EvalClock, ModelCandidate, WrittenCandidate
from evals.cases import CandidateCase
from evals.models import Role
from evals.relevance import relevance
from evals.sample import Unscored
from evals.transcript_checks import CHECKS, Played
from interviewer.interviewers.card import CardInterviewer
from interviewer.interviewers.scene import Interviewer
from interviewer.llm.protocol import LLM
from interviewer.migrations import migrate
from interviewer.prompts import PromptLibrary
from interviewer.round import Phase
from interviewer.rounds import Rounds
from interviewer.scoring.rule_scorer import RuleScorer
from interviewer.session import RoundSession
from interviewer.store import EventStore

MOST_MOVES = 12


@dataclass(frozen=True)
class Stage:
    """What rounds are played with. A model of None means the plain player of that role."""

    bench: Bench
    store: EventStore
    calls: Calls
    roles: Mapping[str, Role]
    models: Mapping[str, LLM | None]

    def logged(self, name: str, scope: str) -> LLM | None:
        """A role's model for one case and repeat, or None."""
        llm = self.models[name]
        if llm is None:
            return None
        return self.calls.model(llm, name, self.roles[name].identity, scope)

    async def evaluate(self, case: CandidateCase, repeat: int) -> dict[str, Any]:
        """Play one round and check it."""
        scope, clock = f"{case.id}#{repeat}", EvalClock.now()
        session = await self._play(case, scope, clock)
        played = Played(
            session.state, session.log, session.card, session.facts, session.cast.rubric
        )
        checks = {name: check(played) for name, check in CHECKS.items()}
        return {
            "checks": checks,
            "transcript": _transcript(session),
            "fits": await self._relevance(played, scope),
        }

    async def _play(self, case: CandidateCase, scope: str, clock: EvalClock) -> RoundSession:
        asker = self.logged("interviewer", scope)
        rounds = Rounds(
            self.store,
            self.bench.library,
            self.bench.rubrics,
            CardInterviewer(),
            _model_interviewer(asker) if asker else None,
            (RuleScorer(),),
            now=clock,
        )
        session = await rounds.start(case.card)
        candidate = self._candidate(case, scope, clock)
        try:
            await _to_the_end(session, candidate)
        finally:
            await session.close()
        return session

    def _candidate(self, case: CandidateCase, scope: str, clock: EvalClock) -> Candidate:
        llm = self.logged("candidate", scope)
        if llm is None:
            return WrittenCandidate(case, clock)
        return ModelCandidate(llm, case.persona, self.bench.card(case.card), clock)

    async def _relevance(self, played: Played, scope: str) -> dict[str, int]:
        llm = self.logged("judge", scope)
        counts: dict[str, int] = {}
        if llm is None:
            return counts
        for turn in played.follow_ups:
            before = played.state.turns[turn.number - 2]
            if before.speaker != "candidate":
                continue
            decision = await relevance(llm, played.card.question, before.text, turn.text)
            counts[decision.verdict] = counts.get(decision.verdict, 0) + 1
        return counts


@contextmanager
def temporary_store() -> Iterator[EventStore]:
    """An empty database that is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'eval.db'}"
        migrate(url)
        store = EventStore(url)
        try:
            yield store
        finally:
            store.close()


def _model_interviewer(llm: LLM) -> Interviewer:
    from interviewer.interviewers.model import ModelInterviewer
    from tools.catalog import CATALOG

    return ModelInterviewer(llm, PromptLibrary(), CATALOG)


async def _to_the_end(session: RoundSession, candidate: Candidate) -> None:
    """Let the candidate move until the round is over. Raises Unscored where a model failed."""
    for number in range(MOST_MOVES):
        await session.settle()
        if session.state.failures:
            failure = session.state.failures[-1]
            raise Unscored("error", f"the interviewer's model: {failure.kind}: {failure.message}")
        if session.state.phase is not Phase.ANSWERING:
            break
        await candidate.move(session, number)
    await session.settle()
    if session.state.phase is Phase.ASKING:
        raise Unscored("unscored", "the interviewer stopped in mid-turn: the budget is spent")


def _transcript(session: RoundSession) -> str:
    return "\n".join(f"{turn.speaker}: {turn.text}" for turn in session.state.turns)
