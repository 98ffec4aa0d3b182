"""Cuts speech into pieces for a recogniser: at pauses, none longer than it can hold in memory."""

from collections.abc import Sequence
from typing import NamedTuple

LONGEST_S = 45.0
"""Features of as much audio are held at once: a minute and a half took 200 MB."""
GAP_S = 4.0
"""A pause from which on a recogniser may invent words to fill it."""
MARGIN_S = 0.3
LEAST_PAUSE_S = 0.25
"""Silence that parts two stretches of speech."""


class Piece(NamedTuple):
    """A stretch of audio to transcribe, in seconds."""

    start: float
    end: float


def pieces(speech: Sequence[tuple[float, float]], seconds: float) -> list[Piece]:
    """The stretches that hold all speech with some margin; they never overlap."""
    cut: list[Piece] = []
    for start, end in _short(speech):
        if cut and start - cut[-1].end < GAP_S and end - cut[-1].start <= LONGEST_S:
            cut[-1] = Piece(cut[-1].start, end)
        else:
            cut.append(Piece(start, end))
    return [
        Piece(
            max(0.0, piece.start - _margin(piece.start - (cut[at - 1].end if at else 0.0), at > 0)),
            min(seconds, piece.end + _margin(_gap_after(cut, at, seconds), at + 1 < len(cut))),
        )
        for at, piece in enumerate(cut)
    ]


def _gap_after(cut: Sequence[Piece], at: int, seconds: float) -> float:
    return (cut[at + 1].start if at + 1 < len(cut) else seconds) - cut[at].end


def _margin(gap: float, shared: bool) -> float:
    """At most half of a gap that another piece borders on too."""
    return min(MARGIN_S, max(0.0, gap) / (2 if shared else 1))


def _short(speech: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Spans that each fit into a piece."""
    spans: list[tuple[float, float]] = []
    for start, end in speech:
        while end - start > LONGEST_S:
            spans.append((start, start + LONGEST_S))
            start += LONGEST_S
        spans.append((start, end))
    return spans
