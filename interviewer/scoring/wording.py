"""What an answer's wording says of its parts:
phrases of one to three words, with weights learned from rated answers and from the cards.

`evals/wording_fit.py` learns them; nothing here knows the card or the question.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from math import exp, fsum, log
from pathlib import Path

from interviewer.scoring.words import SMALL_NUMBERS, Hit, Words, tokens
from rubrics.scorecard import Part

TABLE = Path(__file__).parent / "wording.json"
WINDOW = 25
"""Words in a row in which a part is looked for: a spoken sentence, with or without a full stop."""
PLACED = (Part.TRADEOFF, Part.NEXTSTEP)
"""Parts that a window gives away; the others do not show in the wording of one place."""
_STRIDE = 10
"""Words after which a window counts as another place."""
_STEP = 5
"""Windows from one that is looked at for that to the next."""
_SHARE = 0.3
"""What one place that does a part counts towards all of it."""
_FIGURES = frozenset(SMALL_NUMBERS) | frozenset(
    tokens("hundred thousand million billion zero half third quarter twice double")
)
_DAYS = frozenset(
    tokens(
        """
    monday tuesday wednesday thursday friday saturday sunday mondays fridays january february
    march april june july august september october november december tomorrow tonight
    """
    )
)


@dataclass(frozen=True, slots=True)
class Learned:
    """A linear model over phrases: what each adds once, wherever it stands."""

    base: float
    points: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Table:
    """Per part, how solid a whole answer is by its phrases, and whether a window does the part."""

    whole: Mapping[Part, Learned]
    window: Mapping[Part, Learned]
    """Log-odds, for the parts in PLACED."""


@dataclass(frozen=True, slots=True)
class Place:
    """The window that does a part best, and how much of the answer does it."""

    best: float
    """Probability from 0 to 1 that the best window does the part."""
    spread: float
    """From 0 to 1: several places that do it count for more than one."""
    hit: Hit | None


@dataclass(frozen=True, slots=True)
class Wording:
    """What the table says of one answer."""

    whole: Mapping[Part, float]
    """The level that the phrases suggest."""
    places: Mapping[Part, Place]


@cache
def shipped() -> Table:
    """The table that comes with the scorer."""
    return read_table(json.loads(TABLE.read_text("utf-8")))


def read_table(data: Mapping[str, Mapping[str, Mapping[str, object]]]) -> Table:
    """The table from its JSON."""
    models = {
        kind: {Part(part): Learned(**fit) for part, fit in data[kind].items()}  # type: ignore[arg-type]
        for kind in ("whole", "window")
    }
    return Table(**models)


def read_wording(words: Words, table: Table) -> Wording:
    """The wording of an answer, by a table."""
    said = phrases([word.text for word in words.words])
    once = frozenset(phrase for at in said for phrase in at)
    return Wording(
        whole={part: fit.base + _sum(fit, once) for part, fit in table.whole.items()},
        places={part: _place(words, said, fit) for part, fit in table.window.items()},
    )


def phrases(words: Sequence[str]) -> list[tuple[str, ...]]:
    """By position the phrases of one, two and three words that end there; figures are alike."""
    kinds = [kind(word) for word in words]
    before = ["", *kinds]
    two = [f"{first} {second}" for first, second in zip(before, kinds, strict=False)]
    three = [f"{first} {second}" for first, second in zip(["", *before], two, strict=False)]
    return list(zip(kinds, two, three, strict=False))


def kind(word: str) -> str:
    """The word itself, '#' for a figure, 'DAY' for a date."""
    if word in _FIGURES or word[0].isdigit() or word[0] in "$€£":
        return "#"
    return "DAY" if word in _DAYS else word


def _sum(fit: Learned, once: frozenset[str]) -> float:
    # fsum: the order of a set must not move the last bit.
    return fsum(map(fit.points.__getitem__, fit.points.keys() & once))


def _place(words: Words, said: Sequence[Sequence[str]], fit: Learned) -> Place:
    sums = list(window_sums(said, fit))
    if not sums:
        return Place(0.0, 0.0, None)
    best = max(sums)
    at = sums.index(best)
    missed = sum(log(1 - _SHARE * _logistic(value)) for value in sums[::_STEP])
    spread = 1 - exp(missed * _STEP / _STRIDE)
    # What is quoted stands in its middle: its ends are cut out of other sentences.
    first, last = at + WINDOW // 3, min(at + WINDOW - WINDOW // 3, len(said))
    middle = Hit(words.between(first, last), first, last)
    return Place(_logistic(best), spread, middle if first < last else None)


def window_sums(said: Sequence[Sequence[str]], fit: Learned) -> Iterator[float]:
    """The log-odds of each window, the first first; a phrase counts once in a window."""
    length = len(said)
    changes = [0.0] * (length + 1)
    points, until = fit.points, dict[str, int]()
    for at, ending in enumerate(said):
        for phrase in ending:
            if phrase in points:
                # It is in all windows that end here or up to WINDOW - 1 words later.
                weight, begin = points[phrase], until.get(phrase, 0)
                until[phrase] = end = at + WINDOW if at + WINDOW < length else length
                changes[begin if begin > at else at] += weight
                changes[end] -= weight
    value, first = fit.base, min(WINDOW, length) - 1
    for at in range(length):
        value += changes[at]
        if at >= first:
            yield value


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-max(-30.0, min(30.0, value))))
