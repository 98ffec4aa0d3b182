"""The scorer's gate in CI; a judge's mechanism; what a run says when something changes."""

import json
import logging
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from evals import scorer_eval
from evals.answers import RatedAnswers
from evals.bench import Bench
from evals.cases import RatedAnswer, read_cases
from evals.commands import eval_
from evals.comparison import compare
from evals.judge_eval import evaluate_judge
from evals.report.model import Report
from evals.results import CaseResult
from evals.sample import Unscored
from evals.scorer_eval import FLOORS, evaluate_scorer
from evals.scoring_run import ANSWERS
from evals.scripted import ReplyingLLM
from evals.session import BadRun, Options, perform
from evals.tools_eval import evaluate_tools
from interviewer.llm.protocol import Request
from interviewer.prompts import PromptLibrary
from interviewer.scoring.judge import Judge
from interviewer.scoring.rule_scorer import RuleScorer
from rubrics.scorecard import Scorecard


@pytest.fixture(scope="module")
def scorer_report() -> Report:
    return evaluate_scorer(Options())


def test_the_rule_scorer_passes_its_gates(scorer_report: Report) -> None:
    shown = {g.name: (g.outcome, g.value, g.low, g.floor) for g in scorer_report.gates}
    assert scorer_report.outcome == "pass", shown
    assert {f"kappa, {aspect}" for aspect in FLOORS} <= set(shown)


def test_every_sample_of_the_rule_scorer_is_scored(scorer_report: Report) -> None:
    assert scorer_report.counts.scored == scorer_report.counts.total == 1284


def test_no_attack_earns_a_part_that_it_does_not_have(scorer_report: Report) -> None:
    gate = next(g for g in scorer_report.gates if g.name.startswith("no credit"))
    assert (gate.value, gate.n) == (1.0, 146)


def test_the_report_says_that_no_person_rated(scorer_report: Report) -> None:
    assert "no person rated" in " ".join(scorer_report.about)


class Generous(RuleScorer):
    """Gives a four for everything that it assesses."""

    name = "generous/1"

    def assess(self, material: Any) -> Scorecard:
        card = super().assess(material)
        scores = tuple(s.model_copy(update={"level": 4}) for s in card.scores)
        return card.model_copy(update={"scores": scores, "overall": 4})


def test_a_changed_scorer_fails_and_its_flips_are_named(
    scorer_report: Report, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scorer_eval, "RuleScorer", Generous)
    changed = evaluate_scorer(Options())
    flips = compare(changed.cases, scorer_report.cases, "before").flips
    assert changed.outcome == "fail"
    assert "INF-001/vague" in {flip.case for flip in flips}


def test_the_scripted_judge_shows_the_mechanism_and_is_taken_up(tmp_path: Path) -> None:
    first = evaluate_judge(Options(out=tmp_path, model="scripted"))
    again = evaluate_judge(Options(out=tmp_path, model="scripted", resume=True))
    assert first.outcome == again.outcome == "pass"
    assert again.run.roles[0].spent.calls == 0
    assert again.run.roles[0].spent.recalled == first.run.roles[0].spent.calls
    assert "means nothing" in first.run.notices[0]


async def test_a_judge_is_told_how_a_rated_answer_was_given() -> None:
    told: list[str] = []

    def reply(request: Request) -> str:
        told.append(json.loads(request.messages[1].text)["answer"][0]["mode"])
        return "{}"

    cases = read_cases(ANSWERS, RatedAnswer)[:8]
    judged = RatedAnswers(Bench.bundled(), lambda *_: Judge(ReplyingLLM(reply), PromptLibrary()))
    for case in cases:
        told.clear()
        with pytest.raises(Unscored):
            await judged.evaluate(case, 0)
        assert told[0] == case.mode
    assert {case.mode for case in cases} == {"typed", "spoken"}


def test_a_judge_out_of_budget_keeps_what_is_done(tmp_path: Path) -> None:
    options = Options.read({"out": tmp_path, "model": "scripted", "budget": "calls=30"})
    report = evaluate_judge(options)
    assert 0 < report.counts.scored <= 30
    assert report.counts.unscored == report.counts.total - report.counts.scored
    assert report.outcome != "pass"


def test_a_model_that_cannot_be_read_is_refused() -> None:
    with pytest.raises(BadRun, match="give card, rule, scripted or"):
        evaluate_judge(Options(model="gpt"))


def test_a_run_is_silent_only_while_it_lasts(caplog: pytest.LogCaptureFixture) -> None:
    log = logging.getLogger("interviewer.dictation")

    async def work() -> None:
        log.warning("in the run")

    perform(work)
    log.warning("after it")
    assert [record.message for record in caplog.records] == ["after it"]


def test_every_golden_value_of_the_tools_is_met() -> None:
    report = evaluate_tools(Options())
    assert [case.id for case in report.cases if not case.ok] == []
    assert report.outcome == "pass"


def run(*arguments: str) -> tuple[int, str]:
    result = CliRunner().invoke(eval_, arguments)
    return result.exit_code, result.output


def test_the_command_writes_its_reports_and_ends_with_the_gates(tmp_path: Path) -> None:
    code, output = run("tools", "--out", str(tmp_path))
    assert code == 0
    assert output.splitlines()[-1].startswith("pass: ")
    assert (tmp_path / "tools" / "report.html").is_file()


def test_json_is_the_whole_report_and_a_baseline_shows_no_change(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    run("tools", "--out", str(tmp_path), "--save-baseline", str(kept))
    code, output = run("tools", "--out", str(tmp_path), "--baseline", str(kept), "--json")
    assert code == 0
    assert json.loads(output)["comparison"]["flips"] == []


@pytest.mark.parametrize(
    "arguments",
    [
        ("judge", "--budget", "usd=1"),
        ("judge", "--model", "vllm:no-address"),
        ("interviewer", "--model", "nobody"),
    ],
)
def test_what_cannot_run_is_wrong_usage(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    code, output = run(*arguments, "--out", str(tmp_path))
    assert code == 2
    assert "Error" in output


def test_the_committed_baseline_holds_every_case(scorer_report: Report) -> None:
    file = Path(__file__).parents[2] / "evals" / "baselines" / "scorer.json"
    kept = [CaseResult.model_validate(row) for row in json.loads(file.read_text("utf-8"))["cases"]]
    assert {case.id for case in kept} == {case.id for case in scorer_report.cases}
