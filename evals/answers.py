"""Evaluates a scorer, model or none, on rated answers: agreement, wrong numbers, flips."""

import re
from collections.abc import Callable, Mapping, Sequence
from statistics import median_low
from typing import Any

from evals.agreement import SOLID, Agreement, Pair, Rate, agreement
from evals.bench import ASPECTS, Bench, scored
from evals.cases import RatedAnswer
from evals.report.model import PartReport
from evals.results import CaseResult
from evals.sample import Sample
from interviewer.scoring.material import Scorer

ScorerFor = Callable[[str, int], Scorer]
"""The scorer for a case id and a repeat."""
Levels = Mapping[str, int | None]


class RatedAnswers:
    """The rated answers as work for the runner."""

    def __init__(self, bench: Bench, scorer_for: ScorerFor) -> None:
        self._bench, self._scorer_for = bench, scorer_for

    async def evaluate(self, case: RatedAnswer, repeat: int) -> dict[str, Any]:
        """What the scorer finds in an answer."""
        card = self._bench.card(case.card, case.question)
        material = self._bench.material(case.answer, card, case.mode)
        found = await scored(self._scorer_for(case.id, repeat), material)
        return {**found, "rubric": material.rubric.id}


def levels_by_case(samples: Sequence[Sample]) -> dict[str, Levels]:
    """The level of each aspect: over the repeats the lower median, None where not assessed."""
    by_case: dict[str, list[Levels]] = {}
    for sample in samples:
        if sample.state == "scored":
            by_case.setdefault(sample.case, []).append(sample.found["levels"])
    return {case: _median(repeats) for case, repeats in by_case.items()}


def part_reports(
    cases: Sequence[RatedAnswer], levels: Mapping[str, Levels]
) -> tuple[PartReport, ...]:
    """Agreement by aspect over the scored cases, beside the raters' own."""
    scored_cases = [case for case in cases if case.id in levels]
    return tuple(
        PartReport(
            name=aspect,
            found=agreement(pairs_of(scored_cases, levels, aspect)),
            raters=raters_agreement(scored_cases, aspect),
        )
        for aspect in ASPECTS
    )


def pairs_of(cases: Sequence[RatedAnswer], levels: Mapping[str, Levels], aspect: str) -> list[Pair]:
    """The reference's level beside the scorer's; what was not assessed earns nothing, so 1."""
    return [
        Pair(case.card, case.ratings[0].level(aspect), levels[case.id][aspect] or 1)
        for case in cases
    ]


def raters_agreement(cases: Sequence[RatedAnswer], aspect: str) -> Agreement | None:
    """How the first two raters agree: nothing that is measured against one of them can do better.

    None where there is one rater.
    """
    both = [case for case in cases if len(case.ratings) > 1]
    levels = [Pair(c.card, *(r.level(aspect) for r in c.ratings[:2])) for c in both]
    return agreement(levels) if both else None


def case_results(cases: Sequence[RatedAnswer], samples: Sequence[Sample]) -> list[CaseResult]:
    """Each case: passed in an aspect where scorer and rater agree whether it is there."""
    levels = levels_by_case(samples)
    failed = {sample.case: sample for sample in samples if sample.state != "scored"}
    return [
        _result(case, levels[case.id])
        if case.id in levels
        else CaseResult(id=case.id, state=failed[case.id].state, reason=failed[case.id].reason)
        for case in cases
    ]


def unstable(samples: Sequence[Sample]) -> Rate:
    """How many cases got different levels in different repeats."""
    seen: dict[str, set[tuple[object, ...]]] = {}
    for sample in samples:
        if sample.state == "scored":
            seen.setdefault(sample.case, set()).add(tuple(sample.found["levels"].values()))
    return Rate.of(sum(len(outcomes) > 1 for outcomes in seen.values()), len(seen))


def wrong_number_rates(
    cases: Sequence[RatedAnswer], samples: Sequence[Sample]
) -> tuple[Rate, Rate]:
    """Precision and recall of wrong numbers, against what either rater called wrong."""
    by_id = {case.id: case for case in cases}
    right = found = told = known = 0
    for sample in samples:
        if sample.state != "scored" or sample.repeat:
            continue
        case = by_id[sample.case]
        spans = [(w["start"], w["end"]) for w in sample.found["wrong"]]
        listed = _spans(case)
        right += sum(any(_overlap(span, other) for other in listed) for span in spans)
        found += len(spans)
        first = _spans(case, raters=1)
        told += sum(any(_overlap(span, other) for other in spans) for span in first)
        known += len(first)
    return Rate.of(right, found), Rate.of(told, known)


def _result(case: RatedAnswer, levels: Levels) -> CaseResult:
    rating = case.ratings[0]
    agree = {a: ((levels[a] or 1) >= SOLID) == (rating.level(a) >= SOLID) for a in ASPECTS}
    rated = ", ".join(f"{aspect} {rating.level(aspect)}" for aspect in ASPECTS)
    return CaseResult(
        id=case.id,
        state="scored",
        passed=agree,
        shown={aspect: str(levels[aspect] or "–") for aspect in ASPECTS},
        detail=f"{case.question}\n\n{case.answer}\n\nrater: {rated}",
    )


def _median(repeats: Sequence[Levels]) -> Levels:
    medians: dict[str, int | None] = {}
    for aspect in ASPECTS:
        known = [level for levels in repeats if (level := levels[aspect]) is not None]
        medians[aspect] = median_low(known) if known else None
    return medians


def _spans(case: RatedAnswer, raters: int = 2) -> list[tuple[int, int]]:
    """Where the figures stand that raters called wrong; words that are not found are left out."""
    spans: dict[tuple[int, int], None] = {}
    for rating in case.ratings[:raters]:
        for wrong in rating.wrong_numbers:
            words = r"\W+".join(map(re.escape, re.findall(r"\w+", wrong.said)))
            if words and (match := re.search(words, case.answer, re.IGNORECASE)):
                spans[match.span()] = None
    return list(spans)


def _overlap(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[0] < other[1] and other[0] < one[1]
