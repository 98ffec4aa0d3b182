"""What stands around a stated number: the words near it, and the set-up that it is about."""

import re
from dataclasses import dataclass
from functools import cached_property

from interviewer.quantities import Quantity

_BEFORE, _AFTER = 90, 60
_WIDE = 170
_CLOSE_BEFORE, _CLOSE_AFTER = 36, 18
_SENTENCE = re.compile(r"[.!?;](?=\s)|\n")

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
_SPELLING = re.compile("|".join(rf"(\b(?:{pattern})\b)" for pattern in _SPELLINGS))
_KINDS = (
    frozenset({"fp8", "bf16", "int4", "int8"}),
    frozenset({"h200", "h100", "b200", "a100", "l40s", "mi300x"}),
    frozenset({"4k", "8k", "16k", "32k", "64k", "128k"}),
)
_ALL = frozenset[str]().union(*_KINDS)
_WORD = re.compile(r"[a-z0-9][a-z0-9,.'-]*[a-z0-9]|[a-z0-9]")
# 'FP8 weights' says nothing of the cache, and the other way round.
_OF_WEIGHTS = re.compile(
    r"\b(?:fp8|bf16|int4|int8) weights?\b|\bweights? (?:are |is |in )+(?:\w+ )?(?:fp8|bf16)\b"
)


def normalise(text: str) -> str:
    """Lower case, with the field's spoken names as they are written: 'f p eight' is 'fp8'."""
    spelt = _SPELLING.sub(lambda match: _NAMES[(match.lastindex or 1) - 1], text.lower())
    return spelt.replace("-", " ")


def _padded(before: str, after: str) -> str:
    words = _WORD.findall(normalise(before)), _WORD.findall(normalise(after))
    return f" {' '.join(words[0])} | {' '.join(words[1])} "


def setups(normalised: str) -> frozenset[str]:
    """The precisions, GPUs and context lengths that a text names."""
    text = _OF_WEIGHTS.sub("weights", normalised)
    return _ALL.intersection(_WORD.findall(text))


def conflicts(stated: frozenset[str], known: frozenset[str]) -> bool:
    """True if both name a precision, a GPU or a length, and not the same one."""
    return any(stated & kind and known & kind and not stated & known & kind for kind in _KINDS)


@dataclass(frozen=True)
class Surroundings:
    """The words around one number, within its sentence."""

    text: str
    start: int
    end: int

    @classmethod
    def of(cls, text: str, quantity: Quantity) -> "Surroundings":
        """Those of a quantity of a text."""
        return cls(text, quantity.start, quantity.end)

    @cached_property
    def near(self) -> str:
        """Some fifteen words before and ten after, without the number; spaces at both ends."""
        before, after = self._cut(_BEFORE, _AFTER)
        return _padded(before, after)

    @cached_property
    def close(self) -> str:
        """The few words before and the two or three after."""
        return _padded(*self._cut(_CLOSE_BEFORE, _CLOSE_AFTER))

    @cached_property
    def setups(self) -> frozenset[str]:
        """The set-ups named near the number, else in the whole sentence."""
        return setups(self.near) or setups(normalise(" ".join(self._cut(_WIDE, _WIDE))))

    def _cut(self, before: int, after: int) -> tuple[str, str]:
        head = self.text[max(0, self.start - before) : self.start]
        tail = self.text[self.end : self.end + after]
        ends = [match.end() for match in _SENTENCE.finditer(head)]
        stop = _SENTENCE.search(tail)
        return head[ends[-1] if ends else 0 :], tail[: stop.start() if stop else len(tail)]
