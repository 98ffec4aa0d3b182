"""The four parts and four levels in words for people."""

from dataclasses import dataclass

from interviewer.drills import DRILLS
from rubrics.scorecard import Level, Part

LABELS = {
    Part.CLAIM: "Claim",
    Part.NUMBER: "Number",
    Part.TRADEOFF: "Trade-off",
    Part.NEXTSTEP: "Next step",
}
LEVELS: dict[Level, str] = {1: "poor", 2: "borderline", 3: "solid", 4: "outstanding"}
WHOLE_DRILLS: dict[str, str] = {
    name: drill.label for name, drill in DRILLS.items() if drill.part is None
}


@dataclass(frozen=True, slots=True)
class PartChoice:
    """A part as a button offers it."""

    value: str
    label: str


PARTS = tuple(PartChoice(part.value, label) for part, label in LABELS.items())


def part_label(part: str | None) -> str:
    """The name of a part, or of a drill that asks for all of them; empty for none."""
    names = {name.value: label for name, label in LABELS.items()} | WHOLE_DRILLS
    return names.get(part, part) if part else ""
