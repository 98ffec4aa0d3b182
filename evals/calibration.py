"""Calibration: per rubric, scorer and aspect, how a scorer's levels agree with the raters'."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from evals.agreement import Agreement, Rate, agreement, corrected_rate
from evals.answers import Levels, pairs_of, raters_agreement
from evals.bench import ASPECTS, Bench
from evals.cases import CASES, RatedAnswer, read_cases
from evals.fit import left_out
from evals.gates import Gate
from evals.report.model import Report
from evals.session import BadRun
from interviewer.scoring.calibration import FILE
from interviewer.scoring.rule_scorer import RuleScorer


class Corrected(BaseModel):
    """The scorer's rate in one half of the questions, corrected with its errors in the other."""

    model_config = ConfigDict(frozen=True)

    rated: Rate
    seen: Rate
    value: float
    low: float
    high: float


class Calibration(BaseModel):
    """One aspect of one rubric by one scorer."""

    model_config = ConfigDict(frozen=True)

    scorer: str
    rubric: str
    rubric_hash: str
    aspect: str
    kappa: float | None
    low: float | None
    high: float | None
    answers: int
    questions: int
    raters_kappa: float | None
    found: Agreement
    rated: Rate
    """How many answers the rater puts at 3 or 4."""
    seen: Rate
    """How many the scorer does."""
    corrected: Corrected | None
    """None where the scorer tells too little apart."""


class VoiceFigures(BaseModel):
    """What `viva eval voice` found of a recogniser."""

    recogniser: str
    about: tuple[str, ...]
    gates: tuple[Gate, ...]
    rates: dict[str, Rate]


class Calibrations(BaseModel):
    """The file `evals/calibration.json`."""

    about: str
    calibrations: tuple[Calibration, ...]
    voice: VoiceFigures | None = None


ABOUT = (
    "The raters are language models with the rubric; no person rated. The rule scorer's figures "
    "are for questions left out of all that it learned; cue phrases that it still has were written "
    "with 280 of the 1,092 answers in view, and kinds of wrong numbers with all of them."
)


def calibrate(reports: Sequence[Path] = (), voice: Path | None = None) -> Calibrations:
    """The rule scorer on questions left out, and each judge of a `viva eval judge` report.

    The recogniser's figures are those of a `viva eval voice` report, else those of last time.
    """
    bench, cases = Bench.bundled(), read_cases(CASES / "answers.jsonl", RatedAnswer)
    found = _by_rubric(bench, cases, left_out(bench, cases), RuleScorer.name)
    for file in reports:
        report = _report(file, "judge")
        found += _by_rubric(bench, cases, _levels(report), report.run.identity)
    figures = _voice(voice) if voice else _kept_voice()
    return Calibrations(about=ABOUT, calibrations=tuple(found), voice=figures)


def write(calibrations: Calibrations, file: Path = FILE) -> None:
    """Write the file that the pages read."""
    file.write_text(calibrations.model_dump_json(indent=1) + "\n", encoding="utf-8")


def _by_rubric(
    bench: Bench, cases: Sequence[RatedAnswer], levels: Mapping[str, Levels], scorer: str
) -> list[Calibration]:
    rows = []
    for rubric in bench.rubrics.values():
        of_rubric = [
            case
            for case in cases
            if case.id in levels and bench.card(case.card, case.question).rubric == rubric.id
        ]
        if of_rubric:
            who = scorer, rubric.id, rubric.hash
            rows += [_calibration(who, of_rubric, levels, aspect) for aspect in ASPECTS]
    return rows


def _calibration(
    who: tuple[str, str, str],
    cases: Sequence[RatedAnswer],
    levels: Mapping[str, Levels],
    aspect: str,
) -> Calibration:
    scorer, rubric, rubric_hash = who
    found = agreement(pairs_of(cases, levels, aspect))
    raters = raters_agreement(cases, aspect)
    return Calibration(
        scorer=scorer,
        rubric=rubric,
        rubric_hash=rubric_hash,
        aspect=aspect,
        kappa=found.kappa,
        low=found.low,
        high=found.high,
        answers=found.answers,
        questions=found.groups,
        raters_kappa=raters.kappa if raters else None,
        found=found,
        rated=Rate.of(found.sensitivity.total, found.answers),
        seen=_seen(found),
        corrected=_corrected(cases, levels, aspect),
    )


def _seen(found: Agreement) -> Rate:
    false_alarms = found.specificity.total - found.specificity.passed
    return Rate.of(found.sensitivity.passed + false_alarms, found.answers)


def _corrected(
    cases: Sequence[RatedAnswer], levels: Mapping[str, Levels], aspect: str
) -> Corrected | None:
    """The rate in every other question, corrected with the errors in the rest."""
    names = sorted({case.card for case in cases})
    known = [case for case in cases if names.index(case.card) % 2 == 0]
    fresh = [case for case in cases if names.index(case.card) % 2 == 1]
    if not known or not fresh:
        return None
    errors = agreement(pairs_of(known, levels, aspect))
    found = agreement(pairs_of(fresh, levels, aspect))
    seen = _seen(found)
    result = corrected_rate(seen, errors.sensitivity, errors.specificity)
    if result is None:
        return None
    rated = Rate.of(found.sensitivity.total, found.answers)
    value, (low, high) = result
    return Corrected(rated=rated, seen=seen, value=value, low=low, high=high)


def _voice(file: Path) -> VoiceFigures:
    report = _report(file, "voice")
    about = (*report.about, *report.run.notices)
    return VoiceFigures(
        recogniser=report.run.identity, about=about, gates=report.gates, rates=report.rates
    )


def _kept_voice() -> VoiceFigures | None:
    return Calibrations.model_validate_json(FILE.read_bytes()).voice if FILE.is_file() else None


def _report(file: Path, subject: str) -> Report:
    try:
        report = Report.model_validate_json(file.read_bytes())
    except (OSError, ValueError) as error:
        raise BadRun(f"{file}: no report of viva eval {subject} ({error})") from error
    if report.run.subject != subject:
        raise BadRun(f"{file}: a report of viva eval {report.run.subject}; give one of {subject}")
    return report


def _levels(report: Report) -> dict[str, Levels]:
    """Levels by case of the report's rated answers; '–' was not assessed."""
    return {
        case.id: {a: int(v) if (v := case.shown[a]).isdigit() else None for a in ASPECTS}
        for case in report.cases
        if case.state == "scored" and set(ASPECTS) <= set(case.shown)
    }
