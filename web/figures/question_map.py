"""The map of the 33 questions: by theme, by where their wording is found, by how often."""

from collections.abc import Mapping, Sequence

from tools.market.questions import MATCHES, Match, Question, questions
from web.figures.canvas import Canvas, Ink, Tone, fitted
from web.figures.controls import Choice, Settings, words
from web.figures.figure import LiveFigure, Number, Shown

LOOK: Mapping[Match, tuple[Tone, bool]] = {
    "listed": ("two", False),
    "none": ("one", False),
    "no_source": ("none", True),
    "unstated": ("soft", False),
}
SIDE = 38


def show(settings: Settings) -> Shown:
    """The questions that pass the filters; the others stay on the map, faint."""
    data, theme, match = questions(), words(settings, "theme"), words(settings, "match")
    wanted = [q for q in data.questions if theme in ("all", _slug(q.theme))]
    wanted = [q for q in wanted if match in ("all", q.match)]
    rounds = {theme.name: theme.round for theme in data.themes}
    return Shown(
        title="The 33 questions",
        said=(
            f"{len(wanted)} of 33 questions pass the filters. Of all, the source counts "
            f"{data.near_verbatim} near-verbatim on Aced's pages, {data.same_scenario} as the same "
            f"scenario and {data.no_match} without a match."
        ),
        draw=lambda canvas: _draw(canvas, data.questions, {q.number for q in wanted}),
        numbers=(
            Number("pass the filters", len(wanted), "questions"),
            Number("near-verbatim", data.near_verbatim, "of 33"),
            Number("same scenario", data.same_scenario, "of 33"),
            Number("no match", data.no_match, "of 33"),
        ),
        columns=("question", "about", "theme", "chapter", "usual round", "match", "reported by"),
        rows=tuple(
            (
                f"Q{q.number}",
                q.question,
                q.theme,
                q.chapter,
                rounds[q.theme],
                MATCHES[q.match],
                _reported(q, data.collections_read),
            )
            for q in wanted
        ),
        links=tuple(q.card for q in wanted),
        notes=(
            "The sums are the source's. It names only some of the questions behind them, so the "
            "others are drawn as counted in the sums only: this map guesses nothing.",
            "A match says where a wording comes from, not whether interviewers ask it. Collections "
            "are public ones on GitHub that have the words: a lower bound.",
            "The usual round of a theme is our reading of candidates' reports; no company says it.",
        ),
        source=data.source,
    )


def _slug(theme: str) -> str:
    return theme.split()[0].lower()


def _reported(question: Question, read: int) -> str:
    parts = []
    if question.families:
        parts.append(f"at least {question.families} source families")
    if question.collections is not None:
        parts.append(f"{question.collections} of {read} collections ({question.counted_as})")
    if question.match == "no_source":
        parts.append("no interview source")
    return "; ".join(parts)


def _draw(canvas: Canvas, all_: Sequence[Question], wanted: set[int]) -> float:
    left = 14.0 if canvas.compact else 260.0
    y = 10.0
    for theme in questions().themes:
        here = [q for q in all_ if q.theme == theme.name]
        if canvas.compact:
            canvas.text((left, y + 14), theme.name)
            y += 22
        else:
            canvas.text((left - 16, y + 24), theme.name, "end")
        for column, question in enumerate(here):
            _square(canvas, question, (left + column * (SIDE + 8), y), question.number in wanted)
        y += SIDE + 12
    return _legend(canvas, y + 6)


def _square(canvas: Canvas, q: Question, corner: tuple[float, float], wanted: bool) -> None:
    tone, dashed = LOOK[q.match] if wanted else ("none", False)
    said = f"Q{q.number} {q.question}: {MATCHES[q.match]}"
    canvas.box(corner, (SIDE, SIDE), tone, dashed=dashed, said=said)
    middle = (corner[0] + SIDE / 2, corner[1] + SIDE / 2 + 5)
    ink: Ink = "on" if tone == "one" else "ink" if wanted else "soft"
    canvas.text(middle, str(q.number), "middle", tone=ink)


def _legend(canvas: Canvas, top: float) -> float:
    x, y = 14.0, top
    for match, words_ in MATCHES.items():
        room = 34 + len(words_) * 7.0
        if x + room > canvas.width:
            x, y = 14.0, y + 24
        tone, dashed = LOOK[match]
        canvas.box((x, y), (16, 16), tone, dashed=dashed)
        canvas.text((x + 23, y + 13), fitted(words_, room)[0], tone="soft", size=12)
        x += room
    return y + 26


FIGURE = LiveFigure(
    slug="question-map",
    title="The question map",
    lead="A candidate's 33 questions in seven themes: which of them are found on prep sites, and "
    "which have no interview source at all.",
    controls=(
        Choice(
            "theme",
            "Theme",
            (("all", "All themes"), *((_slug(t.name), t.name) for t in questions().themes)),
            "all",
        ),
        Choice("match", "Match", (("all", "All"), *MATCHES.items()), "all"),
    ),
    show=show,
)
