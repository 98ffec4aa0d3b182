"""Learns from rated answers and from the cards what the wording of each part is.

Ridge regression of a part's level on the phrases of the whole answer; for what a place gives away,
logistic regression on windows of 25 words.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from evals.cases import Pair, RatedAnswer
from interviewer.scoring.coverage import content
from interviewer.scoring.features import Answer
from interviewer.scoring.wording import PLACED, WINDOW, Learned, Table, kind
from interviewer.scoring.words import tokens
from questions.checks import walk
from questions.model import QuestionCard
from rubrics.scorecard import Part

if TYPE_CHECKING:
    import numpy as np
    from scipy.sparse import csr_matrix

    Array = np.ndarray[Any, Any]

LEAST_QUESTIONS = 8
"""Questions that a phrase must occur in: a topic's own words tell nothing of the next question."""
LEAST_CARDS = 3
"""Cards from which it is kept in how many a stem occurs."""
RIDGE = 100.0
STRICTNESS = 0.5
"""Inverse strength of the penalty of the logistic regression."""
LEAST_POINTS: Mapping[str, float] = {"whole": 0.01, "window": 0.2}
"""Smaller weights are left out of the table."""
_STEP = 12
_OF_CARD, _OF_REPLY, _OF_ATTACK = 0.3, 0.2, 0.3
_OF_QUOTE: Mapping[int, float] = {4: 1.0, 3: 0.8, 2: 0.6, 1: 0.5}
_OF_OTHER = 0.3
_FIXED_LENGTH = 30.0
"""Scale of the column that takes up length, large enough that the ridge leaves it alone."""
Said = Sequence[Sequence[str]]


class Span(NamedTuple):
    """A half-open range of words."""

    first: int
    last: int

    def shared(self, other: "Span") -> int:
        """Words in both."""
        return min(self.last, other.last) - max(self.first, other.first)


class Example(NamedTuple):
    """A stretch of words that does a part, or does not; `answer` is an index, -1 for a card's."""

    phrases: frozenset[str]
    does: bool
    weight: float
    answer: int = -1


@dataclass(frozen=True)
class Corpus:
    """Everything that wording is learned from, read once."""

    cases: Sequence[RatedAnswer]
    answers: Sequence[Answer]
    cards: Sequence[QuestionCard]
    attacks: Sequence[Pair]

    @cached_property
    def said(self) -> list[Said]:
        """The phrases of each answer by position."""
        return [phrases([word.text for word in a.words.words]) for a in self.answers]

    @cached_property
    def paragraphs(self) -> list[tuple[Said, ...]]:
        """The phrases of the four paragraphs of each card's model answer."""
        texts = ([t for t in c.model_answer.split("\n\n") if t.strip()] for c in self.cards)
        return [tuple(map(_said, text)) for text in texts if len(text) == len(Part)]

    @cached_property
    def vocabulary(self) -> Mapping[str, int]:
        """The phrases that occur in enough questions, with their column."""
        by_question: dict[str, set[str]] = {}
        for case, said in zip(self.cases, self.said, strict=True):
            by_question.setdefault(case.card, set()).update(*said)
        for card in self.cards:
            by_question.setdefault(card.id, set()).update(*_said(card.model_answer))
        used = Counter(phrase for found in by_question.values() for phrase in found)
        kept = sorted(phrase for phrase, count in used.items() if count >= LEAST_QUESTIONS)
        return {phrase: column for column, phrase in enumerate(kept)}

    @cached_property
    def windows(self) -> Mapping[Part, "Windows"]:
        """The examples of each part that is looked for in windows."""
        return {part: Windows(self, part) for part in PLACED}

    def learn(self, seen: Sequence[int]) -> Table:
        """The table by the answers with these indices, and the cards."""
        return Table(
            whole={part: self._whole(part, seen) for part in Part},
            window={part: windows.learn(seen) for part, windows in self.windows.items()},
        )

    @cached_property
    def _once(self) -> "csr_matrix":
        return matrix([frozenset().union(*said) for said in self.said], self.vocabulary)

    def _whole(self, part: Part, seen: Sequence[int]) -> Learned:
        import numpy as np
        from scipy import sparse
        from sklearn.linear_model import Ridge

        # Length takes a column of its own, which is dropped: it must not earn anything.
        length = np.log([max(20, len(self.said[index])) for index in seen]) - np.log(150)
        columns = sparse.hstack(
            [self._once[list(seen)], sparse.csr_matrix(_FIXED_LENGTH * length[:, None])]
        ).tocsr()
        levels = [self.cases[index].ratings[0].level(part) for index in seen]
        model = Ridge(alpha=RIDGE, solver="sparse_cg", tol=1e-6).fit(columns, levels)
        return learned("whole", self.vocabulary, model.coef_, float(model.intercept_))


class Windows:
    """The examples of one part, as a matrix.

    Raters' quotes at 3 or 4 and the cards' own paragraphs do the part; quotes at 2, answers at 1,
    quotes of other parts and the adversarial answers that lack it do not.
    """

    def __init__(self, corpus: Corpus, part: Part) -> None:
        import numpy as np

        examples = list(_examples(corpus, part))
        self.vocabulary = corpus.vocabulary
        self.columns = matrix([example.phrases for example in examples], self.vocabulary)
        self.does = np.array([example.does for example in examples])
        self.weights = np.array([example.weight for example in examples])
        self.answers = np.array([example.answer for example in examples])

    def learn(self, seen: Sequence[int]) -> Learned:
        """The phrases that tell the stretches apart, without the answers not in `seen`."""
        import numpy as np
        from sklearn.linear_model import LogisticRegression

        kept = (self.answers < 0) | np.isin(self.answers, seen)
        does, weights = self.does[kept], self.weights[kept].copy()
        weights[does] *= weights[~does].sum() / weights[does].sum()
        model = LogisticRegression(
            C=STRICTNESS, solver="liblinear", intercept_scaling=10, random_state=0
        )
        model.fit(self.columns[kept], does, sample_weight=weights)
        return learned("window", self.vocabulary, model.coef_[0], float(model.intercept_[0]))


def learned(kind: str, columns: Mapping[str, int], found: "Array", base: float) -> Learned:
    """A model's weights by phrase, without those too small to matter."""
    least = LEAST_POINTS[kind]
    points = {
        phrase: round(float(found[column]), 3)
        for phrase, column in columns.items()
        if abs(found[column]) >= least
    }
    return Learned(round(base, 3), points)


def matrix(found: Iterable[frozenset[str]], columns: Mapping[str, int]) -> "csr_matrix":
    """Which phrases occur, a row each (sparse)."""
    import numpy as np
    from scipy import sparse

    rows = [sorted(columns[p] for p in once if p in columns) for once in found]
    ends = np.cumsum([0, *map(len, rows)])
    flat = [column for row in rows for column in row]
    return sparse.csr_matrix((np.ones(len(flat)), flat, ends), shape=(len(rows), len(columns)))


def stems_of(cards: Sequence[QuestionCard]) -> dict[str, Any]:
    """In how many cards each stem occurs, for the stems of some cards."""
    used: Counter[str] = Counter()
    for card in cards:
        used.update(set(content(" ".join(_texts(card)))))
    kept = {stem: count for stem, count in sorted(used.items()) if count >= LEAST_CARDS}
    return {"cards": len(cards), "stems": kept}


def _texts(card: QuestionCard) -> Iterator[str]:
    yield from (card.model_answer, card.short_answer, card.question)
    for part in Part:
        for point in getattr(card.key_points, part.value):
            yield from (point.point, *point.cues)
    yield from (probe.good for _, probe in walk(card.probes))


def phrases(words: Sequence[str]) -> list[tuple[str, ...]]:
    """By position the phrases of one, two and three words that end there; figures are alike.

    They are the keys of a table: before the first word stands the empty one.
    """
    kinds = [kind(word) for word in words]
    before = ["", *kinds]
    two = [f"{first} {second}" for first, second in zip(before, kinds, strict=False)]
    three = [f"{first} {second}" for first, second in zip(["", *before], two, strict=False)]
    return list(zip(kinds, two, three, strict=False))


def _said(text: str) -> Said:
    return phrases(tokens(text))


def _examples(corpus: Corpus, part: Part) -> Iterator[Example]:
    for index in range(len(corpus.cases)):
        yield from _of_answer(corpus, part, index)
    for paragraphs in corpus.paragraphs:
        for other, said in zip(Part, paragraphs, strict=True):
            for span in _windows(len(said), _STEP):
                yield Example(_within(said, span), other is part, _OF_CARD)
    for card in corpus.cards:
        for _, probe in walk(card.probes):
            said = _said(probe.good)
            yield Example(_within(said, Span(0, len(said))), probe.part == part.value, _OF_REPLY)
    for pair in corpus.attacks:
        if part.value in pair.lacks:
            said = _said(pair.attacked)
            for span in _windows(len(said), _STEP):
                yield Example(_within(said, span), False, _OF_ATTACK)


def _of_answer(corpus: Corpus, part: Part, index: int) -> Iterator[Example]:
    case, said = corpus.cases[index], corpus.said[index]
    level = case.ratings[0].level(part)
    quotes = {other: list(_quotes(corpus, other, index)) for other in Part}
    own = quotes.pop(part)
    elsewhere = [span for spans in quotes.values() for span in spans]
    for span in own:
        around = _around(span, len(said), whole=level >= 3)
        yield Example(_within(said, around), level >= 3, _OF_QUOTE[level], index)
    for window in _windows(len(said), _STEP):
        if level == 1:
            yield Example(_within(said, window), False, _OF_QUOTE[1], index)
        elif not any(window.shared(span) > 0 for span in own) and any(
            window.shared(span) > 8 for span in elsewhere
        ):
            yield Example(_within(said, window), False, _OF_OTHER, index)


def _quotes(corpus: Corpus, part: Part, index: int) -> Iterator[Span]:
    words = [word.text for word in corpus.answers[index].words.words]
    for rating in corpus.cases[index].ratings:
        quote = tokens(rating.quotes.get(part.value) or "")
        if len(quote) >= 3 and (span := _find(quote, words)):
            yield span


def _find(quote: Sequence[str], words: Sequence[str]) -> Span | None:
    """Where a quote begins in the cleaned words; fillers in it may have gone."""
    for first in range(len(words) - 2):
        if words[first : first + 3] == quote[:3]:
            return Span(first, min(len(words), first + len(quote)))
    return None


def _around(span: Span, length: int, whole: bool) -> Span:
    """A window around a quote; a quote that does the part is taken whole, up to 35 words."""
    first = max(0, (span.first + span.last) // 2 - WINDOW // 2)
    if not whole:
        return Span(first, min(length, first + WINDOW))
    first = min(first, span.first)
    return Span(first, min(length, max(first + WINDOW, min(span.last, first + WINDOW + 10))))


def _windows(length: int, step: int) -> list[Span]:
    if length <= WINDOW:
        return [Span(0, length)]
    return [Span(at, at + WINDOW) for at in range(0, length - WINDOW + 1, step)]


def _within(said: Said, span: Span) -> frozenset[str]:
    return frozenset(phrase for ending in said[span.first : span.last] for phrase in ending)
