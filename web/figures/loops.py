"""Company loops: stages, minutes and the rule on AI; published ones and a composite."""

from collections.abc import Callable, Mapping, Sequence

from tools.market.loops import AiRule, Loop, Stage, loops
from tools.scale import Scale, linear
from web.figures.axes import across
from web.figures.canvas import Canvas, Tone
from web.figures.controls import Choice, Settings, words
from web.figures.figure import LiveFigure, Number, Shown

RULES: Mapping[AiRule, str] = {
    "banned": "forbidden",
    "allowed": "allowed",
    "required": "built in",
    "discussed": "use reviewed",
    "unstated": "not stated",
}
MOST_MINUTES = 480


def show(settings: Settings) -> Shown:
    """One loop, stage by stage, and another beside it."""
    chosen = _loop(words(settings, "company"))
    other = words(settings, "beside")
    shown = [chosen] if other in ("none", chosen.id) else [chosen, _loop(other)]
    return Shown(
        title=" and ".join(f"the loop of {loop.company}" for loop in shown),
        said=" ".join(_said(loop) for loop in shown),
        draw=lambda canvas: _draw(canvas, shown),
        numbers=tuple(number for loop in shown for number in _numbers(loop)),
        columns=("loop", "stage", "minutes", "AI", "note"),
        rows=tuple(
            (loop.company, stage.name, minutes_said(stage.minutes), RULES[stage.ai], stage.note)
            for loop in shown
            for stage in loop.stages
        ),
        notes=(
            *(f"{loop.company}, AI: {loop.ai_rule}" for loop in shown),
            *(f"{loop.company}: {loop.note}" for loop in shown if loop.note),
            "A dashed box stands for a stage without minutes. Before a "
            "loop, ask the recruiter what comes, how long it takes and where AI may be used.",
        ),
        source="; ".join(f"{loop.source}, read {loop.read}" for loop in shown),
    )


def _loop(name: str) -> Loop:
    return next(loop for loop in loops().loops if loop.id == name)


def _numbers(loop: Loop) -> tuple[Number, ...]:
    if not loop.stated_minutes:
        return (Number(f"{loop.company}: minutes stated", 0, "min"),)
    low, high = loop.stated_minutes
    return (
        Number(f"{loop.company}: stated minutes from", low, "min"),
        Number(f"{loop.company}: to", high, "min"),
    )


def _said(loop: Loop) -> str:
    parts = [f"{loop.company} ({loop.role}), {kind_said(loop.kind)}"]
    if loop.weeks:
        low, high = loop.weeks
        parts.append(f"{low} to {high} weeks" if high else f"at least {low} weeks")
    if loop.stage_count:
        parts.append(f"{loop.stage_count[0]} to {loop.stage_count[1]} stages")
    names = ", ".join(stage.name for stage in loop.stages)
    return f"{', '.join(parts)}: {names}."


def kind_said(kind: str) -> str:
    """Whether a loop is as its company publishes it."""
    return "as published" if kind == "published" else "a composite, not published"


def minutes_said(minutes: tuple[int, int] | None) -> str:
    """From..to, or that the source states none."""
    if minutes is None:
        return "not stated"
    low, high = minutes
    return str(low) if low == high else f"{low} to {high}"


def _draw(canvas: Canvas, shown: Sequence[Loop]) -> float:
    stages = [stage for loop in shown for stage in loop.stages]
    end = max([MOST_MINUTES, *(stage.minutes[1] for stage in stages if stage.minutes)])
    scale = linear(end, 16.0, canvas.width - 20)
    y = 4.0
    for loop in shown:
        canvas.text((16.0, y + 18), f"{loop.company}, {kind_said(loop.kind)}", size=15)
        y = _stages(canvas, loop, y + 30, scale)
    across(canvas, scale, y, y, "min")
    return y + 28


def _stages(canvas: Canvas, loop: Loop, y: float, scale: Scale) -> float:
    ends = (scale.start, scale.at(90))
    for number, stage in enumerate(loop.stages, 1):
        canvas.text((ends[0], y + 16), f"{number}. {stage.name}")
        _box(canvas, stage, y + 24, ends, scale.at, composite=loop.kind == "composite")
        y += 68
    return y + 14


def _box(
    canvas: Canvas,
    stage: Stage,
    y: float,
    ends: tuple[float, float],
    at: Callable[[float], float],
    *,
    composite: bool,
) -> None:
    left, unknown = ends
    said = f"{stage.name}: {minutes_said(stage.minutes)} minutes; AI {RULES[stage.ai]}"
    label = f"{minutes_said(stage.minutes)} min" if stage.minutes else "minutes not stated"
    if stage.minutes is None:
        canvas.box((left, y), (unknown - left, 24), "none", dashed=True, said=said)
        right = unknown
    else:
        low, high = at(stage.minutes[0]), at(stage.minutes[1])
        tone: Tone = "three" if composite else "one"
        canvas.box((left, y), (low - left, 24), tone, dashed=composite, said=said)
        if high > low:
            canvas.box((low, y), (high - low, 24), "two", dashed=composite, said=said)
        right = high
    rule = "" if stage.ai == "unstated" else f" · AI {RULES[stage.ai]}"
    words_ = f"{label}{rule}"
    if right + 10 + len(words_) * 6.9 < canvas.width:
        canvas.text((right + 10, y + 17), words_, tone="soft", size=12)
    else:
        canvas.text((left, y + 39), words_, tone="soft", size=12)


FIGURE = LiveFigure(
    slug="company-loops",
    title="Company loops",
    lead="What companies publish of their interviews, stage by stage, and apart from it what prep "
    "sites compose. Few publish minutes, fewer a rule on AI.",
    controls=(
        Choice(
            "company",
            "Company",
            tuple((loop.id, f"{loop.company} ({kind_said(loop.kind)})") for loop in loops().loops),
            "openai",
        ),
        Choice(
            "beside",
            "Beside it",
            (("none", "Nothing"), *((loop.id, loop.company) for loop in loops().loops)),
            "prep-sites",
        ),
    ),
    show=show,
)
