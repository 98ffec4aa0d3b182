"""Numbers of measurement: rates, what no failure shows, how many cases tell two rates apart."""

from collections.abc import Iterator
from math import sqrt
from random import Random
from typing import Any

from interviewer.quantities.show import show
from interviewer.reckoning.model import Case, Named, Template

CLEAN = (20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 200, 250, 300, 400, 500, 1000)


def _counted(rng: Random) -> dict[str, Any]:
    trials = rng.choice((40, 50, 60, 80, 120, 150, 200, 250, 400))
    return {
        "successes": round(trials * rng.choice((0.15, 0.22, 0.35, 0.62, 0.78, 0.9))),
        "trials": trials,
    }


def _counted_line(case: Case) -> str:
    return f"{case['successes']} of {case['trials']} cases passed."


def _wilson_slips(case: Case) -> Iterator[Named]:
    rate, n = case["successes"] / case["trials"], case["trials"]
    error = sqrt(rate * (1 - rate) / n)
    yield 100 * (rate - 1.96 * error), "that is the plain normal interval, not Wilson's"
    yield 100 * (rate - error), "one standard error was taken off; 95% takes 1.96"
    yield 100 * rate, "that is the rate itself"
    yield case.measure("high") * 100, "that is the upper end"


def _flips(rng: Random) -> dict[str, Any]:
    return {"only_a": rng.randrange(8, 30), "only_b": rng.randrange(2, 8)}


def _arms(rng: Random) -> dict[str, Any]:
    first = rng.choice((0.01, 0.02, 0.03, 0.04, 0.05, 0.08, 0.1, 0.2))
    return {"p1": first, "p2": round(first * rng.choice((1.5, 2)), 3)}


def _arms_slips(case: Case) -> Iterator[Named]:
    yield case.value * 2, "that is both arms together"
    yield case.value / 2, "one arm's variance was counted, not both"
    yield case.value * 1.96**2 / 7.849, "the power was left out: z of 1.96 alone"


TEMPLATES = (
    Template(
        name="rate",
        tool="stats",
        measure="rate",
        unit="%",
        scale=100,
        ask="What is the pass rate? Answer in percent.",
        draw=_counted,
        given=lambda case: (_counted_line(case),),
        slips=lambda case: (
            (100 - case.value, "that is the share that failed"),
            (
                100 * case["successes"] / (case["trials"] - case["successes"]),
                "those that passed were divided by those that failed",
            ),
        ),
        tolerance=0.01,
    ),
    Template(
        name="wilson-low",
        tool="stats",
        measure="low",
        unit="%",
        scale=100,
        ask="What is the lower end of the rate's 95 percent Wilson interval? Answer in percent.",
        draw=_counted,
        given=lambda case: (
            _counted_line(case),
            "Centre (p + z²/2n) / (1 + z²/n), "
            "half width z √(p(1 - p)/n + z²/4n²) / (1 + z²/n), with z = 1.96.",
        ),
        slips=_wilson_slips,
        tolerance=0.006,
    ),
    Template(
        name="no-failure",
        tool="stats",
        measure="high",
        unit="%",
        scale=100,
        ask="Up to which failure rate does the 95 percent Wilson interval reach, in percent?",
        draw=lambda rng: {"successes": 0, "trials": rng.choice(CLEAN)},
        given=lambda case: (
            f"None of {case['trials']} cases failed.",
            "With no failure the upper end is z² / (n + z²), and z² = 3.84.",
        ),
        slips=lambda case: (
            (100 / case["trials"], "one failure was counted; the bound is nearly four"),
            (300 / case["trials"], "that is the rule of three, 3/n, another bound"),
        ),
    ),
    Template(
        name="flipped",
        tool="mcnemar",
        measure="flipped",
        unit="cases",
        ask="How many cases decide whether the two versions differ?",
        draw=_flips,
        given=lambda case: (
            "Both versions ran over the same 400 cases.",
            f"{case['only_a']} pass with the new one alone, {case['only_b']} with the old one "
            "alone; the others have the same result with both.",
        ),
        slips=lambda case: (
            (400.0, "cases with the same result say nothing about the difference"),
            (
                float(case["only_a"] - case["only_b"]),
                "that is the net gain; every case that flipped counts",
            ),
        ),
        tolerance=0.005,
    ),
    Template(
        name="arms",
        tool="sample_size",
        measure="trials_per_arm",
        unit="trials",
        ask="How many trials does each arm need to tell the two rates apart?",
        draw=_arms,
        given=lambda case: (
            f"Rates of {show(case['p1'] * 100)}% and {show(case['p2'] * 100)}%.",
            "5 percent two-sided, power 80 percent: (1.96 + 0.84)² is 7.85, times both "
            "arms' p(1 - p), over the square of the difference.",
        ),
        slips=_arms_slips,
        tolerance=0.03,
    ),
)
