"""`viva eval interviewer`: simulated candidates against an interviewer, in real rounds."""

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import AsyncExitStack, asynccontextmanager

from evals.agreement import Rate
from evals.bench import Bench
from evals.calls import CallLog, Calls
from evals.cases import CASES, CandidateCase, read_cases
from evals.comparison import compare_with
from evals.gates import rate_gate, with_unscored
from evals.models import Role, built, check_independent, role
from evals.pace import Pace
from evals.playing import Stage, temporary_store
from evals.proportions import pass_hat_k
from evals.record import record, role_uses
from evals.report.model import Report
from evals.results import CaseResult, Counts, RunRecord
from evals.runner import Plan, run
from evals.sample import Sample
from evals.scripted import scripted
from evals.session import Options, perform, progress
from evals.transcript_checks import CHECKS
from interviewer.clock import utc_now
from interviewer.llm.protocol import LLM
from interviewer.settings import load_settings

CANDIDATES = CASES / "candidates.jsonl"
FLOOR = 0.90
"""The share of rounds in which every check must hold, by its lower bound."""
MECHANISM = "The scripted model shows that rounds with a model work; its questions mean nothing."
ABOUT = ("Candidates are simulated; every check is code, and shares no rule with the interviewer.",)


def evaluate_interviewer(options: Options) -> Report:
    """The report of a run. Raises BadRun."""
    return perform(lambda: _evaluate(options))


async def _evaluate(options: Options) -> Report:
    started, settings = utc_now(), load_settings()
    roles = {
        "interviewer": role("interviewer", options.model, settings, "card"),
        "judge": role("judge", options.judge or "card", settings, "card"),
        "candidate": role("candidate", options.candidate or "card", settings, "card"),
    }
    notices = _notices(roles, options)
    cases, meter = read_cases(CANDIDATES, CandidateCase), options.meter()
    log = CallLog(options.calls_file("interviewer"), resume=options.resume)
    async with AsyncExitStack() as stack:
        models = {
            name: await stack.enter_async_context(_player(bound, settings.llm_timeout_s))
            for name, bound in roles.items()
        }
        store = stack.enter_context(temporary_store())
        stage = Stage(
            Bench.bundled(), store, Calls(log, meter, Pace(options.workers)), roles, models
        )
        plan = Plan(cases, stage.evaluate, options.repeat, options.workers)
        with progress(len(plan), "rounds") as tell:
            samples = await run(plan, tell)
    made = record(
        "interviewer",
        roles["interviewer"].identity,
        started=started,
        files=(CANDIDATES,),
        hashes={},
        settings={"repeats": str(options.repeat), "workers": str(options.workers)},
        roles=role_uses({n: r.identity for n, r in roles.items() if models[n]}, meter),
        notices=notices,
    )
    return _report(cases, samples, options, made)


@asynccontextmanager
async def _player(bound: Role, timeout_s: float) -> AsyncIterator[LLM | None]:
    if bound.plain == "scripted":
        yield scripted()
        return
    async with built(bound, timeout_s) as llm:
        yield llm


def _notices(roles: Mapping[str, Role], options: Options) -> list[str]:
    """What the reader must know. Raises ConfigError where a model would judge itself."""
    asker, judge = roles["interviewer"], roles["judge"]
    found = [check_independent(asker, judge, options.allow_self_judge)]
    if asker.plain == "scripted":
        found.append(MECHANISM)
    return [notice for notice in found if notice]


def _report(
    cases: Sequence[CandidateCase], samples: Sequence[Sample], options: Options, made: RunRecord
) -> Report:
    by_case = {case.id: [s for s in samples if s.case == case.id] for case in cases}
    results = [_result(of_case) for of_case in by_case.values()]
    scored = [sample for sample in samples if sample.state == "scored"]
    counts = Counts.of(samples)
    whole = Rate.of(sum(map(_passes, scored)), len(scored))
    gates = [rate_gate("rounds in which every check holds", whole, FLOOR)]
    return Report(
        run=made,
        counts=counts,
        gates=tuple(with_unscored(gates, counts.total - counts.scored, counts.total)),
        rates={
            **_by(scored, CHECKS),
            **_by_persona(cases, scored),
            **_relevance(scored),
        },
        reliability=_reliability(by_case, options.repeat),
        cases=tuple(results),
        comparison=compare_with(options.baseline, results) if options.baseline else None,
        about=ABOUT,
    )


def _passes(sample: Sample) -> bool:
    return all(sample.found["checks"].values())


def _result(samples: Sequence[Sample]) -> CaseResult:
    """A case passes a check where every repeat does; the transcript is that of the worst one."""
    failed = next((sample for sample in samples if sample.state != "scored"), None)
    if failed is not None:
        return CaseResult(id=failed.case, state=failed.state, reason=failed.reason)
    worst = min(samples, key=_passes)
    passed = {name: all(s.found["checks"][name] for s in samples) for name in CHECKS}
    return CaseResult(
        id=worst.case,
        state="scored",
        passed=passed,
        shown={name: "holds" if ok else "broken" for name, ok in passed.items()},
        detail=worst.found["transcript"],
    )


def _by(samples: Sequence[Sample], checks: Iterable[str]) -> dict[str, Rate]:
    return {
        name: Rate.of(sum(s.found["checks"][name] for s in samples), len(samples))
        for name in checks
    }


def _by_persona(cases: Sequence[CandidateCase], samples: Sequence[Sample]) -> dict[str, Rate]:
    persona = {case.id: case.persona.replace("_", " ") for case in cases}
    rates: dict[str, Rate] = {}
    for name in dict.fromkeys(persona.values()):
        of_persona = [_passes(s) for s in samples if persona[s.case] == name]
        rates[f"candidate: {name}"] = Rate.of(sum(of_persona), len(of_persona))
    return rates


def _relevance(samples: Sequence[Sample]) -> dict[str, Rate]:
    """What the judge said of the follow-ups; what it could not tell is left out."""
    counts = {"fits": 0, "partly": 0, "does_not": 0}
    for sample in samples:
        for verdict in counts:
            counts[verdict] += sample.found["fits"].get(verdict, 0)
    total = sum(counts.values())
    return {"follow-ups that fit, by the judge": Rate.of(counts["fits"], total)} if total else {}


def _reliability(by_case: Mapping[str, Sequence[Sample]], repeats: int) -> dict[str, float]:
    """pass^k for each k up to the repeats, over the cases of which every repeat was scored."""
    whole = [s for s in by_case.values() if all(sample.state == "scored" for sample in s)]
    counts = [(sum(map(_passes, samples)), len(samples)) for samples in whole]
    found = {str(k): pass_hat_k(counts, k) for k in range(1, repeats + 1)}
    return {k: value for k, value in found.items() if value is not None}
