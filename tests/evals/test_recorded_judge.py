"""What a capable model's replies to the judge's own requests become: levels and doubted figures.

The replies are recorded (evals/cases/README.md says how): everything after them is Viva's.
"""

import json
from collections.abc import Mapping

import anyio
import pytest

from evals.answers import RatedAnswers, levels_by_case, part_reports, wrong_number_rates
from evals.bench import Bench
from evals.cases import CASES, RatedAnswer, read_cases
from evals.runner import Plan, run
from evals.sample import Sample
from evals.scoring_run import ANSWERS
from evals.scripted import ReplyingLLM
from interviewer.prompts import PromptLibrary
from interviewer.scoring.judge import Judge
from tests.evals.test_kept_apart import KEPT_APART

LEAST_KAPPA = {"claim": 0.95, "number": 0.89, "tradeoff": 0.94, "nextstep": 0.95, "overall": 0.84}


def recorded() -> Mapping[str, str]:
    lines = (CASES / "judgements.jsonl").read_text("utf-8").splitlines()
    return {row["id"]: json.dumps(row["reply"]) for row in map(json.loads, lines)}


@pytest.fixture(scope="module")
def cases() -> tuple[RatedAnswer, ...]:
    replies = recorded()
    rated = (*read_cases(ANSWERS, RatedAnswer), *read_cases(KEPT_APART, RatedAnswer))
    found = tuple(case for case in rated if case.id in replies)
    assert len(found) == len(replies) == 382
    return found


@pytest.fixture(scope="module")
def samples(cases: tuple[RatedAnswer, ...]) -> list[Sample]:
    replies = recorded()

    def judge(case: str, _: int) -> Judge:
        return Judge(ReplyingLLM(lambda request: replies[case]), PromptLibrary())

    return anyio.run(run, Plan(cases, RatedAnswers(Bench.bundled(), judge).evaluate))


def test_every_recorded_reply_is_read(samples: list[Sample]) -> None:
    assert {sample.state for sample in samples} == {"scored"}


def test_the_levels_that_code_makes_of_them_agree_with_the_raters(
    cases: tuple[RatedAnswer, ...], samples: list[Sample]
) -> None:
    kappa = {part.name: part.found.kappa for part in part_reports(cases, levels_by_case(samples))}
    short = {name: kappa[name] for name, least in LEAST_KAPPA.items() if (kappa[name] or 0) < least}
    assert short == {}


def test_code_and_judge_together_find_the_wrong_numbers(
    cases: tuple[RatedAnswer, ...], samples: list[Sample]
) -> None:
    told, found = wrong_number_rates(cases, samples)
    assert told.value is not None
    assert found.value is not None
    assert (told.value >= 0.91, found.value >= 0.89, found.total) == (True, True, 352)
