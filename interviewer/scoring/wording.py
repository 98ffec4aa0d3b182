"""What an answer's wording says of its parts:
phrases of one to three words, with weights learned from rated answers and from the cards.

`evals/wording_fit.py` learns them; nothing here knows the card or the question.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from math import copysign, exp, fsum
from pathlib import Path

from interviewer.scoring.words import SMALL_NUMBERS, Hit, Words, tokens
from rubrics.scorecard import Part

TABLE = Path(__file__).parent / "wording.json"
WINDOW = 25
"""Words in a row in which a part is looked for: a spoken sentence, with or without a full stop."""
PLACED = (Part.TRADEOFF, Part.NEXTSTEP)
"""Parts that a window gives away; the others do not show in the wording of one place."""
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


@dataclass(slots=True, eq=False)
class Phrase:
    """Words in a row: what they add, and the longer phrases that end with them."""

    whole: tuple[float, ...] = ()
    """For each part of a table's `whole`; empty where none of them has the phrase."""
    window: tuple[float, ...] = ()
    before: dict[str, "Phrase"] = field(default_factory=dict)
    """By the word before; that of an answer's first word is ''."""


@dataclass(frozen=True)
class Table:
    """Per part, how solid a whole answer is by its phrases, and whether a window does the part."""

    whole: Mapping[Part, Learned]
    window: Mapping[Part, Learned]
    """Log-odds, for the parts in PLACED."""

    @cached_property
    def endings(self) -> Mapping[str, Phrase]:
        """The phrases of all parts by their last word: each place of an answer is read once."""
        root = Phrase()
        whole, window = tuple(self.whole.values()), tuple(self.window.values())
        for text in dict.fromkeys(text for fit in (*whole, *window) for text in fit.points):
            phrase = root
            for word in reversed(text.split(" ")):
                phrase = phrase.before.setdefault(word, Phrase())
            phrase.whole, phrase.window = _added(whole, text), _added(window, text)
        return root.before


def _added(fits: Iterable[Learned], phrase: str) -> tuple[float, ...]:
    added = tuple(fit.points.get(phrase, 0.0) for fit in fits)
    return added if any(added) else ()


@dataclass(frozen=True, slots=True)
class Place:
    """The window that does a part best, with the probability from 0 to 1 that it does."""

    best: float
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
    said = known_phrases(words.texts, table)
    once = dict.fromkeys(phrase for _, phrase in said)
    # fsum: the order of the phrases must not move the last bit.
    added = [*map(fsum, zip(*(phrase.whole for phrase in once if phrase.whole), strict=True))]
    spans = window_spans(said, len(words))
    return Wording(
        whole={
            part: fit.base + (added[column] if added else 0.0)
            for column, (part, fit) in enumerate(table.whole.items())
        },
        places={
            part: _place(words, window_sums(spans, column, fit.base, len(words)))
            for column, (part, fit) in enumerate(table.window.items())
        },
    )


def known_phrases(words: Sequence[str], table: Table) -> list[tuple[int, Phrase]]:
    """The table's phrases with the position of the last word; figures are alike, and dates."""
    kinds = [*map(kind, words)]
    before = ["", *kinds]
    endings, said = table.endings, list[tuple[int, Phrase]]()
    for at, (first, second, third) in enumerate(zip(["", *before], before, kinds, strict=False)):
        one = endings.get(third)
        if one is None:
            continue
        said.append((at, one))
        if two := one.before.get(second):
            said.append((at, two))
            if three := two.before.get(first):
                said.append((at, three))
    return said


@lru_cache(maxsize=4096)
def kind(word: str) -> str:
    """The word itself, '#' for a figure, 'DAY' for a date."""
    if word in _FIGURES or word[0].isdigit() or word[0] in "$€£":
        return "#"
    return "DAY" if word in _DAYS else word


def _place(words: Words, sums: Sequence[float]) -> Place:
    if not sums:
        return Place(0.0, None)
    best = max(sums)
    at = sums.index(best)
    # What is quoted stands in its middle: its ends are cut out of other sentences.
    first, last = at + WINDOW // 3, min(at + WINDOW - WINDOW // 3, len(words))
    middle = Hit(words.between(first, last), first, last)
    return Place(_logistic(best), middle if first < last else None)


Span = tuple[tuple[float, ...], int, int]
"""What a phrase adds to each part's windows, and the windows that it comes into (half-open)."""


def window_spans(said: Iterable[tuple[int, Phrase]], length: int) -> list[Span]:
    """A phrase counts once in a window: in those that end here or up to WINDOW - 1 words later."""
    until, spans = dict[Phrase, int](), list[Span]()
    for at, phrase in said:
        if phrase.window:
            begin = until.get(phrase, 0)
            until[phrase] = end = at + WINDOW if at + WINDOW < length else length
            spans.append((phrase.window, begin if begin > at else at, end))
    return spans


def window_sums(spans: Iterable[Span], column: int, base: float, length: int) -> list[float]:
    """The log-odds of each window of an answer for one part, the first first."""
    changes = [0.0] * (length + 1)
    for added, begin, end in spans:
        changes[begin] += added[column]
        changes[end] -= added[column]
    return list(accumulate(changes[:length], initial=base))[min(WINDOW, length) :] if length else []


def _logistic(value: float) -> float:
    return 1 / (1 + exp(-value if -30.0 < value < 30.0 else copysign(30.0, -value)))
