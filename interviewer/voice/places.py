"""Where the words of a transcript stand in its text, and when a place of the text was said."""

from bisect import bisect_right
from typing import NamedTuple

from interviewer.heard import Heard, HeardWord, Span


class Placed(NamedTuple):
    """A word with its half-open span in the text."""

    start: int
    end: int
    word: HeardWord


class Places:
    """The words of one transcript by their place."""

    def __init__(self, heard: Heard) -> None:
        self.words = tuple(_placed(heard))
        self._starts = [placed.start for placed in self.words]

    def when(self, start: int, end: int) -> Span | None:
        """When a span of the text was said; None where the recogniser gave no times."""
        first = max(0, bisect_right(self._starts, start) - 1)
        said = [placed.word for placed in self.words[first:] if placed.start < end]
        if not said:
            return None
        return Span(start=said[0].start, end=max(said[0].start, said[-1].end))

    def before(self, seconds: float) -> Placed | None:
        """The last word that began before a moment."""
        begun = [placed for placed in self.words if placed.word.start < seconds]
        return begun[-1] if begun else None


def _placed(heard: Heard) -> list[Placed]:
    found: list[Placed] = []
    at = 0
    for word in heard.words:
        start = heard.text.find(word.text, at) if word.text else -1
        if start >= 0:
            at = start + len(word.text)
            found.append(Placed(start, at, word))
    return found
