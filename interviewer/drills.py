"""The drills: short timed rounds that ask for one thing. What each asks, and how long it gives."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from interviewer.events import DrillName, PartName
from questions.model import Probe, QuestionCard

NUMBERS = 10
"""Numbers of a number drill, asked one after the other."""
LEVELS_DEEP = 2
"""How many replies a chain of follow-ups goes below its first one, at least."""


@dataclass(frozen=True, slots=True)
class Drill:
    """One kind of short round."""

    name: DrillName
    label: str
    about: str
    """What it asks for, to choose it by."""
    opening: str
    """Its first question, around the card's `question`, `curveball` or `probe`."""
    limit_s: int | None = 60
    """Seconds for each reply; None for as long as the card gives."""
    part: PartName | None = None
    """The part that is scored; None for all four, or for one that the round itself names."""
    follow_ups: int = 0
    other_question: bool = False
    """Whether it asks another question than the card's: then the card's advice is none for it."""


_ALL = (
    Drill(
        "claim",
        "Claim in one sentence",
        "Twenty seconds and one sentence: the answer first, without its reasons.",
        "In one sentence, your answer: {question}",
        20,
        "claim",
    ),
    Drill(
        "number",
        "Numbers, rapid fire",
        "Ten numbers to work out from what is shown, with fresh parameters each time; a tool "
        "checks each one and known slips are named.",
        "{question}",
        90,
        "number",
    ),
    Drill(
        "tradeoff",
        "Trade-off",
        "Name what your choice costs, who pays it, and where you would choose otherwise.",
        "Only the trade-off: {question} Name what your choice costs, and where it flips.",
        part="tradeoff",
        follow_ups=2,
    ),
    Drill(
        "nextstep",
        "Next step",
        "Name what you do first, what you measure, and what its result decides.",
        "Only the next step: {question} Name what you do first, and the result that decides.",
        part="nextstep",
        follow_ups=2,
    ),
    Drill(
        "followups",
        "Follow-up chain",
        "A follow-up question, then another on your reply, then one deeper still.",
        "Say that you have answered this: {question} Now in depth. {probe}",
        follow_ups=LEVELS_DEEP,
        other_question=True,
    ),
    Drill(
        "sixty",
        "Sixty seconds",
        "The whole answer in a minute: claim, number, trade-off and next step.",
        "In sixty seconds, with all four parts: {question}",
    ),
    Drill(
        "curveball",
        "Curveball",
        "A requirement changes in the middle of your answer.",
        "Say that you have answered this: {question} Now it changes. {curveball}",
        90,
        other_question=True,
    ),
    Drill(
        "again",
        "Say it again, better",
        "The same question once more, scored on its weak part only.",
        "Once more, and better: {question}",
        None,
    ),
)
DRILLS: Mapping[DrillName, Drill] = MappingProxyType({drill.name: drill for drill in _ALL})


def opening(drill: Drill, card: QuestionCard, question: str, probe: Probe | None) -> str:
    """The drill's first question on a card."""
    return drill.opening.format(
        question=question, curveball=card.curveball or "", probe=probe.ask if probe else ""
    )


def chain_of(card: QuestionCard, seed: int) -> Probe | None:
    """A probe of the card that goes on for two levels below itself, chosen by the seed."""
    deep = [probe for probe in card.probes if _depth(probe) >= LEVELS_DEEP]
    return deep[seed % len(deep)] if deep else None


def _depth(probe: Probe) -> int:
    return max((1 + _depth(below) for below in probe.then), default=0)
