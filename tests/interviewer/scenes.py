"""A small card and rounds on it, built from events, for the tests of the interviewers."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta

from interviewer.events import (
    CandidateMovedOn,
    CandidateSpoke,
    Event,
    InterviewerSpoke,
    PartName,
    Recorded,
    RoundStarted,
    SpeechInterrupted,
)
from interviewer.grounding.facts import compute_facts
from interviewer.grounding.ledger import ledger_for
from interviewer.interviewers.scene import Scene
from interviewer.round import replay
from questions.model import (
    AskedBy,
    Fact,
    KeyPoint,
    KeyPoints,
    Probe,
    QuestionCard,
    RedFlagRule,
    Trigger,
)
from rubrics.library import load_rubrics
from rubrics.scorecard import NumberFinding, Part, Score, Scorecard, Verdict

QUESTION = "How many users with 8K contexts fit on one card beside a 70B model?"
POINT = (KeyPoint(point="p", cues=("cue",)),)


def probe(name: str, part: PartName, ask: str, when: Trigger, *then: Probe) -> Probe:
    return Probe(id=name, part=part, ask=ask, when=when, good=f"Good for {name}.", then=then)


PROBES = (
    probe(
        "per-token",
        "number",
        "You gave a size per token. Which factor of it did you leave out?",
        Trigger(wrong="per-token"),
        probe("heads", "number", "Which heads count?", Trigger(always=True)),
    ),
    probe("claim", "claim", "In one sentence, what is your answer?", Trigger(missing="claim")),
    probe("number", "number", "What number carries it?", Trigger(missing="number")),
    probe("tradeoff", "tradeoff", "What does it cost?", Trigger(weak="tradeoff")),
    probe("next", "nextstep", "What do you measure first?", Trigger(missing="nextstep")),
    probe("paging", "claim", "What does paging change?", Trigger(said=("paged attention",))),
    probe("users", "number", "How many users is that?", Trigger(unstated="users")),
    probe("always", "tradeoff", "Who waits longest?", Trigger(always=True)),
)


def card(**changes: object) -> QuestionCard:
    plain = QuestionCard(
        id="TEST-1",
        title="Users on a card",
        version=1,
        kind="technical",
        theme="memory",
        round="technical screen",
        difficulty="medium",
        rubric="technical",
        limit_s=180,
        question=QUESTION,
        tests="Whether the cache is reckoned.",
        asked_by=AskedBy(corroboration="no interview source"),
        scenario=("The card has 141 GB.",),
        facts=(
            Fact(id="per-token", label="cache per token", unit="KiB/token", value=320, source="s"),
            Fact(id="users", label="users that fit", unit="users", value=24, source="s", key=True),
        ),
        key_points=KeyPoints(claim=POINT, number=POINT, tradeoff=POINT, nextstep=POINT),
        probes=PROBES,
        red_flags=(RedFlagRule(flag="f", why="w"),) * 3,
        model_answer=(
            "Twenty-four users fit, because each token of context takes 320 KiB of cache "
            "and the weights leave room for about sixty gigabytes of it."
        ),
        short_answer="Twenty-four users fit on the card.",
    )
    return plain.model_copy(update=changes)


START = datetime(2026, 11, 29, 9, 0, tzinfo=UTC)


def asked(
    text: str = QUESTION,
    purpose: str = "question",
    probe_id: str | None = None,
    part: PartName | None = None,
    limit_s: int | None = 60,
) -> InterviewerSpoke:
    return InterviewerSpoke.model_validate(
        {
            "text": text,
            "purpose": purpose,
            "speaker": "card",
            "probe": probe_id,
            "part": part,
            "limit_s": limit_s,
        }
    )


def follow_up(probe_id: str, part: PartName = "number") -> InterviewerSpoke:
    return asked(f"Ask {probe_id}?", "probe", probe_id, part)


def said(text: str) -> CandidateSpoke:
    return CandidateSpoke(client_id=f"id-{text[:20]}-{len(text)}", text=text)


MOVE_ON = CandidateMovedOn(client_id="move-on")


def stopped(text: str) -> SpeechInterrupted:
    return SpeechInterrupted(text=text, speaker="card")


def scene(*events: Event, of: QuestionCard | None = None, part: PartName | None = None) -> Scene:
    """The scene after these events of a round on the card."""
    of = of or card()
    started = RoundStarted(
        card=of.id,
        card_hash=of.hash,
        title=of.title,
        question=of.question,
        kind=of.kind,
        rubric=of.rubric,
        limit_s=60 if part else of.limit_s,
        part=part,
        interviewer="card",
    )
    log = [
        Recorded(seq=seq, at=START + timedelta(seconds=seq), event=event)
        for seq, event in enumerate((started, *events), start=1)
    ]
    state, facts = replay(log), compute_facts(of)
    return Scene(state, of, facts, ledger_for(state, of, facts), load_rubrics()[of.rubric])


def finding(turn: int, verdict: Verdict, fact: str = "per-token") -> NumberFinding:
    return NumberFinding(said="160 KiB", turn=turn, start=0, end=7, verdict=verdict, fact=fact)


STATED = (finding(2, "right"), finding(2, "right", "users"))


def scored(
    levels: Mapping[str, int | None] | None = None, numbers: tuple[NumberFinding, ...] = STATED
) -> Scorecard:
    """A scorecard in which every part is at 3, but for the levels given."""
    given = {part.value: 3 for part in Part} | dict(levels or {})
    scores = [
        Score.model_validate({"part": part, "level": level, "reason": "r"})
        for part, level in given.items()
    ]
    return Scorecard(
        rubric="technical",
        rubric_hash="h",
        scorer="rule/5",
        card="TEST-1",
        card_hash="",
        scores=tuple(scores),
        overall=3,
        numbers=numbers,
    )


OPENED_SCENE = scene(asked(limit_s=180), said("I said 160 KiB per token and 14.6 ms."))
