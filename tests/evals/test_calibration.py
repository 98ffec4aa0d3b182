"""What stands beside a score was measured for this scorer and rubric, or is uncalibrated."""

import json

import pytest

from evals.bench import ASPECTS, Bench
from evals.calibration import Calibrations
from evals.calibration_page import PAGE, page
from evals.cases import CASES, RatedAnswer, read_cases
from evals.fit import fit, read_all
from interviewer.scoring.calibration import FILE, Known, trust
from interviewer.scoring.part_rule import fitted
from interviewer.scoring.rule_scorer import RULES, RuleScorer
from rubrics.library import load_rubrics
from rubrics.scorecard import Part

WRITTEN = Calibrations.model_validate_json(FILE.read_bytes())


@pytest.mark.parametrize("rubric", ["technical", "behavioural"])
@pytest.mark.parametrize("aspect", ASPECTS)
def test_the_shipped_scorer_is_calibrated_on_each_rubric(rubric: str, aspect: str) -> None:
    said = trust(RuleScorer.name, load_rubrics()[rubric].hash, aspect)
    assert said.startswith("Agrees with expert raters (language models")
    assert "on this rubric." in said


def test_another_scorer_or_another_rubric_is_uncalibrated() -> None:
    known = load_rubrics()["technical"].hash
    assert trust("judge/nobody", known, "claim").startswith("Uncalibrated")
    assert trust(RuleScorer.name, "another", "claim").startswith("Uncalibrated")


def test_too_few_answers_are_said_to_be_too_few() -> None:
    assert "too few" in Known(None, None, None, 4, 1).words("claim")


def test_a_calibration_is_shown_with_interval_and_n() -> None:
    known = Known(0.724, 0.61, 0.799, 140, 35)
    assert "kappa 0.72 [0.61, 0.80], n = 140 answers to 35 questions" in known.words("overall")
    assert "kappa 0.72 [0.61, 0.80], n = 140, on this rubric" in known.words("claim")
    assert "no person rated" in known.words("overall")


def test_the_page_is_made_from_the_file() -> None:
    assert PAGE.read_text("utf-8") == page(WRITTEN)
    assert "no person rated" in WRITTEN.about


def test_left_out_figures_leave_room_for_the_raters() -> None:
    for row in WRITTEN.calibrations:
        assert row.kappa is not None
        assert row.raters_kappa is not None
        assert row.kappa < row.raters_kappa
        assert sum(map(sum, row.found.matrix)) == row.answers


def test_the_fits_have_a_number_for_every_sign_of_the_right_direction() -> None:
    for part, rule in RULES.items():
        points = fitted()[part].points
        assert set(points) == set(rule.weights)
        assert all(
            points[name] >= 0 if w.helps else points[name] <= 0.001
            for name, w in rule.weights.items()
        )


def test_the_fit_is_the_same_each_time() -> None:
    cases = read_cases(CASES / "answers.jsonl", RatedAnswer)[:40]
    reads = read_all(Bench.bundled(), cases)
    assert json.dumps(fit(reads, Part.CLAIM).points) == json.dumps(fit(reads, Part.CLAIM).points)
