"""One `viva eval`: its options, its progress bar, where it writes, and how it ends."""

import asyncio
import importlib.util
import logging
import sys
from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import click

from evals.budget import Budget, Meter
from evals.cases import InvalidCases
from evals.comparison import BadBaseline
from evals.report.model import Report
from evals.report.write import write
from evals.sample import Sample
from interviewer.errors import ConfigError

T = TypeVar("T")
NEEDED = ("scipy", "sklearn", "statsmodels")
Tell = Callable[[Sample], None]


class BadRun(Exception):
    """The run cannot begin; the message says what to give instead."""


@dataclass(frozen=True)
class Options:
    """What was asked for on the command line."""

    out: Path = Path("eval-runs")
    baseline: Path | None = None
    save_baseline: Path | None = None
    model: str | None = None
    judge: str | None = None
    candidate: str | None = None
    allow_self_judge: bool = False
    repeat: int = 1
    workers: int = 8
    budget: Budget = field(default_factory=Budget)
    resume: bool = False

    @classmethod
    def read(cls, given: Mapping[str, Any]) -> "Options":
        """From command-line values. Raises BadRun."""
        missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
        if missing:
            raise BadRun(f"{', '.join(missing)} not installed: uv sync --extra evals")
        values = dict(given)
        prices, limits = values.pop("price", ""), values.pop("budget", "")
        try:
            return cls(**values, budget=Budget.parse(limits, prices))
        except ValueError as error:
            raise BadRun(f"--budget: {error}") from error

    def calls_file(self, subject: str) -> Path:
        """Where the calls of a subject are logged."""
        return self.out / subject / "calls.jsonl"

    def meter(self) -> Meter:
        """A meter with this run's budget."""
        return Meter(self.budget)


def perform(work: Callable[[], Awaitable[T]]) -> T:
    """Run to the end; what is wrong with cases, settings or baseline is a BadRun."""

    async def wait() -> T:
        return await work()

    # What goes wrong in a sample is its state; the application's own log would tear the bar.
    log = logging.getLogger("interviewer")
    level = log.level
    log.setLevel(logging.CRITICAL)
    try:
        return asyncio.run(wait())
    except (InvalidCases, ConfigError, BadBaseline) as error:
        raise BadRun(str(error)) from error
    finally:
        log.setLevel(level)


@contextmanager
def progress(total: int, label: str) -> Iterator[Tell]:
    """A bar on a terminal's standard error; elsewhere nothing is written."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    with click.progressbar(length=total, label=label, file=sys.stderr) as bar:
        yield lambda _: bar.update(1)


def finish(report: Report, options: Options, *, as_json: bool) -> int:
    """Write the reports, print them in short or whole, and return the exit status."""
    folder = options.out / report.run.subject
    write(report, folder)
    if options.save_baseline is not None:
        save_baseline(report, options.save_baseline)
    click.echo(report.model_dump_json(indent=1) if as_json else "\n".join(_lines(report, folder)))
    return report.exit_status


def save_baseline(report: Report, file: Path) -> None:
    """Keep what each case came out as, a line a case, to be compared with later."""
    kept = [
        case.model_dump_json(include={"id", "state", "passed", "shown"}) for case in report.cases
    ]
    file.write_text('{"cases": [\n' + ",\n".join(kept) + "\n]}\n", encoding="utf-8")


def _lines(report: Report, folder: Path) -> Iterator[str]:
    counts = report.counts
    yield f"{report.run.identity}: {counts.scored} of {counts.total} samples scored"
    for notice in (*report.run.notices, *report.about):
        yield f"  {notice}"
    for part in report.parts:
        found, raters = part.found, part.raters.kappa if part.raters else None
        yield (
            f"  {part.name:<9} kappa {_shown(found.kappa)} "
            f"[{_shown(found.low)}, {_shown(found.high)}], n={found.answers} in {found.groups} "
            f"questions; raters {_shown(raters)}"
        )
    for name, rate in report.rates.items():
        yield (
            f"  {name}: {rate.passed} of {rate.total}, {_shown(rate.value)} "
            f"[{rate.low:.2f}, {rate.high:.2f}]"
        )
    for name, value in report.reliability.items():
        yield f"  pass^{name}: {value:.2f}"
    for gate in report.gates:
        yield (
            f"{gate.outcome:<12} {gate.name}: {_shown(gate.value)} "
            f"[{_shown(gate.low)}, {_shown(gate.high)}], floor {gate.floor:.2f}"
        )
    yield from _changes(report)
    yield f"{report.outcome}: {folder / 'report.html'}"


def _changes(report: Report) -> Iterator[str]:
    if report.comparison is None:
        return
    yield f"since {report.comparison.baseline}: {len(report.comparison.flips)} changes"
    for flip in report.comparison.flips:
        word = {True: "won", False: "lost", None: "moved"}[flip.better]
        yield f"  {word:<6} {flip.case} {flip.aspect}: {flip.before} -> {flip.now}"


def _shown(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"
