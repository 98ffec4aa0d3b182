"""What the number check means for the scores:
the findings of a round, and the cap that they set."""

from collections.abc import Sequence
from dataclasses import dataclass

from interviewer.scoring.material import Material
from interviewer.scoring.number_check import check_numbers
from interviewer.scoring.sentences import Stretch
from questions.model import QuestionCard
from rubrics.scorecard import WRONG, Level, NumberFinding


@dataclass(frozen=True, slots=True)
class Cap:
    """The highest level that a part can have, why, and the number that caused it."""

    level: Level
    reason: str
    found: NumberFinding | None = None


OPENING = 240
"""Characters of the first answer in which a claim is made."""


def checked_numbers(
    material: Material, talk: Sequence[Sequence[Stretch]]
) -> tuple[NumberFinding, ...]:
    """The candidate's figures, recomputed where that can be done; talk to the grader is none."""
    card = material.card
    findings = check_numbers(material.turns, material.facts, (card.question, *card.scenario))
    holes = {turn.number: hidden for turn, hidden in zip(material.answers, talk, strict=True)}
    return tuple(f for f in findings if not any(_inside(f, hole) for hole in holes[f.turn]))


def _inside(finding: NumberFinding, hole: Stretch) -> bool:
    return hole.start <= finding.start < hole.end


def number_cap(findings: Sequence[NumberFinding]) -> Cap | None:
    """A materially wrong figure holds the number at 2, whatever else is right, and so does one that
    the judge doubts.
    """
    wrong = next((f for f in findings if f.is_wrong), None)
    if wrong is None:
        return None
    if wrong.verdict == "doubted":
        return Cap(2, f"The judge holds “{wrong.said}” to be wrong: {wrong.reason}", wrong)
    right = f"; it is {wrong.right}" if wrong.right else ""
    mended = any(
        f.verdict == "right" and f.turn > wrong.turn and f.fact == wrong.fact is not None
        for f in findings
    )
    later = ", as you said later" if mended else ""
    return Cap(2, f"“{wrong.said}” is wrong{right}{later}.", wrong)


def claim_cap(findings: Sequence[NumberFinding], card: QuestionCard) -> Cap | None:
    """A claim that opens with a wrong key number is wrong, unless a later turn puts it right."""
    first = min((f.turn for f in findings), default=0)
    for found in findings:
        opens = found.turn == first and found.start < OPENING
        if not (opens and found.verdict in WRONG):
            continue
        if not any(fact.id == found.fact for fact in card.facts if fact.key):
            continue
        if not any(f.fact == found.fact and f.verdict == "right" for f in findings):
            right = f"; it is {found.right}" if found.right else ""
            return Cap(1, f"The claim itself is wrong: “{found.said}”{right}.", found)
    return None
