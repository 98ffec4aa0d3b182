"""How far a scorer is known to agree with raters, from the file that `viva eval calibrate` writes.

Knows no statistics: what is not in the file is uncalibrated.
"""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parents[2] / "evals" / "calibration.json"
RATERS = "language models with the rubric; no person rated"


@dataclass(frozen=True, slots=True)
class Known:
    """Quadratic-weighted kappa of a scorer with the raters on one aspect of one rubric."""

    kappa: float | None
    low: float | None
    high: float | None
    answers: int
    questions: int

    def words(self, aspect: str) -> str:
        """For people, beside a score: in full beside the overall level, in short beside a part."""
        if self.kappa is None or self.low is None or self.high is None:
            return f"Uncalibrated: {self.answers} rated answers are too few to tell."
        if aspect != "overall":
            return (
                f"Agrees with expert raters (language models) at kappa {self.kappa:.2f} "
                f"[{self.low:.2f}, {self.high:.2f}], n = {self.answers}, on this rubric."
            )
        return (
            f"Agrees with expert raters ({RATERS}) at kappa {self.kappa:.2f} "
            f"[{self.low:.2f}, {self.high:.2f}], n = {self.answers} answers to "
            f"{self.questions} questions, on this rubric."
        )


UNKNOWN = "Uncalibrated: nobody has measured how far this scorer agrees with raters on this rubric."


def trust(scorer: str, rubric_hash: str, aspect: str) -> str:
    """What is known of a scorer's levels for a part, or for 'overall', on one rubric."""
    found = _known().get((scorer, rubric_hash, aspect))
    return found.words(aspect) if found else UNKNOWN


@cache
def _known(file: Path = FILE) -> dict[tuple[str, str, str], Known]:
    if not file.exists():
        return {}
    rows = json.loads(file.read_text("utf-8"))["calibrations"]
    return {
        (row["scorer"], row["rubric_hash"], row["aspect"]): Known(
            row["kappa"], row["low"], row["high"], row["answers"], row["questions"]
        )
        for row in rows
    }
