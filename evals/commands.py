"""`viva eval`: scorer, judge, interviewer, tools, voice, calibrate. Only click until one runs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from evals.report.model import Report
    from evals.session import Options

F = TypeVar("F", bound=Callable[..., Any])
OUT = Path("eval-runs")


def _common(function: F) -> F:
    """The options that every run has."""
    for option in (
        click.option("--json", "as_json", is_flag=True, help="Print the whole report as JSON."),
        click.option("--out", type=click.Path(path_type=Path, file_okay=False), default=OUT,
                     show_default=True, help="Where reports and logs go."),
        click.option("--save-baseline", type=click.Path(path_type=Path, dir_okay=False),
                     help="Keep this run's outcome of each case in a file."),
        click.option("--baseline", type=click.Path(path_type=Path, exists=True, dir_okay=False),
                     help="An earlier report.json: shows every case that flipped."),
    ):  # fmt: skip
        function = option(function)
    return function


def _spending(function: F) -> F:
    """The options of runs that may call a model."""
    for option in (
        click.option("--resume", is_flag=True, help="Take up the last run: calls are paid once."),
        click.option("--price", default="", metavar="IN/OUT",
                     help="US dollars for a million tokens, for a budget of usd=."),
        click.option("--budget", default="", metavar="LIMITS",
                     help="calls=500,tokens=2M,minutes=30,usd=3: stops there, keeps what is done."),
        click.option("--workers", type=click.IntRange(1, 256), default=8, show_default=True,
                     help="Calls at once, at most; fewer after a rate limit."),
        click.option("--repeat", type=click.IntRange(1, 100), default=1, show_default=True,
                     help="Repeats of every case."),
    ):  # fmt: skip
        function = option(function)
    return function


@click.group("eval")
def eval_() -> None:
    """Measure scorers, judges, interviewers and tools, with intervals and gates.

    Exit status: 0 every gate passed, 1 a gate failed, 2 the data cannot tell.
    Needs the extra `evals` (SciPy, statsmodels, scikit-learn); `make install` has it.

    \b
    Examples:
      viva eval scorer --baseline evals/baselines/scorer.json
      viva eval judge --model vllm:Qwen/Qwen3-8B@http://127.0.0.1:8001/v1 --budget calls=500
      viva eval interviewer --model card --repeat 2
      viva eval tools
    """


@eval_.command()
@_common
def scorer(**given: object) -> None:
    """The rule scorer on 1,092 rated answers and the adversarial pairs; takes seconds.

    \b
    Example:
      viva eval scorer --baseline evals/baselines/scorer.json
    """
    from evals.scorer_eval import evaluate_scorer

    _run(evaluate_scorer, given)


@eval_.command()
@click.option("--model", metavar="SPEC", help="vllm:MODEL@URL, openai:MODEL, anthropic:MODEL or "
              "scripted; unset: the judge of the settings.")  # fmt: skip
@_spending
@_common
def judge(**given: object) -> None:
    """A model as judge on the same answers and pairs. Without a model: the mechanism only.

    \b
    Examples:
      viva eval judge --model vllm:Qwen/Qwen3-8B@http://127.0.0.1:8001/v1 --repeat 3
      viva eval judge --resume --budget calls=300
    """
    from evals.judge_eval import evaluate_judge

    _run(evaluate_judge, given)


@eval_.command()
@click.option("--model", metavar="SPEC", help="Who asks: card, scripted or a model; unset: as the "
              "settings say.")  # fmt: skip
@click.option("--judge", metavar="SPEC", help="Who judges whether a follow-up fits; unset: nobody.")
@click.option("--candidate", metavar="SPEC", help="A model that plays the candidate beside the "
              "written ones.")  # fmt: skip
@click.option("--allow-self-judge", is_flag=True, help="Let a model judge itself; the report says "
              "so.")  # fmt: skip
@_spending
@_common
def interviewer(**given: object) -> None:
    """Simulated candidates against an interviewer: manner, leaks, repeats, grounding.

    \b
    Examples:
      viva eval interviewer --model card
      viva eval interviewer --model vllm:Qwen/Qwen3-8B@http://127.0.0.1:8001/v1 --repeat 4
    """
    from evals.interviewer_eval import evaluate_interviewer

    _run(evaluate_interviewer, given)


@eval_.command()
@_common
def tools(**given: object) -> None:
    """Every tool against values from independent sources.

    \b
    Example:
      viva eval tools
    """
    from evals.tools_eval import evaluate_tools

    _run(evaluate_tools, given)


@eval_.command()
@click.option("--model", metavar="NAME|FOLDER", help="A Whisper model; unset: the recogniser of "
              "the settings, else base from the test packages.")  # fmt: skip
@_common
def voice(**given: object) -> None:
    """A recogniser on 24 spoken answers in two synthetic voices, and where nobody speaks.

    Takes some minutes. Needs the dependency group `voice` of a checkout.

    \b
    Examples:
      viva eval voice
      viva eval voice --model small.en --baseline eval-runs/voice/report.json
    """
    from evals.voice_eval import evaluate_voice

    _run(evaluate_voice, given)


@eval_.command()
@click.option("--judge-report", "reports", type=click.Path(path_type=Path), multiple=True,
              help="A report.json of viva eval judge, to calibrate that judge too.")  # fmt: skip
@click.option("--voice-report", type=click.Path(path_type=Path),
              help="A report.json of viva eval voice; unset: its figures stay.")  # fmt: skip
def calibrate(reports: tuple[Path, ...], voice_report: Path | None) -> None:
    """Write how far scorers can be trusted: docs/CALIBRATION.md and evals/calibration.json.

    \b
    Examples:
      viva eval calibrate
      viva eval calibrate --judge-report eval-runs/judge/report.json
      viva eval calibrate --voice-report eval-runs/voice/report.json
    """
    from evals.calibration_page import write_calibration
    from evals.session import BadRun

    try:
        for file in write_calibration(reports, voice_report):
            click.echo(str(file))
    except BadRun as error:
        raise click.UsageError(str(error)) from None


@eval_.command()
def fit() -> None:
    """Fit the rule scorer to the rated answers anew, and tell kappa on questions left out.

    Writes what interviewer/scoring keeps as JSON. Then run: viva eval calibrate

    \b
    Example:
      viva eval fit
    """
    from evals.fit import write_fits

    for aspect, kappa in write_fits().items():
        click.echo(f"{aspect:<9} kappa {kappa or 0:.2f} on questions left out")


def _run(evaluate: Callable[[Options], Report], given: dict[str, object]) -> None:
    """Run, write the three reports, print what matters, and end with the gates' status."""
    from evals.session import BadRun, Options, finish

    as_json = bool(given.pop("as_json"))
    try:
        options = Options.read(given)
        report = evaluate(options)
    except BadRun as error:
        raise click.UsageError(str(error)) from None
    raise SystemExit(finish(report, options, as_json=as_json))
