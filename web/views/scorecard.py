"""A scored round as its page shows it: parts, numbers, flags, both answers, transcript."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime

from interviewer.round import Round
from interviewer.scoring.calibration import trust
from interviewer.session import RoundSession
from interviewer.transcript import Turn, answers_in
from questions.model import Probe, QuestionCard
from rubrics.dispute import disputes
from rubrics.model import Rubric
from rubrics.scorecard import Level, NumberFinding, Part, RedFlag, Score, Scorecard, Vote
from web.views.drills import drill_label
from web.views.figures import ToolUse, formula_name, tool_use
from web.views.marks import MarkedTurn, marked, spans_of
from web.views.parts import LABELS, LEVELS

NOT_SCORED = {
    "not_assessed": "Not assessed.",
    "parse_failed": "Not assessed: the judge's reply could not be read.",
    "refused": "Not assessed: the judge declined to answer.",
    "timeout": "Not assessed: the judge did not answer in time.",
    "error": "Not assessed: the judge failed.",
    "scored": "",
}
VERDICTS = {
    "right": "right",
    "wrong": "wrong",
    "slip": "off by a known slip",
    "doubted": "doubted by the judge",
    "unchecked": "not checked",
}
_WORST_FIRST = ("wrong", "slip", "doubted", "right")


@dataclass(frozen=True, slots=True)
class Quote:
    """Words of the candidate, and the mark in the transcript where they stand."""

    text: str
    href: str


@dataclass(frozen=True, slots=True)
class Row:
    """One of the four parts."""

    part: str
    label: str
    level: Level | None
    level_words: str
    anchor: str
    quotes: tuple[Quote, ...]
    why: str
    improve: str
    next_anchor: str
    weakest: bool
    trust: str
    """How far the scorer's level for this part is known to agree with raters."""
    votes: tuple[Vote, ...]
    """Where several judgements stand behind the level."""
    disputed: str
    """How they split."""


@dataclass(frozen=True, slots=True)
class NumberRow:
    """One stated number with its verdict; `id` is its mark in the transcript."""

    id: str
    said: str
    what: str
    """The card's figure that it was compared with."""
    verdict: str
    verdict_words: str
    right: str
    reason: str
    tool: ToolUse | None
    formula: str
    formula_name: str
    source: str


@dataclass(frozen=True, slots=True)
class Flag:
    """A red flag as a sentence; `quote` where it rests on words."""

    flag: str
    why: str
    quote: Quote | None


@dataclass(frozen=True, slots=True)
class Reply:
    """A follow-up question that was asked, and what a good reply to it contains."""

    asked: str
    good: str


@dataclass(frozen=True, slots=True)
class ScoredRound:
    """Everything on the scorecard page."""

    id: str
    card: QuestionCard
    question: str
    drill: str
    before: str
    """For a part said again: its level before and now."""
    replies: tuple[Reply, ...]
    numbers_only: bool
    """Whether it was a number drill, which has no model answer."""
    at: datetime
    scorecard: Scorecard
    headline: str
    overall: Level | None
    overall_words: str
    overall_trust: str
    fix_first: Row | None
    rows: tuple[Row, ...]
    numbers: tuple[NumberRow, ...]
    """Those that were compared with a fact: the wrong ones first."""
    unchecked: Mapping[str, tuple[NumberRow, ...]]
    """The others, by what is known of them."""
    flags: tuple[Flag, ...]
    own: tuple[Turn, ...]
    transcript: tuple[MarkedTurn, ...]
    notes: tuple[str, ...]
    earlier: int


def scored_round(
    session: RoundSession,
    rubrics: Mapping[str, Rubric],
    earlier: Scorecard | None = None,
    number: int | None = None,
) -> ScoredRound:
    """The page of a round that has a scorecard; the newest one is shown, or that of a number.

    `earlier` is the scorecard whose weak part the round says again.
    """
    state, card = session.state, session.card
    scorecard = state.scorecards[(number or 0) - 1]
    rubric = rubrics.get(scorecard.rubric)
    clashes = _clashes(scorecard, state.scorecards)
    rows = tuple(_row(score, scorecard, rubric, clashes) for score in scorecard.scores)
    labels = {fact.id: fact.label for fact in card.facts}
    numbers = [_number(n, found, labels) for n, found in enumerate(scorecard.numbers)]
    checked = _once([row for row in numbers if row.verdict != "unchecked"])
    started = state.started
    numbers_only = bool(started and started.pool)
    return ScoredRound(
        id=session.id,
        card=card,
        question=started.question if started else card.question,
        drill=drill_label(started),
        before=_before(scorecard, earlier),
        replies=replies_of(state, card),
        numbers_only=numbers_only,
        at=state.started_at or session.log[0].at,
        scorecard=scorecard,
        headline=_headline(scorecard, numbers_only=numbers_only),
        overall=scorecard.overall,
        overall_words=LEVELS[scorecard.overall] if scorecard.overall else "not assessed",
        overall_trust=trust(scorecard.scorer, scorecard.rubric_hash, "overall"),
        fix_first=_first(rows),
        rows=rows,
        numbers=tuple(sorted(checked, key=lambda row: _WORST_FIRST.index(row.verdict))),
        unchecked=_by_reason([row for row in numbers if row.verdict == "unchecked"]),
        flags=tuple(_flag(n, flag) for n, flag in enumerate(scorecard.red_flags)),
        own=answers_in(state.turns),
        transcript=marked(state.turns, spans_of(scorecard, _labels())),
        notes=_notes(scorecard, rubric, card),
        earlier=len(state.scorecards) - 1,
    )


def replies_of(state: Round, card: QuestionCard) -> tuple[Reply, ...]:
    """The card's follow-ups that came, in the order in which they came."""
    probes = {probe.id: probe for probe in _all(card.probes)}
    came = [probes[probe] for probe in state.probes if probe in probes]
    return tuple(Reply(probe.ask, probe.good) for probe in came)


def _all(probes: Iterable[Probe]) -> Iterator[Probe]:
    for probe in probes:
        yield probe
        yield from _all(probe.then)


def _before(now: Scorecard, earlier: Scorecard | None) -> str:
    """Only levels of one scorer and one rubric are set beside each other."""
    part = now.weakest
    if earlier is None or part is None:
        return ""
    same = (earlier.scorer, earlier.rubric_hash) == (now.scorer, now.rubric_hash)
    levels = earlier.score(part).level, now.score(part).level
    if not same or None in levels:
        return ""
    return f"{LABELS[part]}: {levels[0]} before, {levels[1]} now"


def _labels() -> dict[str, str]:
    return {part.value: label for part, label in LABELS.items()}


def _once(rows: Sequence[NumberRow]) -> list[NumberRow]:
    """The rows, without right numbers that were only said again: nobody reads '54.7' six times."""
    first = {(row.right, row.formula): row for row in reversed(rows) if row.verdict == "right"}
    said_first = {row.id for row in first.values()}
    return [row for row in rows if row.verdict != "right" or row.id in said_first]


def _by_reason(rows: Sequence[NumberRow]) -> dict[str, tuple[NumberRow, ...]]:
    reasons = dict.fromkeys(row.reason for row in sorted(rows, key=lambda row: not row.reason))
    return {reason: tuple(row for row in rows if row.reason == reason) for reason in reasons}


def _first(rows: tuple[Row, ...]) -> Row | None:
    weakest = next((row for row in rows if row.weakest), None)
    return weakest if weakest and weakest.level != 4 else None


def _headline(scorecard: Scorecard, *, numbers_only: bool) -> str:
    weakest = scorecard.weakest
    if numbers_only and weakest is not None:
        return scorecard.score(weakest).reason.partition(".")[0]
    if weakest is None and numbers_only:
        reason = scorecard.score(Part.NUMBER).reason.rstrip(".")
        return f"Not assessed: {reason[:1].lower()}{reason[1:]}"
    if weakest is None:
        return "Not assessed"
    score = scorecard.score(weakest)
    if score.level == 4:
        return "All four parts are outstanding"
    return f"Fix first: {LABELS[weakest].lower()}"


def _clashes(scorecard: Scorecard, others: Sequence[Scorecard]) -> dict[Part, str]:
    """Where the newest scorecard of another scorer lies two levels away or more."""
    newest = {other.scorer: other for other in others if other.scorer != scorecard.scorer}
    found: dict[Part, str] = {}
    for other in newest.values():
        for dispute in disputes(scorecard, other):
            found[dispute.part] = f"{found.get(dispute.part, '')} {dispute.words}".strip()
    return found


def _row(
    score: Score, scorecard: Scorecard, rubric: Rubric | None, clashes: Mapping[Part, str]
) -> Row:
    levels = rubric.criterion(score.part).levels if rubric else {}
    level = score.level
    return Row(
        part=score.part.value,
        label=LABELS[score.part],
        level=level,
        level_words=LEVELS[level]
        if level
        else NOT_SCORED[score.state] or NOT_SCORED["not_assessed"],
        anchor=levels.get(level, "") if level else "",
        quotes=tuple(
            Quote(evidence.quote, f"quote-{score.part}-{n}")
            for n, evidence in enumerate(score.evidence)
        ),
        why=score.reason,
        improve=score.improve,
        next_anchor=_next(levels, level),
        weakest=score.part == scorecard.weakest,
        trust=trust(scorecard.scorer, scorecard.rubric_hash, score.part.value) if level else "",
        votes=score.votes,
        disputed=f"{score.disputed} {clashes.get(score.part, '')}".strip(),
    )


def _next(levels: Mapping[Level, str], level: Level | None) -> str:
    following: dict[Level | None, Level] = {1: 3, 2: 3, 3: 4}
    return levels.get(following[level], "") if level in following else ""


def _number(n: int, found: NumberFinding, labels: Mapping[str, str]) -> NumberRow:
    return NumberRow(
        id=f"number-{n}",
        said=found.said,
        what=labels.get(found.fact or "", ""),
        verdict=found.verdict,
        verdict_words=VERDICTS[found.verdict],
        right=found.right or "",
        reason=found.reason,
        tool=tool_use(found.tool, found.arguments),
        formula=found.formula,
        formula_name=formula_name(found.tool, found.formula, found.right or ""),
        source=found.source,
    )


def _flag(n: int, flag: RedFlag) -> Flag:
    quote = Quote(flag.evidence.quote, f"flag-{n}") if flag.evidence else None
    return Flag(flag.sentence, flag.why, quote)


def _notes(scorecard: Scorecard, rubric: Rubric | None, card: QuestionCard) -> tuple[str, ...]:
    notes = [scorecard.note] if scorecard.note else []
    if rubric is None or rubric.hash != scorecard.rubric_hash:
        notes.append("The rubric has changed since; the anchors shown are those of today.")
    if scorecard.card_hash != card.hash:
        notes.append("The card has changed since; the model answer shown is that of today.")
    return tuple(notes)
