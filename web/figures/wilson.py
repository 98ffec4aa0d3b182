"""Pass rates with their Wilson intervals, and how they narrow with more interviews."""

from dataclasses import dataclass

from tools.catalog import CATALOG
from tools.result import Result
from tools.scale import Scale
from web.figures.axes import across
from web.figures.canvas import Canvas
from web.figures.controls import Choice, Settings, Slider, whole, words
from web.figures.figure import LiveFigure, Number, Shown

ARMS = (("verbatim", 8, 11), ("modified", 6, 9), ("custom", 3, 12))
"""interviewing.io, January 2024: passes that give the rates it published."""
AVERAGE = 53.0
"""% of all interviews on that platform that pass."""


@dataclass(frozen=True, slots=True)
class Interval:
    """One arm in %."""

    name: str
    passed: int
    interviews: int
    low: float
    rate: float
    high: float


def show(settings: Settings) -> Shown:
    """The three arms at a multiple of their interviews."""
    times, level = whole(settings, "times"), float(words(settings, "level")) / 100
    arms = [_interval(name, p * times, n * times, level) for name, p, n in ARMS]
    gaps = {
        f"{arms[a].name} and {arms[b].name}": _gap(arms[a], arms[b])
        for a, b in ((0, 2), (0, 1), (1, 2))
    }
    difference = _difference(times, level)
    return Shown(
        title="Wilson intervals by number of interviews",
        said=f"{_many(times)}: {'; '.join(map(_said, gaps.items()))}.",
        draw=lambda canvas: _draw(canvas, arms),
        numbers=tuple(Number(f"gap, {pair}", gap, "points") for pair, gap in gaps.items()),
        columns=("questions", "passed", "interviews", "low %", "rate %", "high %"),
        rows=tuple((a.name, a.passed, a.interviews, a.low, a.rate, a.high) for a in arms),
        notes=(
            "Points between two intervals; below zero they overlap. That they do not overlap is a "
            "stricter test than comparing the two arms: "
            f"verbatim minus custom is {difference.value * 100:.1f} points, "
            f"{difference.measures['difference_low'].value * 100:.1f} to "
            f"{difference.measures['difference_high'].value * 100:.1f} by Newcombe.",
            "More interviews at the same rates are a thought experiment, no more data. The dashed "
            "line is the platform's average of 53 %.",
        ),
        source="interviewing.io (January 2024); stats: Wilson (1927), Newcombe (1998)",
    )


def _interval(name: str, passed: int, interviews: int, level: float) -> Interval:
    result = CATALOG["stats"].call({"successes": passed, "trials": interviews, "level": level})
    low, rate, high = (result.measures[key].value * 100 for key in ("low", "rate", "high"))
    return Interval(name, passed, interviews, low, rate, high)


def _difference(times: int, level: float) -> Result:
    (_, a, n), _, (_, b, m) = ARMS
    return CATALOG["stats"].call(
        {
            "successes": a * times,
            "trials": n * times,
            "successes_b": b * times,
            "trials_b": m * times,
            "level": level,
        }
    )


def _gap(a: Interval, b: Interval) -> float:
    return max(a.low, b.low) - min(a.high, b.high)


def _many(times: int) -> str:
    total = sum(interviews for _, _, interviews in ARMS)
    return f"With {total} interviews" if times == 1 else f"With {total * times:,} interviews"


def _said(item: tuple[str, float]) -> str:
    pair, gap = item
    return f"{pair} are {gap:.1f} points apart" if gap > 0 else f"{pair} overlap by {-gap:.1f}"


def _draw(canvas: Canvas, arms: list[Interval]) -> float:
    left = 20.0 if canvas.compact else 150.0
    scale = Scale(0.0, 100.0, left, canvas.width - 24)
    bottom = 40.0 + len(arms) * 58
    across(canvas, scale, 30, bottom, "%")
    average = scale.at(AVERAGE)
    canvas.line((average, 30), (average, bottom), "mark", dashed=True)
    canvas.text((average, 22), "average 53 %", "middle", tone="soft", size=12)
    for number, arm in enumerate(arms):
        y = 68.0 + number * 58
        name = f"{arm.name}, {arm.passed} of {arm.interviews}"
        at = (left, y - 14) if canvas.compact else (left - 14, y + 5)
        canvas.text(at, name, "start" if canvas.compact else "end", size=12)
        ends = scale.at(arm.low), scale.at(arm.high)
        canvas.line((ends[0], y), (ends[1], y), "one")
        for end in ends:
            canvas.line((end, y - 8), (end, y + 8), "one")
        said = f"{name}: {arm.low:.1f} to {arm.high:.1f} %"
        canvas.dot((scale.at(arm.rate), y), said=said)
    return bottom + 28


FIGURE = LiveFigure(
    slug="wilson-intervals",
    title="Wilson intervals",
    lead="With ChatGPT in secret, candidates passed most interviews with well-known questions and "
    "few with custom ones. How sure is that, of 32 interviews?",
    controls=(
        Slider("times", "Interviews", 1, 20, 1, unit="× as many"),
        Choice("level", "Confidence", (("90", "90 %"), ("95", "95 %"), ("99", "99 %")), "95"),
    ),
    show=show,
)
