"""`viva eval scorer`: the rule scorer against the raters and against what tries to fool it."""

from evals.record import record
from evals.report.model import Report
from evals.scoring_run import ADVERSARIAL, ANSWERS, ScoringRun
from evals.session import Options, perform, progress
from interviewer.clock import utc_now
from interviewer.scoring.rule_scorer import RuleScorer
from rubrics.library import load_rubrics

FLOORS = {"claim": 0.75, "number": 0.75, "tradeoff": 0.75, "nextstep": 0.75, "overall": 0.75}
"""The lower bound of each kappa must reach these. To lower one is a decision of its own: say why in
the commit. They are for answers that the scorer was fitted to, and guard what was reached; how it
does on others `viva eval calibrate` tells.
"""
PRECISION_FLOOR = 0.75
"""Of wrong numbers that are told, by the lower bound: the answers hold too few for more."""


def evaluate_scorer(options: Options) -> Report:
    """The report of a run. Raises BadRun."""
    return perform(lambda: _evaluate(options))


async def _evaluate(options: Options) -> Report:
    started, scorer = utc_now(), RuleScorer()
    whole = ScoringRun.of(lambda case, repeat: scorer, FLOORS, precision_floor=PRECISION_FLOOR)
    with progress(len(whole), "answers") as tell:
        samples = await whole.samples(tell)
    made = record(
        "scorer",
        scorer.name,
        started=started,
        files=(ANSWERS, ADVERSARIAL),
        hashes={f"rubric {r.id}": r.hash for r in load_rubrics().values()},
        settings={},
    )
    return whole.report(samples, made, options.baseline)
