"""A whole run over rated answers and adversarial pairs, for the rule scorer and the judge alike."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from evals.agreement import Rate
from evals.answers import (
    RatedAnswers,
    ScorerFor,
    case_results,
    levels_by_case,
    part_reports,
    unstable,
    wrong_number_rates,
)
from evals.bench import Bench
from evals.cases import CASES, Pair, RatedAnswer, read_cases
from evals.comparison import compare_with
from evals.gates import Gate, all_gate, kappa_gate, rate_gate, with_unscored
from evals.pairs import Pairs, false_accepts, kind_rates, pair_results
from evals.report.model import PartReport, Report
from evals.results import CaseResult, Counts, RunRecord
from evals.runner import Plan, run
from evals.sample import Sample

ANSWERS = CASES / "answers.jsonl"
ADVERSARIAL = CASES / "adversarial.jsonl"
ABOUT = (
    "The rated answers and their ratings come from language models with the rubric; "
    "no person rated them.",
)
Tell = Callable[[Sample], None]


@dataclass(frozen=True)
class ScoringRun:
    """The cases, the scorer and how often and how wide to run."""

    answers: tuple[RatedAnswer, ...]
    pairs: tuple[Pair, ...]
    bench: Bench
    scorer_for: ScorerFor
    floors: Mapping[str, float] | None
    """The least kappa of each aspect; None where only the mechanism is tried."""
    precision_floor: float | None = None
    repeats: int = 1
    workers: int = 8

    @classmethod
    def of(
        cls, scorer_for: ScorerFor, floors: Mapping[str, float] | None, **how: object
    ) -> "ScoringRun":
        """A run over the cases that come with Viva. Raises InvalidCases."""
        answers = read_cases(ANSWERS, RatedAnswer)
        pairs = read_cases(ADVERSARIAL, Pair)
        return cls(answers, pairs, Bench.bundled(), scorer_for, floors, **how)  # type: ignore[arg-type]

    def __len__(self) -> int:
        return (len(self.answers) + len(self.pairs)) * self.repeats

    async def samples(self, tell: Tell) -> tuple[list[Sample], list[Sample]]:
        """Samples of the answers and of the pairs."""
        answers = RatedAnswers(self.bench, self.scorer_for)
        pairs = Pairs(self.bench, self.scorer_for)
        how = {"repeats": self.repeats, "workers": self.workers}
        return (
            await run(Plan(self.answers, answers.evaluate, **how), tell),
            await run(Plan(self.pairs, pairs.evaluate, **how), tell),
        )

    def report(
        self,
        samples: tuple[list[Sample], list[Sample]],
        record: RunRecord,
        baseline: Path | None = None,
    ) -> Report:
        """Everything that the samples say. Raises BadBaseline."""
        of_answers, of_pairs = samples
        parts = part_reports(self.answers, levels_by_case(of_answers))
        pairs = pair_results(self.pairs, of_pairs)
        cases = [*case_results(self.answers, of_answers), *pairs]
        precision, recall = wrong_number_rates(self.answers, of_answers)
        counts = Counts.of([*of_answers, *of_pairs])
        rates = {
            "wrong numbers: precision": precision,
            "wrong numbers: recall": recall,
            **{f"pairs: {kind}": rate for kind, rate in kind_rates(self.pairs, pairs).items()},
        }
        if self.repeats > 1:
            rates["answers whose levels differ between repeats"] = unstable(of_answers)
        return Report(
            run=record,
            counts=counts,
            gates=tuple(self._gates(parts, precision, pairs, counts)),
            rates=rates,
            parts=parts,
            cases=tuple(cases),
            comparison=compare_with(baseline, cases) if baseline else None,
            about=ABOUT,
        )

    def _gates(
        self,
        parts: Sequence[PartReport],
        precision: Rate,
        pairs: Sequence[CaseResult],
        counts: Counts,
    ) -> list[Gate]:
        if self.floors is None:
            return [all_gate("every sample is scored", counts.scored, counts.total)]
        gates = [
            kappa_gate(f"kappa, {part.name}", part.found, self.floors[part.name]) for part in parts
        ]
        if self.precision_floor is not None:
            gates.append(rate_gate("wrong numbers are wrong", precision, self.precision_floor))
        gates.append(false_accepts(self.pairs, pairs))
        return with_unscored(gates, counts.total - counts.scored, counts.total)
