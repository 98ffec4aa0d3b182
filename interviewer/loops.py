"""A company's loop as one session: its plan with cards drawn for each stage, folded from its log.

Pure: the caller brings cards, tries, randomness and the time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from random import Random
from typing import get_args

from interviewer.events import (
    LoopBegun,
    LoopEnded,
    LoopRoundBegun,
    PlannedStage,
    Recorded,
    StageBegun,
)
from questions.model import QuestionCard
from tools.market.loops import BankRound, Loop, Stage

BY_KIND: Mapping[str, BankRound] = {
    "technical": "technical screen",
    "design": "system design",
    "decomposition": "system design",
    "coding": "coding",
    "behavioural": "behavioural",
}
"""Where a card is asked that names no round of the bank's."""
BY_ROUND: Mapping[str, BankRound] = {
    "recruiter or hiring-manager screen": "recruiter screen",
    **{name: name for name in get_args(BankRound)},
}
BY_THEME: Mapping[str, BankRound] = {
    "motivation": "recruiter screen",
    "role": "recruiter screen",
    "coding": "coding",
    "inference: coding an engine": "coding",
    "system design with FDE cases": "system design",
    "behavioural": "behavioural",
}
"""Themes that are asked in one round, whatever kind their cards are of."""


def round_of(card: QuestionCard) -> BankRound:
    """The round of a loop that a card is for: by its own word, its theme, its kind."""
    stated = BY_ROUND.get(card.round) or BY_THEME.get(card.theme)
    return stated or BY_KIND[card.kind]


def plan(
    loop: Loop, cards: Sequence[QuestionCard], tries: Mapping[str, int], rng: Random
) -> LoopBegun:
    """The loop with a card for each round that stands for a stage, none twice."""
    used: set[str] = set()
    stages = tuple(_planned(stage, loop, cards, tries, rng, used) for stage in loop.stages)
    return LoopBegun(
        loop=loop.id,
        company=loop.company,
        kind=loop.kind,
        role=loop.role,
        source=loop.source,
        read=loop.read,
        ai_rule=loop.ai_rule,
        stages=stages,
    )


def _planned(
    stage: Stage,
    loop: Loop,
    cards: Sequence[QuestionCard],
    tries: Mapping[str, int],
    rng: Random,
    used: set[str],
) -> PlannedStage:
    drawn: list[str] = []
    for asked in stage.asks:
        free = [card for card in cards if round_of(card) == asked and card.id not in used]
        if free:
            chosen = min(free, key=lambda card: (*_rank(card, loop, tries), rng.random()))
            drawn.append(chosen.id)
            used.add(chosen.id)
    return PlannedStage(
        name=stage.name, minutes=stage.minutes, ai=stage.ai, note=stage.note, cards=tuple(drawn)
    )


def _rank(card: QuestionCard, loop: Loop, tries: Mapping[str, int]) -> tuple[bool, int]:
    """Questions that the company is known for first, then what was tried least."""
    named = loop.company.casefold() in (name.casefold() for name in card.asked_by.companies)
    return (not named, tries.get(card.id, 0))


@dataclass(frozen=True, slots=True)
class Played:
    """A round of a loop."""

    stage: int
    card: str
    round: str
    at: datetime


@dataclass(frozen=True, slots=True)
class LoopRun:
    """One session on a company's loop."""

    id: str
    plan: LoopBegun
    begun_at: datetime
    seq: int
    begun: tuple[datetime, ...] = ()
    """When each stage was begun, as far as they were."""
    played: tuple[Played, ...] = ()
    ended: LoopEnded | None = None

    @property
    def stage(self) -> int | None:
        """The stage at hand; None before the first."""
        return len(self.begun) - 1 if self.begun else None

    def of_stage(self, stage: int) -> tuple[Played, ...]:
        """The rounds of a stage."""
        return tuple(played for played in self.played if played.stage == stage)

    def deadline(self, stage: int) -> datetime | None:
        """When the stage's time is up; None where none is stated or it has not begun."""
        minutes = self.plan.stages[stage].minutes
        if minutes is None or stage >= len(self.begun):
            return None
        return self.begun[stage] + timedelta(minutes=minutes[1])

    def next_card(self, now: datetime) -> str | None:
        """The next question of the stage at hand; None where it has no more, or no more time."""
        if self.stage is None or self.ended:
            return None
        deadline = self.deadline(self.stage)
        if deadline is not None and now >= deadline:
            return None
        asked = len(self.of_stage(self.stage))
        return next(iter(self.plan.stages[self.stage].cards[asked:]), None)

    def next_stage(self) -> int | None:
        """The next stage that has questions; None where there is none."""
        first = 0 if self.stage is None else self.stage + 1
        later = range(first, len(self.plan.stages))
        return next((n for n in later if self.plan.stages[n].cards), None)


def run_of(loop_id: str, log: Iterable[Recorded]) -> LoopRun | None:
    """Fold a loop's log; None where it does not begin as one."""
    run: LoopRun | None = None
    for recorded in log:
        match recorded.event:
            case LoopBegun() as plan_:
                run = LoopRun(loop_id, plan_, recorded.at, recorded.seq)
            case _:
                run = _evolve(run, recorded) if run else None
    return run


def _evolve(run: LoopRun, recorded: Recorded) -> LoopRun:
    run = replace(run, seq=recorded.seq)
    match recorded.event:
        case StageBegun(stage=stage) if stage < len(run.plan.stages):
            # Stages without questions are passed over: they begin and end where the next one does.
            passed = stage + 1 - len(run.begun)
            return replace(run, begun=(*run.begun, *[recorded.at] * passed))
        case LoopRoundBegun(stage=stage, card=card, round=round_id):
            return replace(run, played=(*run.played, Played(stage, card, round_id, recorded.at)))
        case LoopEnded() as ended:
            return replace(run, ended=ended)
        case _:
            return run
