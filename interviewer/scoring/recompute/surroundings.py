"""What stands around a stated number: the words near it, and the set-up that it is about."""

import re
from bisect import bisect_right
from functools import cached_property

from interviewer.quantities import Quantity

_BEFORE, _AFTER = 90, 60
_WIDE = 170
_CLOSE_BEFORE, _CLOSE_AFTER = 36, 18
_SENTENCE = re.compile(r"[.!?;\n](?:(?<=\n)|(?=\s))")

# As recognisers and people write them -> as facts write them.
_SPELLINGS = {
    r"f ?p ?(?:eight|8)|(?:eight|8)[ -]bit": "fp8",
    r"[bf] ?[fp] ?(?:sixteen|16)|(?:sixteen|16)[ -]bit": "bf16",
    r"int ?(?:four|4)|(?:four|4)[ -]bit|f ?p ?(?:four|4)|w4a16": "int4",
    r"int ?(?:eight|8)": "int8",
    r"h ?(?:two hundred|200)s?": "h200",
    r"h ?(?:one hundred|100)s?": "h100",
    r"b ?(?:two hundred|200)s?": "b200",
    r"a ?(?:one hundred|100)s?": "a100",
    r"(?:eight|8) ?k(?! ?v)|8,?192|eight thousand one ninety two": "8k",
    r"(?:thirty two|32) ?k|32,?768": "32k",
    r"(?:one twenty eight|a hundred twenty eight|128) ?k|131,?072": "128k",
    r"(?:four|4) ?k(?! ?v)|4,?096": "4k",
    r"(?:sixteen|16) ?k|16,?384": "16k",
    r"(?:sixty four|64) ?k|65,?536": "64k",
    r"k v|kay vee": "kv",
}
_NAMES = tuple(_SPELLINGS.values())
_ANY_SPELLING = "|".join(f"({pattern})" for pattern in _SPELLINGS)
# the look-ahead names the first letters of all spellings: most words fail on it at once
_SPELLING = re.compile(rf"\b(?=[abefhikostw0-9])(?:{_ANY_SPELLING})\b")
_KINDS = (
    frozenset({"fp8", "bf16", "int4", "int8"}),
    frozenset({"h200", "h100", "b200", "a100", "l40s", "mi300x"}),
    frozenset({"4k", "8k", "16k", "32k", "64k", "128k"}),
)
_ALL = frozenset[str]().union(*_KINDS)
_LENGTH = re.compile(r"\d+(?:\.\d+)?k")
"""A context length, known or not: '30k'."""
_SETUP = re.compile(rf"\b(?=[abfhilm\d])(?:{'|'.join(sorted(_ALL))}|{_LENGTH.pattern})\b")
# "twenty users", "batch 8": not "one user", nor the number at hand.
_LOAD = re.compile(
    r"(?<! one)(?<! 1)(?<! a)(?<! per)(?<! each)(?<! the)(?<! another)(?<! i) "
    r"(?:users|sequences|requests|streams)\b|\bbatch (?:of )?(?:[2-9]|[1-9][0-9]|t[wh]|f|s|e|n)"
)
_WORD = re.compile(r"[a-z0-9]+(?:[,.'-]+[a-z0-9]+)*")
# 'FP8 weights' says nothing of the cache, and the other way round.
_OF_WEIGHTS = re.compile(
    r"\b(?:fp8|bf16|int4|int8) weights?\b|\bweights? (?:are |is |in )+(?:\w+ )?(?:fp8|bf16)\b"
)


def normalise(text: str) -> str:
    """Lower case, with the field's spoken names as they are written: 'f p eight' is 'fp8'."""
    spelt = _SPELLING.sub(lambda match: _NAMES[(match.lastindex or 1) - 1], text.lower())
    return spelt.replace("-", " ")


def setups(normalised: str) -> frozenset[str]:
    """The precisions, GPUs and context lengths that a text names."""
    text = _OF_WEIGHTS.sub("weights", normalised)
    return frozenset(w for w in _WORD.findall(text) if w in _ALL or _LENGTH.fullmatch(w))


def conflicts(stated: frozenset[str], known: frozenset[str]) -> bool:
    """True if both name a precision, a GPU or a length, and not the same one."""
    lengths = frozenset(filter(_LENGTH.fullmatch, stated | known))
    return any(
        stated & kind and known & kind and not stated & known & kind for kind in (*_KINDS, lengths)
    )


class Passage:
    """A text normalised once, its sentences and the set-ups that it names, by place."""

    def __init__(self, text: str, *, spoken: bool = False) -> None:
        self.spoken = spoken
        self._marks, self._shifts = [0], [0]
        self.text = _SPELLING.sub(self._rename, text.lower()).replace("-", " ")
        self._ends = [match.end() for match in _SENTENCE.finditer(self.text)]
        weights = _OF_WEIGHTS.finditer(self.text) if "weight" in self.text else ()
        of_weights = [match.span() for match in weights]
        self._named = [
            (match.start(), match.group())
            for match in _SETUP.finditer(self.text)
            if not any(start <= match.start() < end for start, end in of_weights)
        ]

    def _rename(self, match: re.Match[str]) -> str:
        name = _NAMES[(match.lastindex or 1) - 1]
        self._marks.append(match.end())
        self._shifts.append(self._shifts[-1] + len(name) - (match.end() - match.start()))
        return name

    def place(self, offset: int) -> int:
        """Where a character of the original text stands in the normalised one."""
        return offset + self._shifts[bisect_right(self._marks, offset) - 1]

    def around(self, start: int, end: int, before: int, after: int) -> tuple[int, int]:
        """A window around a span, cut at its sentence."""
        at = bisect_right(self._ends, start)
        opens = self._ends[at - 1] if at else 0
        stops = self._ends[at] if at < len(self._ends) else len(self.text)
        return max(opens, start - before), min(max(stops, end), end + after)

    def setups(self, first: int, last: int) -> frozenset[str]:
        """The set-ups named in a window."""
        return frozenset(name for at, name in self._named if first <= at < last)


class Surroundings:
    """The words around one number, within its sentence."""

    def __init__(self, passage: Passage, quantity: Quantity) -> None:
        self._passage = passage
        self.spoken = passage.spoken or not any(map(str.isdigit, quantity.text))
        """True for a number that a recogniser wrote down."""
        self._start, self._end = passage.place(quantity.start), passage.place(quantity.end)

    @cached_property
    def near(self) -> str:
        """Some fifteen words before and ten after, without the number; spaces at both ends."""
        return self._words(_BEFORE, _AFTER)

    @cached_property
    def close(self) -> str:
        """The few words before and the two or three after."""
        return self._words(_CLOSE_BEFORE, _CLOSE_AFTER)

    @cached_property
    def setups(self) -> frozenset[str]:
        """The set-ups named near the number, else in the whole sentence."""
        around = self._passage.around
        near = around(self._start, self._end, _BEFORE, _AFTER)
        wide = around(self._start, self._end, _WIDE, _WIDE)
        return self._passage.setups(*near) or self._passage.setups(*wide)

    @cached_property
    def counts_users(self) -> bool:
        """True if two or more users, sequences or requests are counted near the number."""
        return _LOAD.search(f"{self.near}") is not None

    def _words(self, before: int, after: int) -> str:
        first, last = self._passage.around(self._start, self._end, before, after)
        text = self._passage.text
        head, tail = _WORD.findall(text, first, self._start), _WORD.findall(text, self._end, last)
        return f" {' '.join(head)} | {' '.join(tail)} "
