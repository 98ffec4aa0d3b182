"""A gate has three outcomes: what the interval shows decides, never the point estimate."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict

from evals.agreement import Agreement, Rate
from evals.proportions import Interval, clopper_pearson, trials_needed

Outcome = Literal["pass", "fail", "inconclusive"]
EXIT: dict[Outcome, int] = {"pass": 0, "fail": 1, "inconclusive": 2}
MOST_UNSCORED = 0.05
"""The share of samples without a score from which no gate can pass."""


class Gate(BaseModel):
    """What was asked of a number, and what its interval says about it."""

    model_config = ConfigDict(frozen=True)

    name: str
    floor: float
    value: float | None
    low: float | None
    high: float | None
    n: int
    outcome: Outcome
    note: str = ""


def rate_gate(name: str, rate: Rate, floor: float) -> Gate:
    """Pass where Wilson's lower bound reaches the floor, fail where the upper one does not."""
    needed = trials_needed(floor) if floor < 1 else 0
    note = f"needs n >= {needed}, all passed" if rate.total < needed else ""
    return Gate(
        name=name,
        floor=floor,
        value=rate.value,
        low=rate.low,
        high=rate.high,
        n=rate.total,
        outcome=_outcome(rate.low, rate.high, floor) if rate.total else "inconclusive",
        note=note,
    )


def never_gate(name: str, failures: int, total: int, most: float) -> Gate:
    """For what must not happen: the exact interval of the share that held, against 1 - `most`."""
    low, high = clopper_pearson(total - failures, total)
    return Gate(
        name=name,
        floor=1 - most,
        value=(total - failures) / total if total else None,
        low=low,
        high=high,
        n=total,
        outcome=_outcome(low, high, 1 - most) if total else "inconclusive",
        note="Clopper-Pearson",
    )


def all_gate(name: str, passed: int, total: int) -> Gate:
    """For values that are right or wrong: every one must pass."""
    return Gate(
        name=name,
        floor=1.0,
        value=passed / total if total else None,
        low=None,
        high=None,
        n=total,
        outcome="pass" if total and passed == total else "fail",
        note="every one must pass",
    )


def share_gate(
    name: str, value: float | None, interval: Interval | None, n: int, floor: float
) -> Gate:
    """For a share with an interval of its own, such as a bootstrap's."""
    low, high = interval or (None, None)
    return Gate(
        name=name,
        floor=floor,
        value=value,
        low=low,
        high=high,
        n=n,
        outcome=_outcome(interval.low, interval.high, floor) if interval else "inconclusive",
        note="bootstrap over answers",
    )


def kappa_gate(name: str, found: Agreement, floor: float) -> Gate:
    """Pass where the interval of kappa lies above the floor, fail where it lies below."""
    low, high = found.low, found.high
    known = low is not None and high is not None
    return Gate(
        name=name,
        floor=floor,
        value=found.kappa,
        low=low,
        high=high,
        n=found.answers,
        outcome=_outcome(low or 0.0, high or 0.0, floor) if known else "inconclusive",
        note=f"{found.groups} questions",
    )


def with_unscored(gates: Sequence[Gate], unscored: int, total: int) -> list[Gate]:
    """The gates, none of them passed where too many samples have no score."""
    if not total or unscored / total <= MOST_UNSCORED:
        return list(gates)
    note = f"{unscored} of {total} samples have no score"
    return [
        gate.model_copy(update={"outcome": "inconclusive", "note": note})
        if gate.outcome == "pass"
        else gate
        for gate in gates
    ]


def verdict(gates: Sequence[Gate]) -> Outcome:
    """Fail where any gate failed, else inconclusive where any is, else pass."""
    outcomes = {gate.outcome for gate in gates}
    if "fail" in outcomes:
        return "fail"
    return "pass" if outcomes == {"pass"} else "inconclusive"


def _outcome(low: float, high: float, floor: float) -> Outcome:
    if low >= floor:
        return "pass"
    return "fail" if high < floor else "inconclusive"
