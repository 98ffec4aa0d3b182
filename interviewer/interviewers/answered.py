"""Whether a follow-up was answered before it is asked: what a good reply to it holds was said."""

from collections.abc import Sequence
from math import fsum

from interviewer.quantities import find_quantities
from interviewer.scoring.coverage import content, worth
from questions.model import Probe, QuestionCard

WINDOW = 35
"""Content words that a reply has: what lies further apart was said of something else."""
FIGURES, AROUND, WORDS, LEAST_WORDS = 0.6, 0.4, 0.5, 5
"""Chosen on 1,792 pairs of a rated answer and a follow-up that it could be asked, by reading some
fifty of the 88 that were held to be answered (nine in ten were): the share of a good reply's
figures, and then of its and the question's words; the share of the words of one without a figure,
which must have so many.
"""
_SAME = 0.02
"""Relative: as far as rounding takes a figure."""


class Said:
    """What a candidate has said so far, read once for all follow-ups."""

    def __init__(self, texts: Sequence[str]) -> None:
        self.figures = tuple(found.value for text in texts for found in find_quantities(text))
        self._windows = tuple(
            frozenset(words[at : at + WINDOW])
            for words in map(content, texts)
            for at in range(max(1, len(words) - WINDOW + 1))
        )

    def answers(self, probe: Probe, card: QuestionCard) -> bool:
        """Whether a good reply to this follow-up was given already.

        By its figures, if it has any that the question does not state; else by its words.
        """
        good, asked = content(probe.good), content(probe.ask)
        topic = frozenset(content(card.question))
        figures = _own_figures(probe, card)
        around = self._share(frozenset(good + asked) - topic)
        if figures:
            stated = sum(any(_same(said, figure) for said in self.figures) for figure in figures)
            return stated >= FIGURES * len(figures) and around >= AROUND
        reply = frozenset(good) - topic
        return len(reply) >= LEAST_WORDS and min(around, self._share(reply)) >= WORDS

    def _share(self, words: frozenset[str]) -> float:
        """How much of these words' worth was said in one place."""
        worths = {word: worth(word) for word in words}
        whole = fsum(worths.values())
        shares = (fsum(map(worths.__getitem__, words & said)) for said in self._windows)
        return max(shares, default=0.0) / whole if whole else 0.0


def _own_figures(probe: Probe, card: QuestionCard) -> list[float]:
    """Of a good reply, in digits; small number words count things, and are no figure."""
    asked = [found.value for found in find_quantities(f"{card.question} {probe.ask}")]
    good = (found for found in find_quantities(probe.good) if any(map(str.isdigit, found.text)))
    return [own.value for own in good if not any(_same(known, own.value) for known in asked)]


def _same(said: float, figure: float) -> bool:
    return abs(said - figure) <= _SAME * abs(figure)
