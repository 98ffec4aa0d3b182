"""Recomputes how long an amount takes at a rate, and the work of a model, where a power of ten was
lost: "282 TFLOP at 990 TFLOPS is 2.85 s". Knows no card."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from interviewer.quantities import Quantity
from interviewer.scoring.recompute.sums import TOLERANCE, StatedSum

_TOGETHER = re.compile(r"(?:[^.!?;]|\.(?!\s)){0,60}")
"""No sentence ends between the quantities."""
_STEPS = (10.0, 100.0, 1000.0, 1e6)
_CLOSE = 0.05
_OPERATIONS = 2.0
"""FLOPs of a parameter for each token: multiply and add (Kaplan et al. 2020, section 2.1)."""


def stated_times(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every amount, its rate and the time that it takes, the amount and the rate in any order."""
    for first, second, said in zip(quantities, quantities[1:], quantities[2:], strict=False):
        if said.unit is None or (said.dimension or "").partition("/")[0] != "time":
            continue
        if not _is_said_together(text, first, second, said):
            continue
        right = _time(first, second) or _time(second, first)
        if right is not None and not _fits(said, right) and _is_step(said.base / right):
            shown = f"{first.text} and {second.text}"
            yield StatedSum(said, right / said.unit.factor, shown, right=False)


def stated_work(text: str, quantities: Sequence[Quantity]) -> Iterator[StatedSum]:
    """Every "a 70B model needs 140 TFLOP per token", a thousand times two for each parameter."""
    for model, said in pairwise(quantities):
        if model.dimension != "parameters" or said.dimension not in ("flop", "flop/tokens"):
            continue
        if said.unit is None or not _is_said_together(text, model, said):
            continue
        right = _OPERATIONS * model.base
        if _is_step(said.base / right, steps=(1000.0, 1e6)):
            yield StatedSum(
                said, right / said.unit.factor, f"two for each of {model.text}", right=False
            )


def _time(amount: Quantity, rate: Quantity) -> float | None:
    """Seconds of an amount at a rate, or of so many tokens at so long each."""
    kind = amount.dimension
    if kind in ("bytes", "flop", "tokens") and rate.dimension == f"{kind}/time":
        return amount.base / rate.base
    if kind == "tokens" and (rate.dimension or "").startswith("time/tokens"):
        return amount.base * rate.base
    return None


def _fits(said: Quantity, right: float) -> bool:
    return abs(said.base / right - 1) <= max(TOLERANCE, 1.01 * said.precision / said.value)


def _is_said_together(text: str, *said: Quantity) -> bool:
    return all(_TOGETHER.fullmatch(text[a.end : b.start]) for a, b in pairwise(said))


def _is_step(ratio: float, steps: Sequence[float] = _STEPS) -> bool:
    return any(abs(ratio * step**sign - 1) <= _CLOSE for step in steps for sign in (1, -1))
