"""The whole report of a run: what the page, the JSON file and the exit status are made from."""

from pydantic import BaseModel, ConfigDict, Field

from evals.agreement import Agreement, Rate
from evals.comparison import Comparison
from evals.gates import EXIT, Gate, Outcome, verdict
from evals.results import CaseResult, Counts, RunRecord


class PartReport(BaseModel):
    """Agreement on one part, beside what the raters reach with each other."""

    model_config = ConfigDict(frozen=True)

    name: str
    found: Agreement
    raters: Agreement | None = None


class Report(BaseModel):
    """What `viva eval` found."""

    model_config = ConfigDict(frozen=True)

    run: RunRecord
    counts: Counts
    gates: tuple[Gate, ...] = ()
    rates: dict[str, Rate] = Field(default_factory=dict)
    parts: tuple[PartReport, ...] = ()
    reliability: dict[str, float] = Field(default_factory=dict)
    """pass^k by 'k=...'."""
    cases: tuple[CaseResult, ...] = ()
    comparison: Comparison | None = None
    about: tuple[str, ...] = ()
    """What the figures rest on; always shown beside them."""

    @property
    def outcome(self) -> Outcome:
        """The gates together."""
        return verdict(self.gates)

    @property
    def exit_status(self) -> int:
        """0 pass, 1 fail, 2 inconclusive."""
        return EXIT[self.outcome]
