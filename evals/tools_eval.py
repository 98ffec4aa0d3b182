"""`viva eval tools`: every tool call that has an independent value, and whether it is met."""

import json
from collections.abc import Sequence
from math import isclose
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from evals.agreement import Rate
from evals.cases import GoldenCall, InvalidCases
from evals.comparison import compare_with
from evals.gates import all_gate, with_unscored
from evals.record import ROOT, record
from evals.report.model import Report
from evals.results import CaseResult, Counts
from evals.runner import Plan, run
from evals.sample import Sample
from evals.session import Options, perform, progress
from interviewer.clock import utc_now
from tools.catalog import CATALOG

GOLDEN = ROOT / "tests" / "golden"
"""The files tool_calls*.json here, shared with the tests: one place for each value."""
ABOUT = ("Values are printed by the named sources or exact; each row carries its tolerance.",)


def evaluate_tools(options: Options) -> Report:
    """The report of a run. Raises BadRun."""
    return perform(lambda: _evaluate(options))


def golden_files(folder: Path = GOLDEN) -> tuple[Path, ...]:
    """The files of golden calls."""
    return tuple(sorted(folder.glob("tool_calls*.json")))


def golden_calls(files: Sequence[Path]) -> tuple[GoldenCall, ...]:
    """All rows of the files. Raises InvalidCases."""
    if not files:
        raise InvalidCases(f"{GOLDEN}: no tool_calls*.json; run in a checkout of Viva")
    rows: list[GoldenCall] = []
    for file in files:
        try:
            rows += [GoldenCall.model_validate(row) for row in _rows(file)]
        except ValidationError as error:
            raise InvalidCases(f"{file.name}:1: {error.errors()[0]['loc']}") from error
    return tuple(rows)


async def evaluate_call(case: GoldenCall, repeat: int) -> dict[str, Any]:
    """The value that the tool gives, in the unit of the expected one."""
    result = CATALOG[case.tool].call(case.arguments)
    value = result.measures[case.measure].value * case.scale
    met = isclose(value, case.expected, rel_tol=case.rel_tol or 1e-12)
    return {"value": value, "met": met}


async def _evaluate(options: Options) -> Report:
    started, files = utc_now(), golden_files()
    cases = golden_calls(files)
    with progress(len(cases), "calls") as tell:
        samples = await run(Plan(cases, evaluate_call), tell)
    results = [_result(case, sample) for case, sample in zip(cases, samples, strict=True)]
    counts = Counts.of(samples)
    passed = sum(result.ok for result in results)
    made = record(
        "tools",
        f"{len(CATALOG)} tools",
        started=started,
        files=files,
        hashes={},
        settings={},
    )
    return Report(
        run=made,
        counts=counts,
        gates=tuple(
            with_unscored(
                [all_gate("golden values", passed, len(results))],
                counts.total - counts.scored,
                counts.total,
            )
        ),
        rates=_by_tool(cases, results),
        cases=tuple(results),
        comparison=compare_with(options.baseline, results) if options.baseline else None,
        about=ABOUT,
    )


def _rows(file: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = json.loads(file.read_text("utf-8"))["rows"]
    return [{key: row[key] for key in row if key in GoldenCall.model_fields} for row in rows]


def _result(case: GoldenCall, sample: Sample) -> CaseResult:
    if sample.state != "scored":
        return CaseResult(id=case.id, state=sample.state, reason=sample.reason)
    return CaseResult(
        id=case.id,
        state="scored",
        passed={"value": sample.found["met"]},
        shown={"value": f"{sample.found['value']:.6g}"},
        detail=f"{case.tool} {case.measure}: expected {case.expected:g} {case.unit}, {case.source}",
    )


def _by_tool(cases: Sequence[GoldenCall], results: Sequence[CaseResult]) -> dict[str, Rate]:
    rates: dict[str, Rate] = {}
    for tool in dict.fromkeys(case.tool for case in cases):
        ok = [r.ok for case, r in zip(cases, results, strict=True) if case.tool == tool]
        rates[tool] = Rate.of(sum(ok), len(ok))
    return rates
