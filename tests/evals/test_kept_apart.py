"""The rule scorer on answers that nothing is learned from (evals/cases/kept_apart.jsonl)."""

import anyio
import pytest

from evals.answers import RatedAnswers, levels_by_case, part_reports, wrong_number_rates
from evals.bench import Bench
from evals.cases import CASES, RatedAnswer, read_cases
from evals.runner import Plan, run
from evals.sample import Sample
from evals.scoring_run import ANSWERS
from interviewer.scoring.rule_scorer import RuleScorer

KEPT_APART = CASES / "kept_apart.jsonl"
LEAST_KAPPA = {"claim": 0.65, "number": 0.63, "tradeoff": 0.80, "nextstep": 0.77, "overall": 0.50}


@pytest.fixture(scope="module")
def cases() -> tuple[RatedAnswer, ...]:
    return tuple(read_cases(KEPT_APART, RatedAnswer))


@pytest.fixture(scope="module")
def samples(cases: tuple[RatedAnswer, ...]) -> list[Sample]:
    rated = RatedAnswers(Bench.bundled(), lambda case, repeat: RuleScorer())
    return anyio.run(run, Plan(cases, rated.evaluate))


def test_nothing_is_learned_from_them(cases: tuple[RatedAnswer, ...]) -> None:
    learned = {case.answer for case in read_cases(ANSWERS, RatedAnswer)}
    assert len(cases) == 90
    assert not learned & {case.answer for case in cases}


def test_levels_agree_with_the_raters_as_far_as_the_docs_say(
    cases: tuple[RatedAnswer, ...], samples: list[Sample]
) -> None:
    kappa = {part.name: part.found.kappa for part in part_reports(cases, levels_by_case(samples))}
    short = {name: kappa[name] for name, least in LEAST_KAPPA.items() if (kappa[name] or 0) < least}
    assert short == {}


def test_no_right_number_is_called_wrong(
    cases: tuple[RatedAnswer, ...], samples: list[Sample]
) -> None:
    told, found = wrong_number_rates(cases, samples)
    assert (told.passed, told.total, found.total) == (told.total, 16, 108)
