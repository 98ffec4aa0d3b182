"""The turns cut at every quote and every number, so that each can be marked and linked to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from interviewer.transcript import Turn
from rubrics.scorecard import Scorecard


@dataclass(frozen=True, slots=True)
class Span:
    """A half-open span of a turn's text. `label` says in words what it is evidence of."""

    id: str
    turn: int
    start: int
    end: int
    kind: str
    label: str


@dataclass(frozen=True, slots=True)
class Stretch:
    """Text between two edges of spans; `ids` are the spans that begin here."""

    text: str
    ids: tuple[str, ...] = ()
    kinds: str = ""
    """Class names; empty where nothing is marked."""
    labels: str = ""


@dataclass(frozen=True, slots=True)
class MarkedTurn:
    """One turn of the transcript with its marks."""

    number: int
    speaker: str
    aside: str
    stretches: tuple[Stretch, ...]


def spans_of(scorecard: Scorecard, labels: dict[str, str]) -> tuple[Span, ...]:
    """Every quote, flag and number; ids are `quote-<part>-<n>`, `flag-<n>`, `number-<n>`."""
    quotes = [
        Span(f"quote-{score.part}-{n}", e.turn, e.start, e.end, "quote", labels[score.part])
        for score in scorecard.scores
        for n, e in enumerate(score.evidence)
    ]
    flags = [
        Span(
            f"flag-{n}",
            flag.evidence.turn,
            flag.evidence.start,
            flag.evidence.end,
            "flag",
            "Red flag",
        )
        for n, flag in enumerate(scorecard.red_flags)
        if flag.evidence
    ]
    numbers = [
        Span(
            f"number-{n}",
            found.turn,
            found.start,
            found.end,
            found.verdict,
            f"Number: {found.verdict}",
        )
        for n, found in enumerate(scorecard.numbers)
    ]
    return (*quotes, *flags, *numbers)


def marked(turns: Iterable[Turn], spans: Sequence[Span]) -> tuple[MarkedTurn, ...]:
    """The transcript with its marks; spans outside a turn's text are left out."""
    return tuple(
        MarkedTurn(
            turn.number,
            turn.speaker,
            "stopped by you" if turn.interrupted else _over(turn),
            _cut(turn.text, [span for span in spans if span.turn == turn.number]),
        )
        for turn in turns
    )


def _over(turn: Turn) -> str:
    late = turn.answer.over_s if turn.answer else 0
    return f"{round(late)} s over time" if late >= 1 else ""


def _cut(text: str, spans: Sequence[Span]) -> tuple[Stretch, ...]:
    good = [span for span in spans if 0 <= span.start < span.end <= len(text)]
    edges = sorted({0, len(text), *(s.start for s in good), *(s.end for s in good)})
    return tuple(_stretch(text, start, end, good) for start, end in pairwise(edges))


def _stretch(text: str, start: int, end: int, spans: Sequence[Span]) -> Stretch:
    here = [span for span in spans if span.start <= start and end <= span.end]
    return Stretch(
        text[start:end],
        tuple(span.id for span in here if span.start == start),
        " ".join(dict.fromkeys(span.kind for span in here)),
        ", ".join(dict.fromkeys(span.label for span in here)),
    )
