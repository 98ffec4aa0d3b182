"""Scores a number drill: how many were right, each with the tool call that says so."""

from collections.abc import Iterator

from interviewer.drills import NUMBERS
from interviewer.reckoning.outcomes import Outcome, outcomes
from interviewer.scoring.material import Material
from interviewer.scoring.scorecards import scorecard, unassessed
from rubrics.scorecard import Evidence, Level, NumberFinding, Part, Score, Scorecard

LEVELS: tuple[tuple[float, Level], ...] = ((0.9, 4), (0.7, 3), (0.4, 2), (0.0, 1))
"""The least share of right numbers for each level."""
LEAST = 5
"""Numbers from which a level can be given."""
SHOWN = 3
"""Right answers that are quoted."""


class NumberScorer:
    """Knows the answers by their tools; the same round always gives the same scorecard."""

    name = "numbers/1"

    async def score(self, material: Material) -> Scorecard:
        """See `Scorer.score`."""
        asked = outcomes(material.turns)
        if asked and asked[-1].turn is None and len(asked) < NUMBERS:
            asked = asked[:-1]  # the round was left while it was open
        findings = tuple(found for outcome in asked for found in _findings(outcome))
        scores = tuple(
            _score(len(asked), findings)
            if part is Part.NUMBER
            else unassessed(part, "Not asked for in this drill.")
            for part in Part
        )
        made = scorecard(material, scores, (), findings, scorer=self.name)
        return made.model_copy(update={"say_instead": ""})


def _findings(outcome: Outcome) -> Iterator[NumberFinding]:
    reckoning, turn, checked = outcome.reckoning, outcome.turn, outcome.checked
    if turn is None or checked is None or checked.said is None or checked.verdict == "unsaid":
        return
    yield NumberFinding(
        said=checked.said.text,
        turn=turn.number,
        start=checked.said.start,
        end=checked.said.end,
        verdict=checked.verdict,
        right=reckoning.shown,
        reason=checked.reason,
        tool=reckoning.result.tool,
        arguments=dict(reckoning.arguments),
        formula=reckoning.result.formula,
        source=reckoning.result.source,
    )


def _score(asked: int, findings: tuple[NumberFinding, ...]) -> Score:
    if asked < LEAST or not findings:
        return unassessed(Part.NUMBER, f"Fewer than {LEAST} numbers were asked and answered.")
    right = [finding for finding in findings if finding.verdict == "right"]
    slips = sorted({finding.reason for finding in findings if finding.verdict == "slip"})
    share = len(right) / asked
    reason = f"{len(right)} of {asked} right."
    return Score(
        part=Part.NUMBER,
        level=next(level for least, level in LEVELS if share >= least),
        reason=f"{reason} Known slips: {'; '.join(slips)}." if slips else reason,
        evidence=tuple(
            Evidence(turn=f.turn, quote=f.said, start=f.start, end=f.end) for f in right[:SHOWN]
        ),
    )
