"""The capital timeline: money for forward deployed engineering, one announcement at a time."""

from collections.abc import Sequence

from tools.market.capital import Entry, capital
from tools.scale import linear
from web.figures.axes import across
from web.figures.canvas import Canvas, Tone
from web.figures.controls import Settings, Slider, whole
from web.figures.figure import LiveFigure, Number, Shown

TONES: tuple[Tone, ...] = ("one", "two", "three", "soft")


def show(settings: Settings) -> Shown:
    """The announcements up to the step."""
    data = capital()
    shown = data.entries[: min(whole(settings, "step"), len(data.entries))]
    total = sum(entry.usd_billion for entry in shown)
    firm = sum(entry.usd_billion for entry in shown if entry.basis == "announced")
    return Shown(
        title="Capital for forward deployed engineering",
        said=_said(shown, total),
        draw=lambda canvas: _draw(canvas, data.entries, len(shown)),
        numbers=(
            Number("in all", total, "USD billion"),
            Number("announced by the company", firm, "USD billion"),
            Number("reported, or perhaps not new", total - firm, "USD billion"),
        ),
        columns=("day", "company", "USD billion", "what", "basis", "doubt", "source"),
        rows=tuple(
            (e.day.isoformat(), e.company, e.usd_billion, e.what, e.basis, e.doubt, e.source)
            for e in shown
        ),
        notes=(
            "Dashed: the press's figure, a valuation, or money that may not be new. "
            "Forrester's own estimate of the whole is about 9 billion (in Business Insider).",
            data.about,
        ),
        source=data.source,
        steps=len(data.entries),
    )


def _said(shown: Sequence[Entry], total: float) -> str:
    if not shown:
        return "Before May 2026 none of the four had been announced."
    last = shown[-1]
    return (
        f"{last.day.isoformat()}: {last.company}, {last.what}, {last.usd_billion:g} billion USD. "
        f"That makes {total:g} billion in {len(shown)} announcements."
    )


def _draw(canvas: Canvas, entries: Sequence[Entry], step: int) -> float:
    left, right = 16.0, canvas.width - 20.0
    scale = linear(sum(entry.usd_billion for entry in entries), left, right)
    across(canvas, scale, 8, 66, "USD billion")
    at = 0.0
    for number, entry in enumerate(entries[:step]):
        start, end = scale.at(at), scale.at(at + entry.usd_billion)
        dashed = entry.basis == "reported"
        said = f"{entry.company}: {entry.usd_billion:g} billion"
        canvas.box((start, 18), (end - start - 1, 36), _tone(number), dashed=dashed, said=said)
        at += entry.usd_billion
    y = 112.0
    for number, entry in enumerate(entries):
        y = _line(canvas, entry, number, y, happened=number < step)
    return y


def _tone(number: int) -> Tone:
    return TONES[number % len(TONES)]


def _line(canvas: Canvas, entry: Entry, number: int, y: float, *, happened: bool) -> float:
    """One announcement in words, beside its colour."""
    dashed = entry.basis == "reported"
    canvas.box((16, y), (16, 16), _tone(number) if happened else "none", dashed=dashed)
    more = "more than " if "more than" in entry.doubt else ""
    head = f"{entry.day:%-d %B %Y}  {entry.company}, {more}{entry.usd_billion:g} billion"
    canvas.text((44, y + 13), head, tone="ink" if happened else "soft")
    return canvas.wrapped((44, y + 31), entry.what, canvas.width - 60) + 10


FIGURE = LiveFigure(
    slug="capital-timeline",
    title="The capital timeline",
    lead="Four announcements between May and July 2026 made a line of business of a job title. "
    "Walk through them and see which sums are firm.",
    controls=(Slider("step", "Announcements", 0, 4, 4),),
    show=show,
    stepped="step",
)
