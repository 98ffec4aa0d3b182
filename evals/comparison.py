"""Two runs over the same cases: which ones flipped, and whether that is more than chance."""

from collections.abc import Mapping, Sequence
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from evals.proportions import holm, mcnemar_p
from evals.results import CaseResult

FEWEST_FLIPS = 6
"""With fewer flips, all one way, the exact test cannot reach p < .05."""


class BadBaseline(ValueError):
    """A baseline cannot be compared; the message says why."""


class Flip(BaseModel):
    """A case that came out differently than before, in one respect."""

    model_config = ConfigDict(frozen=True)

    case: str
    aspect: str
    before: str
    now: str
    better: bool | None = None
    """None where neither passes, or both do."""


class Paired(BaseModel):
    """One aspect over the cases of both runs (exact McNemar, Holm over the aspects)."""

    model_config = ConfigDict(frozen=True)

    aspect: str
    both: int
    only_before: int
    only_now: int
    neither: int
    p: float
    note: str = ""


class Comparison(BaseModel):
    """What changed since the baseline. `added` and `gone` are cases of only one of the runs."""

    model_config = ConfigDict(frozen=True)

    baseline: str
    flips: tuple[Flip, ...]
    paired: tuple[Paired, ...]
    added: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()


class _Kept(BaseModel):
    """A report, of which only the cases matter."""

    cases: tuple[CaseResult, ...]


def compare_with(file: Path, now: Sequence[CaseResult]) -> Comparison:
    """Compare with an earlier report, or with a baseline that keeps its cases alone.

    Raises BadBaseline.
    """
    try:
        before = _Kept.model_validate_json(file.read_bytes()).cases
    except (OSError, ValidationError) as error:
        raise BadBaseline(f"{file}: no report to compare with ({error})") from error
    return compare(now, before, file.name)


def compare(now: Sequence[CaseResult], before: Sequence[CaseResult], baseline: str) -> Comparison:
    """Align by case id. Raises BadBaseline where the runs have no case in common."""
    old = {case.id: case for case in before}
    new = {case.id: case for case in now}
    shared = [case_id for case_id in new if case_id in old]
    if not shared:
        raise BadBaseline(f"{baseline}: it has none of these cases")
    aspects = sorted({name for case_id in shared for name in new[case_id].passed})
    tables = [_table(name, [(old[i], new[i]) for i in shared]) for name in aspects]
    adjusted = holm([table.p for table in tables])
    return Comparison(
        baseline=baseline,
        flips=tuple(flip for i in shared for flip in _flips(old[i], new[i])),
        paired=tuple(
            table.model_copy(update={"p": p}) for table, p in zip(tables, adjusted, strict=True)
        ),
        added=tuple(i for i in new if i not in old),
        gone=tuple(i for i in old if i not in new),
    )


def _table(aspect: str, pairs: Sequence[tuple[CaseResult, CaseResult]]) -> Paired:
    cells = {(True, True): 0, (True, False): 0, (False, True): 0, (False, False): 0}
    for before, now in pairs:
        if aspect in before.passed and aspect in now.passed:
            cells[before.passed[aspect], now.passed[aspect]] += 1
    lost, won = cells[True, False], cells[False, True]
    few = 0 < lost + won < FEWEST_FLIPS
    return Paired(
        aspect=aspect,
        both=cells[True, True],
        only_before=lost,
        only_now=won,
        neither=cells[False, False],
        p=mcnemar_p(lost, won),
        note="too few changed cases to tell" if few else "",
    )


def _flips(before: CaseResult, now: CaseResult) -> list[Flip]:
    return [
        Flip(
            case=now.id,
            aspect=name,
            before=before.shown[name],
            now=value,
            better=_better(before.passed, now.passed, name),
        )
        for name, value in now.shown.items()
        if name in before.shown and before.shown[name] != value
    ]


def _better(before: Mapping[str, bool], now: Mapping[str, bool], name: str) -> bool | None:
    if name not in before or name not in now or before[name] == now[name]:
        return None
    return now[name]
