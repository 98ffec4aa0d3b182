"""What is wrong with a recogniser's words: made up for silence, caught in a loop, or missing."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

Stretch = tuple[float, float]
NOT_SPEECH = 0.5
"""Whisper's own doubt (`no_speech_prob`) from which on little speech is no speech."""
LOOPS = {1: 5, 2: 5, 3: 5, 4: 5} | dict.fromkeys(range(5, 17), 3)
"""By number of words: how often in a row nobody says the same ones."""
LONGEST_WORD_S = 1.0
"""Whisper stretches a word over what follows it; more than this is something else."""
LEAST_MISSED_S = 1.0
REACH_S = 0.35


class Said(NamedTuple):
    """One segment of a recogniser, in seconds; `words` as (text, start, end, confidence)."""

    text: str
    start: float
    end: float
    no_speech: float
    words: tuple[tuple[str, float, float, float], ...]


def is_speech(segment: Said, speech: Sequence[Stretch]) -> bool:
    """False for words that were made up for silence or noise."""
    spoken = _shared(segment.start, segment.end, speech)
    length = max(0.01, segment.end - segment.start)
    return spoken > 0 and not (segment.no_speech > NOT_SPEECH and spoken / length < 0.5)


def is_loop(text: str) -> bool:
    """True where a text repeats itself as recognisers do when they lose the thread."""
    words = text.lower().split()
    for size, most in LOOPS.items():
        run = 0
        for at in range(size, len(words)):
            run = run + 1 if words[at] == words[at - size] else 0
            if run >= size * (most - 1):
                return True
    return False


def missed(segments: Iterable[Said], speech: Sequence[Stretch], piece: Stretch) -> list[Stretch]:
    """Speech of a piece that has no words, where there is more than a second of it."""
    covered = sorted(
        (start - REACH_S, min(end, start + LONGEST_WORD_S) + REACH_S)
        for segment in segments
        for _, start, end, _ in segment.words
    )
    gaps: list[Stretch] = []
    for start, end in speech:
        gaps += _uncovered(max(start, piece[0]), min(end, piece[1]), covered)
    return [gap for gap in gaps if gap[1] - gap[0] >= LEAST_MISSED_S]


def _uncovered(start: float, end: float, covered: Sequence[Stretch]) -> list[Stretch]:
    left: list[Stretch] = []
    for first, last in covered:
        if last <= start or first >= end:
            continue
        if first > start:
            left.append((start, first))
        start = max(start, last)
    return [*left, (start, end)] if end > start else left


def _shared(start: float, end: float, speech: Sequence[Stretch]) -> float:
    return sum(max(0.0, min(end, last) - max(start, first)) for first, last in speech)
