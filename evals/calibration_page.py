"""docs/CALIBRATION.md: the calibration as tables for people. Plain text, no statistics."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from pathlib import Path

from evals.agreement import LEVELS, Rate
from evals.calibration import Calibration, Calibrations, VoiceFigures, calibrate, write
from evals.record import ROOT
from interviewer.scoring.calibration import FILE

PAGE = ROOT / "docs" / "CALIBRATION.md"
_HEAD = """# Calibration

Written by `viva eval calibrate`; do not edit by hand.

{about}

Kappa is quadratic-weighted, against the first rater, with a 95 % bootstrap interval (BCa) that
draws whole questions. "Raters" is what the two raters reach with each other: the ceiling. A part
"is there" at level 3 or 4. Rates have Wilson's interval. "Corrected" takes the scorer's rate in one
half of the questions and corrects it with its errors in the other half (Rogan-Gladen, with the
uncertainty of both); its interval should hold the rater's rate in that half.
"""


def write_calibration(reports: Sequence[Path] = (), voice: Path | None = None) -> tuple[Path, Path]:
    """Calibrate, and write the page and the file that the web pages read."""
    found = calibrate(reports, voice)
    write(found)
    PAGE.write_text(page(found), encoding="utf-8")
    return PAGE, FILE


def page(calibrations: Calibrations) -> str:
    """The page as Markdown."""
    parts = [_HEAD.format(about=calibrations.about)]
    rows = calibrations.calibrations
    for (scorer, rubric, rubric_hash), of_rubric in groupby(
        rows, key=lambda row: (row.scorer, row.rubric, row.rubric_hash)
    ):
        section = list(of_rubric)
        first = section[0]
        parts.append(
            f"## {scorer}, rubric {rubric} `{rubric_hash}`\n\n"
            f"{first.answers} answers to {first.questions} questions.\n\n"
            + "\n".join(_agreement_table(section))
            + "\n\n"
            + "\n".join(_rates_table(section))
            + "\n\nConfusion, rows the rater's level and columns the scorer's:\n\n"
            + "\n".join(_matrices(section))
            + "\n"
        )
    if calibrations.voice is not None:
        parts.append("\n".join(_voice(calibrations.voice)) + "\n")
    return "\n".join(parts)


def _voice(found: VoiceFigures) -> Iterator[str]:
    yield f"## Spoken answers, {found.recogniser}\n"
    yield "\n".join(f"{line[0].upper()}{line[1:].removesuffix('.')}." for line in found.about)
    yield "\n| | aim | found | n | |\n| --- | --- | --- | --- | --- |"
    for gate in found.gates:
        shown = _interval(gate.value, gate.low, gate.high)
        yield f"| {gate.name} | {gate.floor:.2f} | {shown} | {gate.n} | {gate.outcome} |"
    yield "\n| by voice | |\n| --- | --- |"
    for name, rate in found.rates.items():
        yield f"| {name} | {_rate(rate)} |"


def _agreement_table(rows: Sequence[Calibration]) -> Iterator[str]:
    yield "| | kappa | raters | seen where it is there | seen missing where it is not |"
    yield "| --- | --- | --- | --- | --- |"
    for row in rows:
        yield (
            f"| {row.aspect} | {_interval(row.kappa, row.low, row.high)} | "
            f"{_number(row.raters_kappa)} | {_rate(row.found.sensitivity)} | "
            f"{_rate(row.found.specificity)} |"
        )


def _rates_table(rows: Sequence[Calibration]) -> Iterator[str]:
    yield "| at 3 or 4 | by the rater | by the scorer | half: rater | half: scorer | corrected |"
    yield "| --- | --- | --- | --- | --- | --- |"
    for row in rows:
        half = row.corrected
        shown = (
            f"{_number(half.rated.value)} | {_number(half.seen.value)} | "
            f"{_interval(half.value, half.low, half.high)}"
            if half
            else "– | – | cannot be corrected"
        )
        yield f"| {row.aspect} | {_rate(row.rated)} | {_rate(row.seen)} | {shown} |"


def _matrices(rows: Sequence[Calibration]) -> Iterator[str]:
    yield "| | " + " | ".join(f"rated {level}" for level in LEVELS) + " |"
    yield "| --- |" + " --- |" * len(LEVELS)
    for row in rows:
        lines = (" ".join(map(str, line)) for line in row.found.matrix)
        yield f"| {row.aspect} | " + " | ".join(lines) + " |"


def _number(value: float | None) -> str:
    return "undefined" if value is None else f"{value:.2f}"


def _interval(value: float | None, low: float | None, high: float | None) -> str:
    bounds = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{_number(value)}{bounds}"


def _rate(rate: Rate) -> str:
    return f"{_number(rate.value)} [{rate.low:.2f}, {rate.high:.2f}], {rate.passed} of {rate.total}"
