"""Where the words of a transcript stand in its text, and when a place of the text was said."""

from bisect import bisect_left, bisect_right
from itertools import accumulate
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
        # a stretch that was heard again may begin a moment before the word ahead of it ended
        self._times = [*accumulate((placed.word.start for placed in self.words), max)]

    def when(self, start: int, end: int) -> Span | None:
        """When a span of the text was said; None where the recogniser gave no times."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = bisect_left(self._starts, end) - 1
        if last < first:
            return None
        begun = self.words[first].word.start
        return Span(start=begun, end=max(begun, self.words[last].word.end))

    def before(self, seconds: float) -> Placed | None:
        """The last word that began before a moment."""
        at = bisect_left(self._times, seconds) - 1
        return self.words[at] if at >= 0 else None


def _placed(heard: Heard) -> list[Placed]:
    found: list[Placed] = []
    at = 0
    for word in heard.words:
        start = heard.text.find(word.text, at) if word.text else -1
        if start >= 0:
            at = start + len(word.text)
            found.append(Placed(start, at, word))
    return found
