"""The page of progress: plots with their tables, and what to practise next, in one sentence."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from markupsafe import Markup

from interviewer.review.progress import Group, Progress, Weakest
from interviewer.review.rates import Rate
from interviewer.store import Identity
from rubrics.scorecard import Part
from web.views.filters import Choice, choice
from web.views.parts import LABELS
from web.views.rate_plots import Row, across_rates, drawn, over_time

WEEKS = 26
"""The newest weeks that are shown."""


@dataclass(frozen=True, slots=True)
class PartRow:
    """A part with its rate and its change."""

    label: str
    rate: Rate
    change: str


@dataclass(frozen=True, slots=True)
class GroupRow:
    """A theme or a week with the rate of each part."""

    label: str
    parts: tuple[Rate, ...]
    query: str
    """Of the list of questions with this theme; empty for a week."""


@dataclass(frozen=True, slots=True)
class Plot:
    """One drawing at two widths."""

    drawings: tuple[Markup, Markup]
    said: str


@dataclass(frozen=True, slots=True)
class ProgressPage:
    """The page. Everything on it is of one scorer with one rubric."""

    scorer: str
    rubric: str
    by: Choice
    part: Choice
    """Of the plots by theme and by week."""
    drills: bool
    advice: str
    weakest: Weakest | None
    parts: tuple[PartRow, ...]
    themes: tuple[GroupRow, ...]
    weeks: tuple[GroupRow, ...]
    left_out: int
    """Older weeks that are not shown."""
    part_plot: Plot
    theme_plot: Plot
    week_plot: Plot
    labels: tuple[str, ...] = tuple(LABELS.values())


def key_of(identity: Identity) -> str:
    """A scorer with a rubric, in a URL."""
    return f"{identity.scorer} {identity.rubric_hash}"


def chosen_of(known: Sequence[Identity], by: str, current: frozenset[str]) -> Identity | None:
    """Whom the URL asks for; by itself who read most rounds with a rubric of today."""
    if by:
        return next((one for one in known if key_of(one) == by), None)
    today = [one for one in known if one.rubric_hash in current]
    return max(today or known, key=lambda one: one.rounds)


def page_of(
    progress: Progress, identity: Identity, known: Sequence[Identity], part: str, *, drills: bool
) -> ProgressPage:
    """The page of one scorer with one rubric; its plots show `part`, or the weakest."""
    plotted = _plotted(progress, part)
    weeks = progress.weeks[-WEEKS:]
    parts = [Row(LABELS[part], progress.parts[part]) for part in Part]
    themes = [Row(group.key, group.parts[plotted]) for group in progress.themes]
    times = [Row(_short(group.key), group.parts[plotted]) for group in weeks]
    options = [
        (key_of(one), f"{one.scorer}, rubric {one.rubric} {one.rubric_hash}, {one.rounds} rounds")
        for one in known
    ]
    return ProgressPage(
        scorer=identity.scorer,
        rubric=f"{identity.rubric} {identity.rubric_hash}",
        by=choice("by", "Scored by", options, key_of(identity)),
        part=choice(
            "part", "Part", [(p.value, label) for p, label in LABELS.items()], plotted.value
        ),
        drills=drills,
        advice=_advice(progress.weakest),
        weakest=progress.weakest,
        parts=tuple(
            PartRow(LABELS[part], progress.parts[part], progress.changes[part].words)
            for part in Part
        ),
        themes=tuple(_group(group, group.key, group.key) for group in progress.themes),
        weeks=tuple(_group(group, _long(group.key), "") for group in reversed(weeks)),
        left_out=len(progress.weeks) - len(weeks),
        part_plot=_plot(parts, "Solid or better, by part"),
        theme_plot=_plot(themes, f"{LABELS[plotted]}, solid or better, by theme"),
        week_plot=_time_plot(times, f"{LABELS[plotted]}, solid or better, by week"),
    )


def _plotted(progress: Progress, part: str) -> Part:
    if part:
        return Part(part)
    return progress.weakest.part if progress.weakest else Part.CLAIM


def _advice(weakest: Weakest | None) -> str:
    if weakest is None:
        return "No whole round has been assessed yet: do one, or count drills as well."
    part = LABELS[weakest.part].lower()
    where = f" in “{weakest.theme}”" if weakest.theme else ""
    rate = weakest.rate
    low, high = (round(100 * end) for end in rate.interval)
    pairs = "pairs of part and theme" if weakest.theme else "parts"
    lowest = f", which ends lowest of {weakest.among} {pairs}" if weakest.among > 1 else ""
    return (
        f"Next, practise the {part}{where}: solid or better in {rate.solid} of {rate.assessed}, "
        f"with a 95 % interval from {low} to {high} %{lowest}."
    )


def _group(group: Group, label: str, query: str) -> GroupRow:
    return GroupRow(label, tuple(group.parts[part] for part in Part), query)


def _long(monday: str) -> str:
    found = date.fromisoformat(monday)
    return f"{found.day} {found:%B %Y}"


def _short(monday: str) -> str:
    found = date.fromisoformat(monday)
    return f"{found.day} {found:%b}"


def _plot(rows: Sequence[Row], title: str) -> Plot:
    return Plot(drawn(lambda canvas: across_rates(canvas, rows), title, _said(rows)), title)


def _time_plot(rows: Sequence[Row], title: str) -> Plot:
    drawings = drawn(lambda canvas: over_time(canvas, rows), title, _said(rows))
    return Plot(drawings, f"{title}{_counted(rows)}")


def _counted(rows: Sequence[Row]) -> str:
    """How many answers a point stands for, where there is room for no number at each."""
    counts = [row.rate.assessed for row in rows if row.rate.assessed]
    if not counts:
        return ""
    few, most = min(counts), max(counts)
    return f", n = {few} a week" if few == most else f", n = {few} to {most} a week"


def _said(rows: Sequence[Row]) -> str:
    return "; ".join(f"{row.label} {row.rate.words}" for row in rows)
