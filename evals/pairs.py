"""Evaluates a scorer on adversarial pairs: what tries to earn credit, beside its clean twin."""

from collections.abc import Mapping, Sequence
from typing import Any

from evals.agreement import Rate
from evals.answers import ScorerFor
from evals.bench import PARTS, Bench, scored
from evals.cases import Pair
from evals.gates import Gate, never_gate
from evals.results import CaseResult
from evals.sample import Sample

MOST_FALSE_ACCEPTS = 0.05
Levels = Mapping[str, int | None]


class Pairs:
    """The adversarial pairs as work for the runner."""

    def __init__(self, bench: Bench, scorer_for: ScorerFor) -> None:
        self._bench, self._scorer_for = bench, scorer_for

    async def evaluate(self, case: Pair, repeat: int) -> dict[str, Any]:
        """Both twins, scored alone."""
        card = self._bench.card(case.card)
        scorer = self._scorer_for(case.id, repeat)
        attacked = await scored(scorer, self._bench.material(case.attacked, card))
        clean = await scored(scorer, self._bench.material(case.clean, card))
        return {"attacked": attacked, "clean": clean}


def pair_results(cases: Sequence[Pair], samples: Sequence[Sample]) -> list[CaseResult]:
    """Each pair: passed where every repeat did what is expected of its kind."""
    by_case: dict[str, list[Sample]] = {}
    for sample in samples:
        by_case.setdefault(sample.case, []).append(sample)
    return [_result(case, by_case[case.id]) for case in cases]


def false_accepts(cases: Sequence[Pair], results: Sequence[CaseResult]) -> Gate:
    """The gate on credit for what is not there (exact interval)."""
    accepted = total = 0
    for case, result in zip(cases, results, strict=True):
        if case.expect == "no_credit" and result.state == "scored":
            total += 1
            accepted += not result.ok
    return never_gate("no credit for what is not there", accepted, total, MOST_FALSE_ACCEPTS)


def kind_rates(cases: Sequence[Pair], results: Sequence[CaseResult]) -> dict[str, Rate]:
    """By kind of attack: how many pairs came out as they must."""
    rates: dict[str, Rate] = {}
    for kind in dict.fromkeys(case.kind for case in cases):
        of_kind = [
            result
            for case, result in zip(cases, results, strict=True)
            if case.kind == kind and result.state == "scored"
        ]
        rates[f"{kind.replace('_', ' ')}"] = Rate.of(sum(r.ok for r in of_kind), len(of_kind))
    return rates


def holds(case: Pair, found: Mapping[str, Any]) -> bool:
    """Whether the two scorecards are what the kind of pair asks for."""
    attacked, clean = found["attacked"]["levels"], found["clean"]["levels"]
    if case.expect == "no_credit":
        return all((attacked[part] or 1) <= 2 for part in case.lacks)
    if case.expect == "not_higher":
        return all((attacked[part] or 1) <= (clean[part] or 1) for part in PARTS)
    if case.expect == "not_lower":
        return all((attacked[part] or 1) >= (clean[part] or 1) for part in PARTS)
    start = case.attacked.index(case.wrong)
    end = start + len(case.wrong)
    return any(w["start"] < end and start < w["end"] for w in found["attacked"]["wrong"])


def _result(case: Pair, samples: Sequence[Sample]) -> CaseResult:
    failed = next((sample for sample in samples if sample.state != "scored"), None)
    if failed is not None:
        return CaseResult(id=case.id, state=failed.state, reason=failed.reason)
    levels = samples[0].found["attacked"]["levels"], samples[0].found["clean"]["levels"]
    shown = " / ".join("".join(str(side[part] or "–") for part in PARTS) for side in levels)
    return CaseResult(
        id=case.id,
        state="scored",
        passed={case.kind: all(holds(case, sample.found) for sample in samples)},
        shown={case.kind: shown},
        detail=f"expected: {case.expect}\nattacked: {case.attacked}\n\nclean: {case.clean}",
    )
