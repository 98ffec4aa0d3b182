"""The transcript of a scored 40-turn round: its template beside the same HTML by f-strings."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median

from markupsafe import escape

from interviewer.transcript import Turn
from interviewer.visible import visible
from web.rendering import ENVIRONMENT, TEMPLATES
from web.views.marks import MarkedTurn, Span, Stretch, marked

TURNS, SPANS, ROUNDS = 40, 60, 200
WORDS = "The floor is 14.6 ms per token, because a step reads <every> weight once & no more. " * 9


@dataclass(frozen=True)
class Reading:
    """Microseconds of one rendering, and the size of what it made."""

    template_us: float
    f_strings_us: float
    kb: float


def _transcript() -> tuple[MarkedTurn, ...]:
    at = datetime(2026, 11, 29, tzinfo=UTC)
    speakers = ("interviewer", "candidate")
    turns = [Turn(n, speakers[n % 2], WORDS, at, n) for n in range(1, TURNS + 1)]
    spans = [
        Span(f"s{n}", 1 + n % TURNS, 10 * (n % 7), 10 * (n % 7) + 40, "quote", "Claim")
        for n in range(SPANS)
    ]
    return marked(turns, spans)


def _safe(text: str) -> str:
    """What the template does to every string: control characters made visible, HTML escaped."""
    return escape(visible(text))


def _stretch(part: Stretch) -> str:
    targets = "".join(f'<span id="{_safe(id_)}" class="target"></span>' for id_ in part.ids)
    text = _safe(part.text)
    if not part.kinds:
        return f"{targets}{text}"
    classes, title = _safe(part.kinds), _safe(part.labels)
    return f'{targets}<mark class="{classes}" title="{title}">{text}</mark>'


def _turn(turn: MarkedTurn) -> str:
    who = "You" if turn.speaker == "candidate" else "Interviewer"
    aside = f' <span class="aside">{_safe(turn.aside)}</span>' if turn.aside else ""
    said = "".join(map(_stretch, turn.stretches))
    return (
        f'<li class="{_safe(turn.speaker)}" id="turn-{turn.number}">\n'
        f'<p class="who">{who}{aside}</p>\n<div class="said" dir="auto">{said}</div>\n</li>\n'
    )


def _median_us(render: Callable[[], str], rounds: int) -> float:
    spans = []
    for _ in range(rounds):
        at = time.perf_counter()
        render()
        spans.append(time.perf_counter() - at)
    return median(spans) * 1e6


def measure(rounds: int = ROUNDS) -> Reading:
    """Both ways in turn; they must make the same HTML."""
    source = (TEMPLATES / "scorecard.html").read_text("utf-8")
    loop = source.split('<ol class="transcript">\n', 1)[1].split("</ol>", 1)[0]
    template = ENVIRONMENT.from_string(loop)
    transcript = _transcript()
    view = {"transcript": transcript}

    def by_template() -> str:
        return template.render(view=view)

    def by_f_strings() -> str:
        return "".join(map(_turn, transcript))

    assert by_template() == by_f_strings()
    by_both = _median_us(by_template, rounds), _median_us(by_f_strings, rounds)
    return Reading(*by_both, len(by_f_strings()) / 1024)
