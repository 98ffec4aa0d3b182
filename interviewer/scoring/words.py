"""An answer as a stream of plain words, with a way back to the characters: what the rules read.

Case, punctuation, fillers, repetitions and echoes of the question are gone, so none of them can
move a level; every position leads back to the turn and the span that it came from.
"""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache, partial
from itertools import accumulate
from operator import eq, itemgetter
from typing import NamedTuple

from interviewer.scoring.sentences import Stretch, lowered, sentences
from interviewer.transcript import Turn
from rubrics.scorecard import Evidence, NumberFinding

_TOKEN = re.compile(
    r"[$€£]?\d+(?:[,\u202f ]\d{3}(?!\d))*(?:\.\d+)?%?|[^\W\d_]+(?:'[^\W\d_]+)?|[+×*/=<>≈~±%]"
)
FILLERS = frozenset(["um", "uh", "er", "erm", "hmm", "mm", "mhm", "uhm", "ah", "eh"])
_SHINGLE = 7
"""Words in a row that make a repetition."""
_STUTTER = range(3, _SHINGLE)
"""Words in a row that are a repetition where they follow at once."""
_ECHO = 5
"""Words in a row of the question that make an echo."""
_LONGEST_QUOTE = 45


class Word(NamedTuple):
    """One word: lower case, with its turn (index into the answers) and its span there."""

    text: str
    turn: int
    start: int
    end: int


class Hit(NamedTuple):
    """A cue found: its text, and the half-open range of words that it covers."""

    text: str
    first: int
    last: int


class Words:
    """The cleaned words of the answers. `text` joins them with single spaces."""

    def __init__(
        self, answers: Sequence[Turn], question: str = "", without: Sequence[Sequence[Stretch]] = ()
    ) -> None:
        self.answers = tuple(answers)
        said = _spoken(self.answers, without)
        self.spoken = len(said)
        """Words before repetitions and echoes were taken out."""
        self.words, self.texts = _said_once(said, question)
        self.text = " ".join(self.texts)
        self._found: dict[int, list[Hit]] = {}
        self._padded = f" {self.text} "
        self._starts = [*accumulate((len(text) + 1 for text in self.texts), initial=1)]

    def __len__(self) -> int:
        return len(self.words)

    def find(self, pattern: re.Pattern[str], first: int = 0, last: int | None = None) -> list[Hit]:
        """Where a pattern occurs in `text`, whole between two word positions."""
        # By identity: a pattern's own hash reads all of its code, every time.
        if id(pattern) not in self._found:
            hits = pattern.finditer(self._padded)
            self._found[id(pattern)] = [self._hit(match.start(), match[0]) for match in hits]
        found = self._found[id(pattern)]
        if first > 0:
            found = found[bisect_left(found, first, key=lambda hit: hit.first) :]
        if last is None or last >= len(self.words):
            return found
        return [hit for hit in found if hit.last <= last]

    def phrase(self, phrase: str) -> Iterator[Hit]:
        """Where these cleaned words occur."""
        at = self._padded.find(f" {phrase} ") if phrase else -1
        while at >= 0:
            yield self._hit(at, f" {phrase}")
            at = self._padded.find(f" {phrase} ", at + 1)

    def earliest(self, beginnings: Sequence[str]) -> Hit | None:
        """The first place where any of these cleaned words occur, each after a space; the last of
        them may go on (' calibrat').
        """
        places = [(self._padded.find(words), words) for words in beginnings]
        found = [place for place in places if place[0] >= 0]
        return self._hit(*min(found, key=itemgetter(0))) if found else None

    @property
    def opening(self) -> list[Hit]:
        """The first words, as one hit."""
        last = min(12, len(self.words))
        return [Hit(self.between(0, last), 0, last)] if last else []

    def between(self, first: int, last: int) -> str:
        """The cleaned text of a range of words; out-of-range positions are clipped."""
        return " ".join(self.texts[max(0, first) : max(0, last)])

    def evidence(self, first: int, last: int) -> Evidence:
        """The verbatim quote around a range of words: the stretch that holds it, whole."""
        begin, finish = self.words[first], self.words[max(first, last - 1)]
        if finish.turn != begin.turn:
            finish = begin
        text = self.answers[begin.turn].text
        stretches = self._stretches[begin.turn]
        start = next((s.start for s in stretches if s.start <= begin.start < s.end), begin.start)
        end = next((s.end for s in stretches if s.start < finish.end <= s.end), finish.end)
        start, end = _shortened(text, start, max(end, finish.end), begin.start)
        return Evidence(
            turn=self.answers[begin.turn].number, quote=text[start:end], start=start, end=end
        )

    def around(self, found: NumberFinding) -> Evidence:
        """The verbatim quote around a number that was checked."""
        turn = next(i for i, turn in enumerate(self.answers) if turn.number == found.turn)
        first = self.position(turn, found.start)
        last = max(first + 1, self.position(turn, found.end))
        return self.evidence(min(first, len(self.words) - 1), last)

    @cached_property
    def _stretches(self) -> tuple[tuple[Stretch, ...], ...]:
        return tuple(sentences(turn.text) for turn in self.answers)

    def position(self, turn: int, start: int) -> int:
        """The index of the first word at or after a character of a turn (index into answers)."""
        return bisect_left(self.words, (turn, start), key=lambda word: (word.turn, word.start))

    def _hit(self, at: int, said: str) -> Hit:
        """The words of a stretch of the padded text, without the spaces around it."""
        start = at + len(said) - len(said.lstrip())
        said, starts = said.strip(), self._starts
        return Hit(
            said, bisect_right(starts, start) - 1, bisect_right(starts, start + len(said) - 1)
        )


def tokens(text: str) -> list[str]:
    """The plain words of a text."""
    return _TOKEN.findall(_plain(text))


def _plain(text: str) -> str:
    return lowered(text).replace("’", "'")


SMALL_NUMBERS = tuple(
    tokens(
        """
    one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen
    sixteen seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty
    ninety
    """
    )
)
"""Number words below a hundred, in order."""


def _spoken(answers: Sequence[Turn], without: Sequence[Sequence[Stretch]]) -> list[Word]:
    said = [
        Word(said, index, *match.span())
        for index, turn in enumerate(answers)
        for match in _TOKEN.finditer(_plain(turn.text))
        if (said := match[0]) not in FILLERS
    ]
    if not any(without):
        return said
    holes = dict(enumerate(without))
    return [
        word
        for word in said
        if not any(hole.start <= word.start < hole.end for hole in holes.get(word.turn, ()))
    ]


def _said_once(said: list[Word], question: str) -> tuple[list[Word], tuple[str, ...]]:
    """The words, without stutters, echoes of the question and repetitions, and their texts."""
    texts = tuple(word.text for word in said)
    for again in (_stutters, partial(_echoes, _runs(question)), _repeats):
        if gone := again(texts):
            said = [word for at, word in enumerate(said) if at not in gone]
            texts = tuple(word.text for word in said)
    return said, texts


def _stutters(texts: Sequence[str]) -> set[int]:
    """Where three to six words are said again at once."""
    gone: set[int] = set()
    for length in _STUTTER:
        same = [*map(eq, texts, texts[length:])]
        if sum(same) < length:
            continue
        for at in range(len(same) - length + 1):
            if same[at] and all(same[at : at + length]):
                gone.update(range(at + length, at + 2 * length))
    return gone


def _repeats(texts: tuple[str, ...]) -> set[int]:
    """Where stretches of seven words or more stand that were said before."""
    runs = [*zip(*(texts[first:] for first in range(_SHINGLE)), strict=False)]
    gone: set[int] = set()
    if len(set(runs)) == len(runs):
        return gone
    seen: dict[tuple[str, ...], int] = {}
    index = 0
    while index < len(runs):
        first = seen.setdefault(runs[index], index)
        if first + _SHINGLE > index:
            index += 1
            continue
        length = _SHINGLE
        while (
            index + length < len(texts)
            and first + length < index
            and texts[index + length] == texts[first + length]
        ):
            length += 1
        gone.update(range(index, index + length))
        index += length
    return gone


@lru_cache(maxsize=1024)
def _runs(question: str) -> frozenset[tuple[str, ...]]:
    """Each five words in a row of a question."""
    asked = tokens(question)
    return frozenset(tuple(asked[i : i + _ECHO]) for i in range(len(asked) - _ECHO + 1))


def _echoes(runs: frozenset[tuple[str, ...]], texts: tuple[str, ...]) -> set[int]:
    """Where these runs of a question stand, and those that they make together."""
    said = zip(*(texts[first:] for first in range(_ECHO)), strict=False) if runs else ()
    echoed = [at for at, run in enumerate(said) if run in runs]
    return {at for first in echoed for at in range(first, first + _ECHO)}


def _shortened(text: str, start: int, end: int, anchor: int) -> tuple[int, int]:
    """At most 45 words of a span, cut between words, with the anchor inside."""
    if len(text[start:end].split()) <= _LONGEST_QUOTE:
        return start, end
    spans = [match.span() for match in re.finditer(r"\S+", text[start:end])]
    at = next((i for i, (_, stop) in enumerate(spans) if start + stop > anchor), 0)
    first = max(0, min(at - 5, len(spans) - _LONGEST_QUOTE))
    last = first + _LONGEST_QUOTE - 1
    return start + spans[first][0], start + spans[last][1]
