"""`viva eval judge`: a model as judge on the rated answers and the adversarial pairs."""

from evals.calls import CallLog, Calls
from evals.models import built, role
from evals.pace import Pace
from evals.record import record, role_uses
from evals.report.model import Report
from evals.scoring_run import ADVERSARIAL, ANSWERS, ScoringRun
from evals.scripted import scripted
from evals.session import Options, perform, progress
from interviewer.clock import utc_now
from interviewer.prompts import PromptLibrary
from interviewer.scoring.judge import PROMPTS, Judge
from interviewer.settings import load_settings
from rubrics.library import load_rubrics

FLOORS = {"claim": 0.60, "number": 0.60, "tradeoff": 0.60, "nextstep": 0.60, "overall": 0.60}
MECHANISM = "The scripted model shows that judging works; its agreement means nothing."


def evaluate_judge(options: Options) -> Report:
    """The report of a run. Raises BadRun."""
    return perform(lambda: _evaluate(options))


async def _evaluate(options: Options) -> Report:
    started, settings = utc_now(), load_settings()
    bound = role("judge", options.model, settings, "scripted")
    prompts, meter = PromptLibrary(), options.meter()
    async with built(bound, settings.llm_timeout_s) as model:
        log = CallLog(options.calls_file("judge"), resume=options.resume)
        calls = Calls(log, meter, Pace(options.workers))
        llm = model or scripted()

        def judge_for(case: str, repeat: int) -> Judge:
            scope = f"{case}#{repeat}"
            return Judge(calls.model(llm, "judge", bound.identity, scope), prompts)

        whole = ScoringRun.of(
            judge_for,
            FLOORS if bound.is_model else None,
            repeats=options.repeat,
            workers=options.workers,
        )
        with progress(len(whole), "judging") as tell:
            samples = await whole.samples(tell)
    made = record(
        "judge",
        f"judge/{llm.name}",
        started=started,
        files=(ANSWERS, ADVERSARIAL),
        hashes={
            **{f"rubric {r.id}": r.hash for r in load_rubrics().values()},
            "judge prompts": prompts.hash(*PROMPTS),
        },
        settings={"repeats": str(options.repeat), "workers": str(options.workers)},
        roles=role_uses({"judge": bound.identity}, meter),
        notices=() if bound.is_model else (MECHANISM,),
    )
    return whole.report(samples, made, options.baseline)
