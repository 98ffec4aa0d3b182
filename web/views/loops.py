"""Companies' loops to choose from, one that is being practised, and its summary."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from interviewer.events import PlannedStage
from interviewer.loops import LoopRun
from interviewer.session import RoundSession
from rubrics.scorecard import Part, Scorecard
from tools.market.loops import Loop
from web.figures.loops import RULES, kind_said, minutes_said
from web.views.parts import LABELS

SOLID = 3
CLOSE = "End the loop and read the summary"


@dataclass(frozen=True, slots=True)
class StageLine:
    """A stage as lists show it; `questions` is how many stand for it in practice."""

    name: str
    minutes: str
    ai: str
    note: str
    questions: int


@dataclass(frozen=True, slots=True)
class LoopChoice:
    """A loop to choose."""

    id: str
    company: str
    kind: str
    role: str
    source: str
    read: str
    ai_rule: str
    note: str
    stages: tuple[StageLine, ...]


def loop_choices(loops: Sequence[Loop]) -> tuple[LoopChoice, ...]:
    """The loops in the order of their file: published ones, then composites."""
    return tuple(
        LoopChoice(
            id=loop.id,
            company=loop.company,
            kind=kind_said(loop.kind),
            role=loop.role,
            source=loop.source,
            read=loop.read,
            ai_rule=loop.ai_rule,
            note=loop.note,
            stages=tuple(
                StageLine(s.name, minutes_said(s.minutes), _ai(s.ai), s.note, len(s.asks))
                for s in loop.stages
            ),
        )
        for loop in loops
    )


def _ai(rule: str) -> str:
    return next((said for name, said in RULES.items() if name == rule), rule)


@dataclass(frozen=True, slots=True)
class RoundLine:
    """A round of a loop: its question and its overall level, where there is one."""

    id: str
    title: str
    over: bool
    overall: str
    levels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class StageRow:
    """A stage of a loop that is practised."""

    name: str
    minutes: str
    ai: str
    note: str
    state: str
    """'done', 'now', 'to come' or 'not practised here'."""
    questions: int
    rounds: tuple[RoundLine, ...]
    until: str
    """When the time of the stage at hand is up; empty where it has none."""
    used: str
    """Minutes from its beginning to the next stage's, or to the last round's end."""


@dataclass(frozen=True, slots=True)
class Tally:
    """Of the rounds with one rubric and one scorer: how many were solid in each part."""

    rubric: str
    scorer: str
    rounds: int
    parts: tuple[tuple[str, int, int], ...]
    """Label, solid or better, assessed."""
    advice: str


@dataclass(frozen=True, slots=True)
class LoopPage:
    """A loop as its page shows it. `action` is what its button does; empty once it is over."""

    id: str
    company: str
    kind: str
    role: str
    source: str
    read: str
    ai_rule: str
    at: datetime
    stages: tuple[StageRow, ...]
    action: str
    closing: bool
    """Whether that ends the loop: then nothing is left to end it before."""
    pause: str
    """What is said of the break before the next stage."""
    left: bool
    tallies: tuple[Tally, ...]


def loop_page(run: LoopRun, sessions: Mapping[str, RoundSession], now: datetime) -> LoopPage:
    """The page at a moment; `sessions` holds the rounds that can still be opened, by id."""
    action, pause = _next(run, sessions, now)
    cards = [s.state.scorecards[-1] for s in sessions.values() if s.state.scorecards]
    return LoopPage(
        id=run.id,
        company=run.plan.company,
        kind=kind_said(run.plan.kind),
        role=run.plan.role,
        source=run.plan.source,
        read=run.plan.read,
        ai_rule=run.plan.ai_rule,
        at=run.begun_at,
        stages=tuple(_row(n, stage, run, sessions) for n, stage in enumerate(run.plan.stages)),
        action=action,
        closing=action == CLOSE,
        pause=pause,
        left=run.ended is not None and run.ended.reason == "left",
        tallies=tuple(_tallies(cards)) if run.ended else (),
    )


def _next(run: LoopRun, sessions: Mapping[str, RoundSession], now: datetime) -> tuple[str, str]:
    """What the button says, and what is said of a break before it."""
    if run.ended:
        return "", ""
    newest = sessions.get(run.played[-1].round) if run.played else None
    if newest is not None and newest.state.ended is None:
        return "Go on with the question at hand", ""
    if run.next_card(now) is not None:
        return "Next question", ""
    stage = run.next_stage()
    if stage is None:
        return CLOSE, ""
    name = run.plan.stages[stage].name
    if run.stage is None:
        return f"Begin: {name}", ""
    return f"Begin: {name}", _pause(run, now)


def _pause(run: LoopRun, now: datetime) -> str:
    at = run.stage or 0
    deadline = run.deadline(at)
    left = len(run.plan.stages[at].cards) - len(run.of_stage(at))
    over = "The time of this stage is up" if deadline and now >= deadline and left else "Done"
    return (
        f"{over}: {run.plan.stages[at].name}. Take a break; the next stage's time begins with it."
    )


def _row(
    n: int, stage: PlannedStage, run: LoopRun, sessions: Mapping[str, RoundSession]
) -> StageRow:
    played = run.of_stage(n)
    return StageRow(
        name=stage.name,
        minutes=minutes_said(stage.minutes),
        ai=_ai(stage.ai),
        note=stage.note,
        state=_state(n, stage, run),
        questions=len(stage.cards),
        rounds=tuple(_round(p.round, p.card, sessions.get(p.round)) for p in played),
        until=_until(n, stage, run),
        used=_used(n, run, sessions),
    )


def _state(n: int, stage: PlannedStage, run: LoopRun) -> str:
    if not stage.cards:
        return "not practised here"
    if run.stage is None or n > run.stage:
        return "not reached" if run.ended else "to come"
    return "now" if n == run.stage and run.ended is None else "done"


def _until(n: int, stage: PlannedStage, run: LoopRun) -> str:
    deadline = run.deadline(n)
    at_hand = _state(n, stage, run) == "now"
    return f"time until {deadline:%H:%M} UTC" if deadline and at_hand else ""


def _round(round_id: str, card: str, session: RoundSession | None) -> RoundLine:
    if session is None:
        return RoundLine(round_id, card, over=True, overall="taken away", levels=())
    scorecard = next(iter(session.state.scorecards[-1:]), None)
    levels = [f"{LABELS[s.part]} {s.level or '–'}" for s in scorecard.scores] if scorecard else []
    overall = f"{scorecard.overall} of 4" if scorecard and scorecard.overall else "not assessed"
    over = session.state.ended is not None
    said = overall if scorecard else "being scored" if over else "not finished"
    return RoundLine(round_id, session.card.title, over, said, tuple(levels))


def _used(n: int, run: LoopRun, sessions: Mapping[str, RoundSession]) -> str:
    ends = [
        sessions[played.round].log[-1].at
        for played in run.of_stage(n)
        if played.round in sessions and sessions[played.round].state.ended
    ]
    if not ends:
        return ""
    return f"{(max(ends) - run.begun[n]).total_seconds() / 60:.0f} min used"


def _tallies(cards: Sequence[Scorecard]) -> Iterator[Tally]:
    """One for each rubric and scorer: levels of two of them are never put together."""
    identities = sorted({(card.rubric, card.rubric_hash, card.scorer) for card in cards})
    for rubric, rubric_hash, scorer in identities:
        some = [c for c in cards if (c.rubric_hash, c.scorer) == (rubric_hash, scorer)]
        parts = tuple((LABELS[part], *_solid(part, some)) for part in Part)
        yield Tally(rubric, scorer, len(some), parts, _advice(parts))


def _solid(part: Part, cards: Sequence[Scorecard]) -> tuple[int, int]:
    levels = [level for card in cards if (level := card.score(part).level) is not None]
    return sum(level >= SOLID for level in levels), len(levels)


def _advice(parts: Sequence[tuple[str, int, int]]) -> str:
    assessed = [part for part in parts if part[2]]
    if not assessed:
        return ""
    label, solid, count = min(assessed, key=lambda part: part[1] / part[2])
    if solid == count:
        return "Every part was solid in every round."
    return f"Practise the {label.lower()} next: solid in {solid} of {count}."
